// SPDX-License-Identifier: BSD-3-Clause
#include "run/skim_output.h"

#include "base/text_table.h"
#include "config/read/split_files.h"
#include "run/carried_ntuples.h"
#include "run/unfilled_sink.h"

#include "skimline/framework/error.h"
#include "skimline/io/input_formats.h"
#include "skimline/io/output_file.h"
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

// So few that a process may have all of them open.
constexpr std::size_t kMostFiles = 500;

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
    : sample_(sample),
      skim_(std::move(skim)),
      path_(skim_path(*skim_.config, sample)),
      left_out_{{skim_.config->name.value, skim_.config->ntuple_name, skim_.left_out}} {
  io::RootFileWriter& file = add_file();
  if (source == SkimSource::kEvents)
    sink_ = sink_of_skim(file, skim_, options.stop, options.max_slices_in_flight > 0,
                         [this]() -> io::RootFileWriter& { return add_file(); });
  else
    sink_ = std::make_unique<UnfilledSkimSink>();
  plan.write(skim_, sink_->sink());
  if (source == SkimSource::kParts)
    parts_ = std::make_unique<io::AppendedEntries>(file, skim_.config->ntuple_name, is_tree(*skim_.config),
                                                   append_options(*skim_.config, options.stop));
}

// Each stays open until all are published.
io::RootFileWriter& SkimOutput::add_file() {
  if (files_.size() == kMostFiles)
    throw Error(path_ + ": the skim \"" + skim_.config->name.value + "\" would have more than " +
                std::to_string(kMostFiles) + " files: let \"split\" put more into each");
  const std::string path = files_.empty() ? path_ : split_path(*skim_.config, sample_, files_.size() + 1);
  files_.push_back(std::make_unique<io::RootFileWriter>(path, all_classes(skim_.config->format)));
  if (!is_arrow(*skim_.config)) files_.back()->file().sum_up();
  return *files_.back();
}

void SkimOutput::append(const std::string& part) { parts_->add(part); }

void SkimOutput::finish_events() {
  SkimSummary summary;
  if (parts_)
    summary.files = {{parts_->finish().num_entries, parts_->content_hash()}};
  else
    summary = sink_->finish();
  parts_.reset();
  contents_ = std::move(summary.files);
  for (const io::FileContent& content : contents_) num_entries_ += content.num_entries;
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
  write.lists = skim_.config->lists;
  // What is dropped from the events is not missed here, but not dropped: it may be a sum of weights.
  write.may_lack = [choice = choice_of(*skim_.config), this](const LeftOutColumn& column) {
    return choice.is_dropped(column.name) ||
           (skim_.config->has_only_common_columns && column.kind == LeftOutKind::kDifferent);
  };
  for (const char* name : kCarriedNTuples) {
    if (skim_.config->ntuple_name == name) {
      if (has_beside(inputs, name, input_options))
        warnings_.push_back("warning: the skim \"" + skim_.config->name.value +
                            "\" is written without the \"" + name +
                            "\" of its inputs, as it is called so itself");
      continue;
    }
    const auto carried = carry_ntuple(inputs, name, *files_.front(), write, input_options);
    if (!carried) continue;
    std::uint64_t& hash = contents_.front().content_hash;
    hash = hash * 31 + carried->content_hash;
    if (is_arrow(*skim_.config)) {
      warnings_.push_back("warning: the skim \"" + skim_.config->name.value + "\" is written without \"" +
                          name + "\": a file of " + io::name_of(skim_.config->format) + " holds one table");
      continue;
    }
    left_out_.push_back({skim_.config->name.value, name, carried->left_out});
    warnings_.insert(warnings_.end(), carried->warnings.begin(), carried->warnings.end());
  }
}

std::uint64_t SkimOutput::write_as_arrow(std::size_t number, StopFlag stop) {
  const SkimConfig& config = *skim_.config;
  arrow_files_.push_back(io::write_as(config.format, files_.at(number)->file(), config.ntuple_name,
                                      config.settings.compression, stop));
  files_[number].reset();
  return std::filesystem::file_size(arrow_files_.back()->current_path());
}

io::OutputFile& SkimOutput::file(std::size_t number) {
  return number < arrow_files_.size() ? *arrow_files_[number] : files_.at(number)->file();
}

OutputFile SkimOutput::complete(std::size_t number, const RunRecord& record, StopFlag stop) {
  io::RootFileWriter& written = *files_.at(number);
  const io::FileContent& content = contents_.at(number);
  for (const io::RootObject& object :
       record_objects(record, skim_.config->settings.compression.value_or(io::CompressionSetting{})))
    written.add_object(object);
  std::uint64_t bytes = written.complete(content.content_hash);
  if (is_arrow(*skim_.config)) bytes = write_as_arrow(number, stop);
  const bool is_usual = skim_.config->format == io::output_formats().front().format;
  const std::string part =
      skim_.config->split ? ", file " + format_count(number + 1) + " of " + format_count(files_.size()) : "";
  return {file(number).path(),
          "skim \"" + skim_.config->name.value + "\"" + part + ": " + format_count(content.num_entries) +
              " events, " + std::to_string(skim_.num_columns) + " columns" +
              (is_usual ? "" : std::string(" as ") + io::name_of(skim_.config->format)) +
              compressions_text(compressions_),
          bytes, ""};
}

}  // namespace skimline::skims
