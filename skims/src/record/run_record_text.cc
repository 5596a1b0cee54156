// SPDX-License-Identifier: BSD-3-Clause
// A record as tables.
#include "base/text_table.h"
#include "record/cutflow_tables.h"
#include "record/record_inputs.h"
#include "record/record_steps.h"
#include "record/shards_of_run.h"

#include "skimline/framework/number_text.h"
#include "skimline/skims/shown_text.h"

#include <algorithm>
#include <set>

namespace skimline::skims {
namespace {

// More of them are only counted.
constexpr std::size_t kShownInputs = 10;

std::string number(double value) { return significant_digits(value, 8); }

std::string value_text(const ConstantValue& value) {
  struct Writer {
    std::string operator()(bool held) const { return held ? "true" : "false"; }
    std::string operator()(std::int64_t held) const { return std::to_string(held); }
    std::string operator()(double held) const { return number(held); }
    std::string operator()(const std::string& held) const { return held; }
  };
  return std::visit(Writer{}, value);
}

std::string line(const std::string& name, const std::string& text) {
  constexpr std::size_t kWidth = 16;
  return "  " + shown(name) + std::string(name.size() < kWidth ? kWidth - name.size() : 1, ' ') +
         shown(text) + "\n";
}

std::string ranges_text(const std::vector<EntryRange>& ranges) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(ranges.size(), 3); ++i)
    text += (i == 0 ? "" : ", ") + format_count(ranges[i].first) + " to " + format_count(ranges[i].end());
  return text + (ranges.size() > 3 ? " and others" : "");
}

std::string inputs_text(const SampleRecord& sample) {
  std::set<std::string> files;
  TextTable partial({"input", "ntuple", ">entries", "not processed"});
  std::size_t num_partial = 0;
  for (const InputRecord& input : sample.inputs) {
    files.insert(input.file);
    const std::vector<EntryRange> missing = missing_entries(input);
    if (missing.empty() || ++num_partial > kShownInputs) continue;
    partial.add({input.file, input.ntuple, format_count(input.num_entries), ranges_text(missing)});
  }
  std::string text =
      line("inputs", format_count(files.size()) + (files.size() == 1 ? " file, " : " files, ") +
                         format_count(num_processed(sample.inputs)) + " entries processed" +
                         (num_partial == 0 ? "" : ", not all of " + format_count(num_partial)));
  if (!partial.empty()) text += partial.format();
  for (const SkippedInput& skipped : sample.skipped) text += line("left out", text_of(skipped));
  return text;
}

std::string split_text(std::uint64_t count, const std::set<std::uint64_t>& numbers) {
  std::string text = numbers.size() == 1 ? "file " : "files ";
  for (const std::uint64_t number : numbers)
    text += (number == *numbers.begin() ? "" : ", ") + format_count(number);
  text += " of " + format_count(count);
  return text + (numbers.contains(1) ? ", of all of which the first has the cutflow"
                                     : "; the first one has the cutflow of all");
}

std::string sample_text(const SampleRecord& sample) {
  const std::vector<RecordedStep> steps = steps_of(sample);
  std::string text = "sample \"" + shown(sample.name) + "\"\n";
  if (sample.cross_section_pb) text += line("cross section", number(*sample.cross_section_pb) + " pb");
  for (const auto& [name, value] : sample.metadata)
    if (name != "cross_section_pb") text += line(name, value_text(value));
  if (sample.normalisation) text += line("normalised by", number(*sample.normalisation));
  text += line("weights", sample.weight.empty() ? "each event counts 1" : sample.weight);
  if (!steps.empty())
    text += line("sum of weights", number(steps.front().sum_weights) + " +- " + number(steps.front().error));
  if (const std::optional<double> scale = scale_per_inverse_pb(sample, steps))
    text += line("scale", number(*scale) + " for each inverse picobarn");
  for (const auto& [whole, files] : sample.files)
    if (files.second.size() < files.first) text += line("split", split_text(files.first, files.second));
  for (const std::string& shards : missing_shards(sample.shards)) text += line("missing", shards);
  text += inputs_text(sample);
  return text;
}

}  // namespace

std::string to_text(const RunRecord& record, std::size_t width) {
  std::string text = "made by skimline " + shown(record.version) + ", " +
                     format_count(record.configs.size()) +
                     (record.configs.size() == 1 ? " config" : " configs") + "\n";
  for (const SampleRecord& sample : record.samples) text += "\n" + sample_text(sample);
  if (const std::string cutflow = cutflow_text(cutflows_of(record), width); !cutflow.empty())
    text += "\n" + cutflow;
  const std::vector<std::string> problems = problems_of(record);
  if (!problems.empty()) text += "\n";
  for (const std::string& problem : problems) text += "warning: " + shown(problem) + "\n";
  return text;
}

}  // namespace skimline::skims
