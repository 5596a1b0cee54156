// SPDX-License-Identifier: BSD-3-Clause
#include "run/skim_output.h"

#include "base/text_table.h"
#include "run/carried_ntuples.h"
#include "run/unfilled_sink.h"

#include "skimline/io/arrow_library.h"
#include "skimline/io/input_formats.h"
#include "skimline/io/output_formats.h"
#include "skimline/skims/record_objects.h"

#include <filesystem>

namespace skimline::skims {
namespace {

std::vector<std::string> all_classes(io::DataFormat format) {
  std::vector<std::string> names = output_format(format).classes();
  const std::vector<std::string> of_record = record_classes();
  names.insert(names.end(), of_record.begin(), of_record.end());
  return names;
}

// The plan that it is connected to only says which columns are used.
class UnfilledSkimSink : public SkimSink {
 public:
  Sink& sink() override { return sink_; }
  SkimSummary finish() override { return {}; }

 private:
  UnfilledSink sink_;
};

bool is_arrow(const SkimConfig& config) { return output_format(config.format).is_arrow; }

bool is_tree(const SkimConfig& config) {
  return !is_arrow(config) && io::input_format(config.format).is_class("TTree");
}

std::string compressions_text(const std::map<int, std::size_t>& chosen) {
  std::string text;
  for (const auto& [number, columns] : chosen)
    text += (text.empty() ? "; " : ", ") + io::compression_name(number) + " for " + std::to_string(columns);
  return text;
}

io::MergeOptions append_options(const SkimConfig& config, StopFlag stop) {
  io::MergeOptions options;
  options.compression = config.settings.compression;
  options.cluster_bytes = config.settings.cluster_bytes;
  options.allows_copies = true;  // parts without events are alike
  options.stop = stop;
  return options;
}

}  // namespace

SkimOutput::SkimOutput(const Sample& sample, PlannedSkim skim, JobPlan& plan, const JobOptions& options,
                       SkimSource source)
    : skim_(std::move(skim)),
      path_(skim_path(*skim_.config, sample)),
      file_(std::make_unique<io::RootFileWriter>(path_, all_classes(skim_.config->format))),
      sink_(source == SkimSource::kEvents
                ? sink_of_skim(*file_, skim_, options.stop, options.max_slices_in_flight > 0)
                : std::make_unique<UnfilledSkimSink>()),
      left_out_{{skim_.config->name.value, skim_.config->ntuple_name, skim_.left_out}} {
  plan.write(skim_, sink_->sink());
  if (source == SkimSource::kParts)
    parts_ = std::make_unique<io::AppendedEntries>(*file_, skim_.config->ntuple_name, is_tree(*skim_.config),
                                                   append_options(*skim_.config, options.stop));
}

void SkimOutput::append(const std::string& part) { parts_->add(part); }

void SkimOutput::finish_events() {
  SkimSummary summary;
  if (parts_)
    summary = {.num_entries = parts_->finish().num_entries, .content_hash = parts_->content_hash()};
  else
    summary = sink_->finish();
  parts_.reset();
  content_hash_ = summary.content_hash;
  num_entries_ = summary.num_entries;
  compressions_ = summary.compressions;
  sink_.reset();
  skim_.carried.reset();
}

void SkimOutput::carry_beside(const std::vector<io::InputLocation>& inputs,
                              const io::InputOptions& input_options, const JobOptions& options) {
  WriteOptions write;
  write.threads = options.threads;
  write.stop = options.stop;
  write.settings.compression = skim_.config->settings.compression;
  write.format = skim_.config->format;
  // What is dropped from the events is not missed here, but not dropped: it may be a sum of weights.
  write.may_lack = [choice = choice_of(*skim_.config), this](const LeftOutColumn& column) {
    return choice.is_dropped(column.name) ||
           (skim_.config->has_only_common_columns && column.kind == LeftOutKind::kDifferent);
  };
  for (const char* name : kCarriedNTuples) {
    if (skim_.config->ntuple_name == name) continue;
    const auto carried = carry_ntuple(inputs, name, *file_, write, input_options);
    if (!carried) continue;
    content_hash_ = content_hash_ * 31 + carried->content_hash;
    if (is_arrow(*skim_.config)) {
      warnings_.push_back("warning: the skim \"" + skim_.config->name.value + "\" is written without \"" +
                          name + "\": a file of " + io::name_of(skim_.config->format) + " holds one table");
      continue;
    }
    left_out_.push_back({skim_.config->name.value, name, carried->left_out});
    warnings_.insert(warnings_.end(), carried->warnings.begin(), carried->warnings.end());
  }
}

std::uint64_t SkimOutput::write_as_arrow(StopFlag stop) {
  const SkimConfig& config = *skim_.config;
  arrow_file_ = io::write_arrow({.from = file_->file().current_path(),
                                 .ntuple = config.ntuple_name,
                                 .to = {},
                                 .format = output_format(config.format).name,
                                 .compression = name_of_compression(config)},
                                path_, stop);
  file_.reset();
  return std::filesystem::file_size(arrow_file_->current_path());
}

OutputFile SkimOutput::complete(const RunRecord& record, StopFlag stop) {
  for (const io::RootObject& object :
       record_objects(record, skim_.config->settings.compression.value_or(io::CompressionSetting{})))
    file_->add_object(object);
  std::uint64_t bytes = file_->complete(content_hash_);
  if (is_arrow(*skim_.config)) bytes = write_as_arrow(stop);
  const bool is_usual = skim_.config->format == io::output_formats().front().format;
  return {path_,
          "skim \"" + skim_.config->name.value + "\": " + format_count(num_entries_) + " events, " +
              std::to_string(skim_.num_columns) + " columns" +
              (is_usual ? "" : std::string(" as ") + io::name_of(skim_.config->format)) +
              compressions_text(compressions_),
          bytes, ""};
}

}  // namespace skimline::skims
