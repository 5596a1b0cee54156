// SPDX-License-Identifier: BSD-3-Clause
#include "job_outputs.h"

#include "text_table.h"

#include <filesystem>

namespace skimline::skims {
namespace {

io::RNTupleSinkOptions sink_options(const SkimConfig& config) {
  io::RNTupleSinkOptions options;
  options.path = config.path;
  options.ntuple_name = config.ntuple_name;
  options.compression = config.compression;
  options.cluster_bytes = config.cluster_bytes.value_or(options.cluster_bytes);
  options.page_bytes = config.page_bytes.value_or(options.page_bytes);
  return options;
}

// Devices stay, and links; the files they lead to go.
void remove_all(const std::vector<OutputFile>& files) {
  for (const OutputFile& file : files) {
    std::error_code ignored;
    const std::filesystem::path path = std::filesystem::canonical(file.path, ignored);
    if (std::filesystem::is_regular_file(path, ignored)) std::filesystem::remove(path, ignored);
  }
}

}  // namespace

JobOutputs::JobOutputs(const Config& config, JobPlan& job, const histograms::HistogramSet& histograms) {
  for (const PlannedSkim& skim : job.skims()) {
    auto sink = std::make_unique<io::RNTupleSink>(skim.carried, skim.computed, sink_options(*skim.config));
    job.write(skim, *sink);
    skims_.push_back({skim, std::move(sink)});
  }
  if (config.output.histograms) histograms_ = std::make_unique<HistogramOutput>(config, job, histograms);
}

std::vector<OutputFile> JobOutputs::complete(int threads) {
  std::vector<OutputFile> files;
  try {
    for (SkimOutput& output : skims_) files.push_back(complete_skim(output));
    if (histograms_) files.push_back(histograms_->complete(threads));
  } catch (...) {
    remove_all(files);
    throw;
  }
  return files;
}

OutputFile JobOutputs::complete_skim(SkimOutput& output) {
  output.sink->finish();
  const io::WriteStatistics& written = output.sink->statistics();
  const std::string content = "skim \"" + output.skim.config->name.value +
                              "\": " + format_count(written.num_entries) + " events, " +
                              std::to_string(output.skim.num_columns) + " columns";
  return {output.skim.config->path, content, written.file_bytes, ""};
}

HistogramSummary JobOutputs::histogram_summary() const {
  return histograms_ ? histograms_->summary() : HistogramSummary{};
}

std::vector<std::string> JobOutputs::histogram_warnings() const {
  return histograms_ ? histograms_->warnings() : std::vector<std::string>{};
}

}  // namespace skimline::skims
