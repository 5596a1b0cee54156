// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/output_checks.h"

#include "config/read/run_files.h"

#include "skimline/framework/error.h"
#include "skimline/io/open_remote.h"
#include "skimline/io/url.h"

#include <filesystem>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSamplePlaceholder = "{sample}";

// What makes a path no place for a new file, or nothing.
std::string problem_of(const WrittenFile& file) {
  const std::string& path = file.path;
  if (io::is_url(path)) {
    io::check_output_url(path);
    return {};
  }
  std::error_code ignored;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored))
    return "the folder \"" + folder.string() + "\" does not exist";
  if (fs::is_directory(path, ignored)) return "\"" + path + "\" is a folder";
  const bool may_be_device = file.kind != WrittenKind::kHistograms && file.kind != WrittenKind::kSkim &&
                             file.kind != WrittenKind::kCutflow;
  if (fs::is_other(path, ignored) && !(may_be_device && fs::is_character_file(path, ignored)))
    return "\"" + path + "\" is no regular file";
  return {};
}

bool has_sample(const SkimConfig& skim) { return skim.path.find(kSamplePlaceholder) != std::string::npos; }

void check_file(const WrittenFile& file, io::FilesInUse& used, Diagnostics& diagnostics) {
  const std::string shown = file.kind == WrittenKind::kReport && file.place.end == 0
                                ? "the report \"" + file.path + "\""
                                : "this file";
  try {
    if (const std::string problem = problem_of(file); !problem.empty()) diagnostics.add(file.place, problem);
    if (const auto other = used.find(file.path)) diagnostics.add(file.place, shown + " is also " + *other);
    used.add(file.path, file.what);
  } catch (const FileError& error) {
    diagnostics.add(file.place, error.what());
  }
}

}  // namespace

std::string skim_path(const SkimConfig& skim, const Sample& sample) {
  std::string path = skim.path;
  for (std::size_t at = path.find(kSamplePlaceholder); at != std::string::npos;
       at = path.find(kSamplePlaceholder, at + sample.name.value.size()))
    path.replace(at, kSamplePlaceholder.size(), sample.name.value);
  return path;
}

void check_outputs(const Config& config, Diagnostics& diagnostics) {
  const bool has_one_sample = config.sample_names.size() <= 1;
  for (const SkimConfig& skim : config.skims)
    if (!has_one_sample && !has_sample(skim))
      diagnostics.add(skim.file.location,
                      "each sample has a skim of its own: put \"{sample}\" into the name of the file");
  io::FilesInUse used = read_files(config);
  for (const WrittenFile& file : written_files(config))
    if (!file.skim || has_sample(*file.skim) || file.sample == &config.samples.front())
      check_file(file, used, diagnostics);
}

}  // namespace skimline::skims
