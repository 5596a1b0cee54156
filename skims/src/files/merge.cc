// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/merge.h"

#include "base/text_table.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/framework/threads.h"
#include "skimline/io/file_identity.h"
#include "skimline/io/job_mark.h"
#include "skimline/skims/merged_record.h"
#include "skimline/skims/replaced_files.h"
#include "skimline/skims/run_record.h"
#include "skimline/skims/shown_text.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

void append_list(const std::string& path, std::vector<std::string>& paths) {
  std::ifstream list(path);
  if (!list) throw FileError(path, "cannot be opened");
  const std::size_t before = paths.size();
  for (std::string line; std::getline(list, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) paths.push_back(line);
  }
  if (list.bad() || !list.eof()) throw FileError(path, "cannot be read");
  if (paths.size() == before) throw ConfigError("the list \"" + path + "\" names no file");
}

void check_folder_of(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    throw ConfigError("the folder \"" + folder.string() + "\" does not exist");
}

// Other texts than records may only be copied.
std::string merged_text(const io::TextsOfInputs& inputs, bool allow_overlap) {
  if (inputs.path == kRecordPath) return merged_record_text(inputs, allow_overlap);
  for (const io::TextsOfInputs::Text& other : inputs.texts)
    if (other.text != inputs.texts.front().text)
      throw Error("the text \"" + inputs.path + "\" is not the same in " + inputs.texts.front().file +
                  " and " + other.file + "; --exclude leaves it out");
  return inputs.texts.front().text;
}

}  // namespace

std::vector<std::string> expand_lists(const std::vector<std::string>& arguments) {
  std::vector<std::string> paths;
  for (const std::string& argument : arguments) {
    if (argument.starts_with('@'))
      append_list(argument.substr(1), paths);
    else
      paths.push_back(argument);
  }
  return paths;
}

MergeReport merge(io::MergeOptions options, int threads, bool allow_overlap, bool overwrites) {
  check_folder_of(options.output);
  io::FilesInUse read;
  for (const std::string& input : options.inputs) read.add(input, "an input");
  if (read.find(options.output)) throw ConfigError("the output \"" + options.output + "\" is also an input");
  const std::string job = job_called("merge", options.inputs);
  if (!overwrites) check_replaced(options.output, job);
  options.record_directory = kRecordDirectory;
  options.combine_texts = [&](const io::TextsOfInputs& inputs) { return merged_text(inputs, allow_overlap); };
  MergeReport report{.output = options.output, .summary = {}, .threads = threads};
  report.threads = available_threads(threads > 0 ? threads : default_threads());
  const auto start = std::chrono::steady_clock::now();
  run_with_threads(report.threads, [&] { report.summary = io::merge_histograms(options); });
  io::mark_as_output(options.output, job);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

std::string to_text(const MergeReport& report) {
  const io::MergeSummary& summary = report.summary;
  const double speed = static_cast<double>(summary.bytes_added) / std::max(report.seconds, 1e-9);
  std::string text = counted(summary.num_histograms, "histogram", "histograms") + " of " +
                     counted(summary.num_files, "file", "files") + " in " + format_fixed(report.seconds, 2) +
                     " s, " + counted(report.threads, "thread", "threads") + "\n";
  text += "  read       " + format_bytes(summary.bytes_read) + ", " + format_bytes(summary.bytes_added) +
          " decompressed, " + format_bytes(static_cast<std::uint64_t>(speed)) + "/s\n";
  text += "  exact      " + format_count(summary.num_exact) + "\n";
  if (summary.num_changed > 0)
    text += "  changed    " + format_count(summary.num_changed) + " by another program, no longer exact\n";
  if (summary.num_partial > 0)
    text += "  partial    " + format_count(summary.num_partial) + ", which some files lack\n";
  text += "  written    " + shown(report.output) + ", " + format_bytes(summary.bytes_written) + ", " +
          io::compression_name(summary.compression.root_number()) + "\n";
  if (summary.num_records > 0 && summary.num_records < summary.num_files)
    text += "  record     missing in " + format_count(summary.num_files - summary.num_records) + " of " +
            counted(summary.num_files, "file", "files") + ": that of the output does not tell all\n";
  for (const std::string& problem : summary.skipped) text += "  left out   " + shown(problem) + "\n";
  return text;
}

std::string to_json(const MergeReport& report) {
  const io::MergeSummary& summary = report.summary;
  const nlohmann::ordered_json json{{"output", report.output},
                                    {"histograms", summary.num_histograms},
                                    {"exact", summary.num_exact},
                                    {"partial", summary.num_partial},
                                    {"changed", summary.num_changed},
                                    {"files", summary.num_files},
                                    {"records", summary.num_records},
                                    {"skipped", summary.skipped},
                                    {"bytes_read", summary.bytes_read},
                                    {"bytes_decompressed", summary.bytes_added},
                                    {"bytes_written", summary.bytes_written},
                                    {"compression", io::compression_name(summary.compression.root_number())},
                                    {"threads", report.threads},
                                    {"seconds", report.seconds}};
  // Paths need not be UTF-8, which must not stop the report.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace skimline::skims
