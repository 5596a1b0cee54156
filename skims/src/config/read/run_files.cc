// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/run_files.h"

#include "config/read/split_files.h"

namespace skimline::skims {
namespace {

void add_files_of(const SkimConfig& skim, const Sample& sample, bool has_others,
                  std::vector<WrittenFile>& files) {
  std::string what = "the output of the skim \"" + skim.name.value + "\"";
  if (has_others) what += " of the sample \"" + sample.name.value + "\"";
  files.push_back({WrittenKind::kSkim, skim_path(skim, sample), what, skim.file.location, &skim, &sample});
  if (!skim.split) return;
  // How many there will be is not known. What is there is replaced, or goes.
  for (const auto& [number, path] : existing_split_files(skim, sample))
    if (number > 1) files.push_back({WrittenKind::kSkim, path, what, skim.file.location, &skim, &sample});
}

}  // namespace

std::vector<WrittenFile> written_files(const Config& config) {
  std::vector<WrittenFile> files;
  for (const SkimConfig& skim : config.skims)
    for (const Sample& sample : config.samples)
      add_files_of(skim, sample, config.sample_names.size() > 1, files);
  const OutputConfig& output = config.output;
  if (output.histograms)
    files.push_back({WrittenKind::kHistograms, output.histograms_path, "the output of the histograms",
                     output.histograms->location});
  if (output.cutflow)
    files.push_back(
        {WrittenKind::kCutflow, output.cutflow_path, "the output of the cutflow", output.cutflow->location});
  if (!output.report_path.empty())
    files.push_back({WrittenKind::kReport, output.report_path, "the report",
                     output.report ? output.report->location : Location()});
  if (output.html_report)
    files.push_back({WrittenKind::kHtmlReport, output.html_report_path, "the report as HTML",
                     output.html_report->location});
  if (output.trace)
    files.push_back({WrittenKind::kTrace, output.trace->value, "the trace", output.trace->location});
  return files;
}

io::FilesInUse read_files(const Config& config) {
  io::FilesInUse files;
  files.add(config.source->path, "the config");
  for (const ConfigPart& part : config.source->parts)
    if (!part.is_argument)
      files.add(part.path, part.is_included ? "an included config" : "a text that the config reads");
  for (const CorrectionConfig& correction : config.corrections)
    files.add(correction.path, "the file of the correction \"" + correction.name.value + "\"");
  for (const ModelConfig& model : config.models)
    files.add(model.path, "the file of the model \"" + model.name.value + "\"");
  for (const Sample& sample : config.samples) {
    for (const Input& input : sample.inputs) files.add(input.location.path, "an input");
    for (const std::string& path : sample.listing_files) files.add(path, "a list of inputs");
    for (const FriendConfig& other : sample.friends)
      for (const Input& input : other.inputs)
        files.add(input.location.path, "a file of the friend \"" + other.name.value + "\"");
  }
  return files;
}

}  // namespace skimline::skims
