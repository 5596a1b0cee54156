// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/output_checks.h"

#include "config/read/run_files.h"
#include "config/read/split_files.h"

#include "skimline/framework/error.h"
#include "skimline/io/open_remote.h"
#include "skimline/io/output_folders.h"
#include "skimline/io/url.h"

#include <filesystem>

#include <limits.h>

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
  if (std::string problem = io::problem_of_folders(path); !problem.empty()) return problem;
  if (fs::path(path).filename().string().size() > NAME_MAX)
    return "the name of this file is too long: it may have " + std::to_string(NAME_MAX) + " bytes";
  if (fs::is_directory(path, ignored)) return "\"" + path + "\" is a folder";
  const bool may_be_device = file.kind != WrittenKind::kHistograms && file.kind != WrittenKind::kSkim &&
                             file.kind != WrittenKind::kCutflow;
  if (fs::is_other(path, ignored) && !(may_be_device && fs::is_character_file(path, ignored)))
    return "\"" + path + "\" is no regular file";
  return {};
}

// The report that is written unless the config says where, or that there is none.
bool is_usual_report(const WrittenFile& file) {
  return file.kind == WrittenKind::kReport && file.place.end == 0;
}

bool has_sample(const SkimConfig& skim) { return skim.path.find(kSamplePlaceholder) != std::string::npos; }

// Outputs one after the other, each with what those before and what is read take.
class OutputChecks {
 public:
  OutputChecks(const Config& config, Diagnostics& diagnostics)
      : used_(read_files(config)), diagnostics_(diagnostics) {}

  void check(const WrittenFile& file) {
    try {
      const std::string problem = problem_of(file);
      if (!problem.empty())
        diagnostics_.add(file.place, is_usual_report(file)
                                         ? "the report \"" + file.path + "\": " + problem +
                                               "; run --report writes another one, run --no-report none"
                                         : problem);
      check_uses(file);
      used_.add(file.path, file.what);
      if (problem.empty() && !io::is_url(file.path)) check_folders(file);
    } catch (const FileError& error) {
      diagnostics_.add(file.place, error.what());
    }
  }

 private:
  void check_uses(const WrittenFile& file) {
    const std::string shown = is_usual_report(file) ? "the report \"" + file.path + "\"" : "this file";
    if (const auto other = used_.find(file.path)) diagnostics_.add(file.place, shown + " is also " + *other);
    if (const auto other = folders_.find(file.path))
      diagnostics_.add(file.place, shown + " is also the folder of " + *other);
  }

  // Those that are still to be made.
  void check_folders(const WrittenFile& file) {
    for (const fs::path& folder : io::missing_folders(file.path)) {
      if (const auto other = used_.find(folder.string()))
        diagnostics_.add(file.place, "the folder of this file is also " + *other);
      folders_.add(folder.string(), file.what);
    }
  }

  io::FilesInUse used_;
  io::FilesInUse folders_;  // to be made, each with the first file in it
  Diagnostics& diagnostics_;
};

// How many files a skim will have is not known: none of them may be another output.
void check_split(const Config& config, const SkimConfig& skim, const WrittenFile& file,
                 Diagnostics& diagnostics) {
  for (const Sample& sample : config.samples)
    if (number_in_split(skim, sample, file.path) > 0)
      return diagnostics.add(file.place, "\"" + file.path + "\" may be a file of the skim \"" +
                                             skim.name.value + "\", which is split");
}

}  // namespace

std::vector<std::string> problems_of_braces(const std::string& file, const std::string& placeholder) {
  std::vector<std::string> problems;
  for (std::size_t begin = file.find('{'); begin != std::string::npos; begin = file.find('{', begin + 1)) {
    const std::size_t end = file.find_first_of("{}/", begin + 1);
    if (end == std::string::npos || file[end] != '}') continue;
    const std::string name = file.substr(begin + 1, end - begin - 1);
    if (name == placeholder) continue;
    const std::string known = placeholder.empty() ? "" : ": only \"{" + placeholder + "}\" is replaced";
    problems.push_back("\"{" + name + "}\" is a part of the name of the file" + known);
  }
  return problems;
}

std::string path_of_sample(const SkimConfig& skim, const Sample& sample) {
  std::string path = skim.path;
  for (std::size_t at = path.find(kSamplePlaceholder); at != std::string::npos;
       at = path.find(kSamplePlaceholder, at + sample.name.value.size()))
    path.replace(at, kSamplePlaceholder.size(), sample.name.value);
  return path;
}

std::string skim_path(const SkimConfig& skim, const Sample& sample) {
  return skim.split ? split_path(skim, sample, 1) : path_of_sample(skim, sample);
}

void check_outputs(const Config& config, Diagnostics& diagnostics) {
  const bool has_one_sample = config.sample_names.size() <= 1;
  for (const SkimConfig& skim : config.skims)
    if (!has_one_sample && !has_sample(skim))
      diagnostics.add(skim.file.location,
                      "each sample has a skim of its own: put \"{sample}\" into the name of the file");
  OutputChecks checks(config, diagnostics);
  const std::vector<WrittenFile> files = written_files(config);
  for (const SkimConfig& skim : config.skims)
    for (const WrittenFile& file : files)
      if (skim.split && file.skim != &skim) check_split(config, skim, file, diagnostics);
  for (const WrittenFile& file : files)
    if (!file.skim || has_sample(*file.skim) || file.sample == &config.samples.front()) checks.check(file);
}

}  // namespace skimline::skims
