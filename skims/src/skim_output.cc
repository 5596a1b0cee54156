// SPDX-License-Identifier: BSD-3-Clause
#include "skim_output.h"

#include "nano_runs.h"
#include "text_table.h"

namespace skimline::skims {
namespace {

std::vector<std::string> classes() {
  std::vector<std::string> names = record_classes();
  names.insert(names.begin(), "ROOT::RNTuple");
  return names;
}

io::RNTupleSinkOptions sink_options(const PlannedSkim& skim, const JobOptions& job) {
  const SkimConfig& config = *skim.config;
  io::RNTupleSinkOptions options;
  options.collections = skim.collections;
  options.stop = job.stop;
  if (job.max_slices_in_flight > 0) options.max_idle_bytes = 0;  // memory is short
  options.ntuple_name = config.ntuple_name;
  options.compression = config.compression;
  options.cluster_bytes = config.cluster_bytes.value_or(options.cluster_bytes);
  options.page_bytes = config.page_bytes.value_or(options.page_bytes);
  return options;
}

}  // namespace

SkimOutput::SkimOutput(const Sample& sample, PlannedSkim skim, JobPlan& plan, const JobOptions& options)
    : skim_(std::move(skim)),
      path_(skim_path(*skim_.config, sample)),
      file_(std::make_unique<io::RootFileWriter>(path_, classes())),
      sink_(std::make_unique<io::RNTupleSink>(*file_, skim_.carried, skim_.computed,
                                              sink_options(skim_, options))) {
  plan.write(skim_, *sink_);
}

void SkimOutput::finish_events() {
  sink_->finish();
  content_hash_ = sink_->content_hash();
  num_entries_ = sink_->statistics().num_entries;
  sink_.reset();
  skim_.carried.reset();
}

void SkimOutput::carry_beside(const std::vector<io::InputLocation>& inputs, const JobOptions& options) {
  for (const char* name : kCarriedNTuples) {
    if (skim_.config->ntuple_name == name) continue;
    const auto carried =
        carry_ntuple(inputs, name, *file_, {options.threads, options.stop, skim_.config->compression});
    if (!carried) continue;
    content_hash_ = content_hash_ * 31 + carried->content_hash;
    warnings_.insert(warnings_.end(), carried->warnings.begin(), carried->warnings.end());
  }
}

OutputFile SkimOutput::complete(const RunRecord& record) {
  for (const io::RootObject& object : record_objects(record, skim_.config->compression))
    file_->add_object(object);
  const std::uint64_t bytes = file_->complete(content_hash_);
  return {path_,
          "skim \"" + skim_.config->name.value + "\": " + format_count(num_entries_) + " events, " +
              std::to_string(skim_.num_columns) + " columns",
          bytes, ""};
}

}  // namespace skimline::skims
