// SPDX-License-Identifier: BSD-3-Clause
// The report of a run as tables.
#include "base/text_table.h"

#include "skimline/skims/job_report.h"
#include "skimline/skims/shown_text.h"

#include <algorithm>
#include <cmath>

namespace skimline::skims {
namespace {

bool has_weights(const std::vector<CutflowStep>& cutflow) {
  return std::any_of(cutflow.begin(), cutflow.end(), [](const CutflowStep& step) {
    return step.sum_weights != static_cast<double>(step.num_passed);
  });
}

std::string share_text(double part, double whole) {
  return whole != 0 ? format_fixed(100 * part / whole, 2) + " %" : "-";
}

std::string cutflow_text(const std::vector<CutflowStep>& cutflow) {
  std::vector<std::string> head{"selection", ">events", ">of previous", ">of all"};
  const bool is_weighted = has_weights(cutflow);
  if (is_weighted) head.insert(head.end(), {">sum of weights", ">error", ">of all"});
  TextTable table(head);
  for (std::size_t i = 0; i < cutflow.size(); ++i) {
    std::vector<std::string> row{
        cutflow[i].name, format_count(cutflow[i].num_passed),
        i == 0 ? "" : format_percent(cutflow[i].num_passed, cutflow[i - 1].num_passed),
        format_percent(cutflow[i].num_passed, cutflow.front().num_passed)};
    if (is_weighted)
      row.insert(row.end(),
                 {format_number(cutflow[i].sum_weights), format_number(std::sqrt(cutflow[i].sum_squares)),
                  share_text(cutflow[i].sum_weights, cutflow.front().sum_weights)});
    table.add(row);
  }
  return "cutflow\n" + table.format();
}

std::string n_minus_1_text(const SampleReport& sample) {
  if (sample.n_minus_1.empty()) return {};
  TextTable table({"all but", ">events", ">kept by it"});
  const std::uint64_t all = sample.cutflow.back().num_passed;
  for (const CutflowStep& step : sample.n_minus_1)
    table.add({step.name, format_count(step.num_passed), format_percent(all, step.num_passed)});
  return "n - 1\n" + table.format() + "\n";
}

std::string lumi_text(const SampleReport& sample) {
  if (!sample.lumi) return {};
  return "luminosity mask: " + format_count(sample.lumi->accepted) + " events accepted, " +
         format_count(sample.lumi->rejected) + " rejected\n\n";
}

std::string problems_text(const SampleReport& sample) {
  std::string text;
  for (const SkippedInput& skipped : sample.skipped) text += "left out: " + shown(skipped.problem) + "\n";
  for (const std::string& missing : sample.missing) text += "missing: " + shown(missing) + "\n";
  return text.empty() ? text : text + "\n";
}

std::string regions_text(const SampleReport& sample) {
  if (sample.regions.empty()) return {};
  TextTable table({"region", "after", ">events", ">of these", ">of all"});
  for (const RegionCount& region : sample.regions)
    table.add({region.step.name, region.after, format_count(region.step.num_passed),
               format_percent(region.step.num_passed, region.num_before),
               format_percent(region.step.num_passed, sample.num_entries)});
  return "regions\n" + table.format() + "\n";
}

// What is left in variations that select other events; all others are as nominal.
std::string variations_text(const SampleReport& sample) {
  std::vector<std::string> header{"variation", ">selected"};
  for (const RegionCount& region : sample.regions) header.push_back(">" + region.step.name);
  TextTable table(header);
  const auto counts_of = [](const std::vector<CutflowStep>& cutflow,
                            const std::vector<RegionCount>& regions) {
    std::vector<std::string> counts{format_count(cutflow.back().num_passed)};
    for (const RegionCount& region : regions) counts.push_back(format_count(region.step.num_passed));
    return counts;
  };
  const std::vector<std::string> nominal = counts_of(sample.cutflow, sample.regions);
  for (const VariationCount& variation : sample.variations) {
    std::vector<std::string> row = counts_of(variation.cutflow, variation.regions);
    if (row == nominal) continue;
    row.insert(row.begin(), variation.name);
    table.add(row);
  }
  return table.empty() ? "" : "variations\n" + table.format() + "\n";
}

std::string rate(std::uint64_t count, double seconds) {
  return seconds > 0 ? format_count(static_cast<std::uint64_t>(static_cast<double>(count) / seconds)) : "-";
}

std::string verified_text(const ReadStatistics& read) {
  std::string text = format_bytes(read.bytes_verified) + " by checksums";
  if (read.bytes_unverified > 0) text += ", " + format_bytes(read.bytes_unverified) + " have none";
  return text;
}

std::string summary_text(const JobReport& report) {
  TextTable table({"", ""});
  table.add({"events", format_count(report.num_entries) + " of " + std::to_string(report.num_files) +
                           (report.num_files == 1 ? " file" : " files")});
  table.add({"read", format_bytes(report.read.bytes_read) + " in " + format_count(report.read.read_calls) +
                         " requests"});
  table.add({"decoded", format_bytes(report.read.bytes_decoded) + " in " +
                            format_count(report.read.pages_decoded) + " pages"});
  table.add({"verified", verified_text(report.read)});
  if (report.store)
    table.add({"store", format_count(report.store->num_taken) + " results taken, " +
                            format_count(report.store->num_computed) + " computed"});
  if (const HistogramSummary& histograms = report.histograms; histograms.number != 0)
    table.add({"histograms", format_bytes(histograms.bytes) + ", added up in " +
                                 format_fixed(histograms.reduce_seconds, 3) + " s, written in " +
                                 format_fixed(histograms.write_seconds, 3) + " s"});
  table.add({"time", format_fixed(report.seconds, 3) + " s with " + std::to_string(report.threads) +
                         (report.threads == 1 ? " thread" : " threads")});
  table.add({"speed", rate(report.num_entries, report.seconds) + " events/s"});
  const std::string text = table.format();
  return "summary" + text.substr(text.find('\n'));
}

std::string outputs_text(const std::vector<OutputFile>& outputs) {
  if (outputs.empty()) return {};
  TextTable table({"file", ">size", "content"});
  for (const OutputFile& output : outputs)
    table.add({output.path, format_bytes(output.bytes), output.content});
  return "\noutputs\n" + table.format();
}

std::string sample_text(const SampleReport& sample) {
  return cutflow_text(sample.cutflow) + "\n" + n_minus_1_text(sample) + regions_text(sample) +
         variations_text(sample) + lumi_text(sample) + problems_text(sample);
}

}  // namespace

std::string to_text(const JobReport& report) {
  std::string text;
  for (const SampleReport& sample : report.samples) {
    if (report.samples.size() > 1) text += "sample " + shown(sample.name) + "\n\n";
    text += sample_text(sample);
  }
  return text + summary_text(report) + outputs_text(report.outputs);
}

}  // namespace skimline::skims
