// SPDX-License-Identifier: BSD-3-Clause
#include "job_outputs.h"

#include "text_table.h"

#include "skimline/io/histogram_writer.h"

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

JobOutputs::JobOutputs(const Config& config, JobPlan& job) : config_(config) {
  for (const PlannedSkim& skim : job.skims()) {
    auto sink = std::make_unique<io::RNTupleSink>(skim.carried, skim.computed, sink_options(*skim.config));
    job.write(skim, *sink);
    skims_.push_back({skim, std::move(sink)});
  }
  if (config.output.histograms)
    histogram_file_ = std::make_unique<io::RootFileWriter>(config.output.histograms_path);
}

std::vector<OutputFile> JobOutputs::complete(const std::vector<histograms::Histogram>& histograms) {
  std::vector<OutputFile> files;
  try {
    for (SkimOutput& output : skims_) files.push_back(complete_skim(output));
    if (histogram_file_) files.push_back(complete_histograms(histograms));
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
  return {output.skim.config->path, content, written.file_bytes};
}

OutputFile JobOutputs::complete_histograms(const std::vector<histograms::Histogram>& histograms) {
  io::write_histograms(*histogram_file_, histograms);
  const std::uint64_t bytes = histogram_file_->commit();
  const std::string content =
      std::to_string(histograms.size()) + (histograms.size() == 1 ? " histogram" : " histograms");
  return {config_.output.histograms_path, content, bytes};
}

}  // namespace skimline::skims
