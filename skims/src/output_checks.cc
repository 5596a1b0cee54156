// SPDX-License-Identifier: BSD-3-Clause
#include "output_checks.h"

#include <filesystem>
#include <map>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSamplePlaceholder = "{sample}";

std::string identity(const std::string& path) {
  std::error_code ignored;
  // A relative path of which nothing exists yet would stay relative.
  return fs::weakly_canonical(fs::absolute(path, ignored), ignored).string();
}

// Files in use by their canonical path, with what they are.
using UsedFiles = std::map<std::string, std::string>;

void check_output(const Text& file, const std::string& path, const std::string& what, UsedFiles& used,
                  Diagnostics& diagnostics) {
  std::error_code ignored;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored))
    diagnostics.add(file.location, "the folder \"" + folder.string() + "\" does not exist");
  else if (fs::is_directory(path, ignored))
    diagnostics.add(file.location, "\"" + path + "\" is a folder");
  else if (fs::is_other(path, ignored))
    diagnostics.add(file.location, "\"" + path + "\" is no regular file");
  const auto [other, is_new] = used.emplace(identity(path), what);
  if (!is_new) diagnostics.add(file.location, "this file is also " + other->second);
}

bool has_sample(const SkimConfig& skim) { return skim.path.find(kSamplePlaceholder) != std::string::npos; }

}  // namespace

std::string skim_path(const SkimConfig& skim, const Sample& sample) {
  std::string path = skim.path;
  for (std::size_t at = path.find(kSamplePlaceholder); at != std::string::npos;
       at = path.find(kSamplePlaceholder, at + sample.name.value.size()))
    path.replace(at, kSamplePlaceholder.size(), sample.name.value);
  return path;
}

void check_outputs(const Config& config, Diagnostics& diagnostics) {
  UsedFiles used{{identity(config.source->path), "the config"}};
  for (const ConfigPart& part : config.source->parts)
    used.emplace(identity(part.path),
                 part.is_included ? "an included config" : "a text that the config reads");
  for (const Sample& sample : config.samples)
    for (const Input& input : sample.inputs) used.emplace(identity(input.location.path), "an input");
  for (const SkimConfig& skim : config.skims)
    for (const Sample& sample : config.samples) {
      std::string what = "the output of the skim \"" + skim.name.value + "\"";
      if (config.sample_names.size() > 1) what += " of the sample \"" + sample.name.value + "\"";
      check_output(skim.file, skim_path(skim, sample), what, used, diagnostics);
      if (config.sample_names.size() > 1 && !has_sample(skim)) {
        diagnostics.add(skim.file.location,
                        "each sample has a skim of its own: put \"{sample}\" into the name of the file");
        break;
      }
    }
  if (config.output.cutflow)
    check_output(*config.output.cutflow, config.output.cutflow_path, "the output of the cutflow", used,
                 diagnostics);
  if (config.output.report)
    check_output(*config.output.report, config.output.report_path, "the report", used, diagnostics);
  if (config.output.histograms)
    check_output(*config.output.histograms, config.output.histograms_path, "the output of the histograms",
                 used, diagnostics);
}

}  // namespace skimline::skims
