// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/convert.h"

#include "nano_runs.h"
#include "text_table.h"
#include "written_entries.h"

#include "skimline/framework/error.h"
#include "skimline/io/file_identity.h"
#include "skimline/io/input_copies.h"
#include "skimline/io/job_mark.h"
#include "skimline/skims/replaced_files.h"
#include "skimline/skims/shown_text.h"

#include <chrono>
#include <memory>

namespace skimline::skims {
namespace {

std::vector<io::InputLocation> locations_of(const ConvertOptions& options) {
  std::vector<io::InputLocation> locations;
  io::FilesInUse inputs;
  for (const std::string& input : options.inputs) {
    locations.push_back(io::parse_location(input));
    inputs.add(locations.back().path, "an input");
  }
  if (inputs.find(options.output)) throw ConfigError(options.output + ": is an input and the output");
  return locations;
}

void check_copies(const io::InputSource& source) {
  const std::vector<io::InputFacts>& files = source.files();
  const std::vector<std::size_t> first_of = io::find_copies(files);
  std::vector<std::string> pairs;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (first_of[i] != i) pairs.push_back("\"" + files[i].path + "\" of \"" + files[first_of[i]].path + "\"");
  if (!pairs.empty())
    throw ConfigError("entries would be written twice, as inputs are copies of others: " + first_few(pairs) +
                      "; --allow-duplicates writes them all the same");
}

std::string last_part(const std::string& name) { return name.substr(name.rfind('/') + 1); }

}  // namespace

ConvertReport convert(const ConvertOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<io::InputLocation> locations = locations_of(options);
  const std::string job = job_called("convert " + options.ntuple_name, options.inputs);
  if (!options.overwrites) check_replaced(options.output, job);
  io::InputOptions input;
  input.requires_checksums = options.requires_checksums;
  input.checksum_folder = options.checksum_folder;
  const std::unique_ptr<io::InputSource> source = io::open_inputs(locations, input);
  if (!options.allows_duplicates) check_copies(*source);
  ConvertReport report;
  report.path = options.output;
  report.ntuple_name =
      options.ntuple_name.empty() ? last_part(source->files().front().name) : options.ntuple_name;
  report.differences = source->differences();

  io::RootFileWriter file(options.output, {"ROOT::RNTuple"});
  WriteOptions write;
  write.threads = options.threads;
  write.stop = options.stop;
  write.compression = options.compression;
  if (options.progress)
    write.progress = [&](std::uint64_t done) { options.progress(done, source->num_entries()); };
  WrittenEntries written = write_entries(*source, report.ntuple_name, file, write);
  std::uint64_t content_hash = written.content_hash;
  report.num_entries = written.num_entries;
  report.num_columns = written.num_columns;
  report.warnings = std::move(written.warnings);

  for (std::size_t i = 0; i < locations.size(); ++i) locations[i].name = source->files()[i].name;
  write.progress = {};
  for (const char* name : kCarriedNTuples) {
    if (report.ntuple_name == name) continue;
    const auto carried = carry_ntuple(locations, name, file, write, input);
    if (!carried) continue;
    content_hash = content_hash * 31 + carried->content_hash;
    report.warnings.insert(report.warnings.end(), carried->warnings.begin(), carried->warnings.end());
  }
  source->check_unchanged();
  report.bytes_read = source->statistics().bytes_read;
  report.file_bytes = file.commit(content_hash);
  io::mark_as_output(options.output, job);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

std::string to_text(const ConvertReport& report) {
  std::string text;
  for (const std::string& difference : report.differences) text += shown(difference) + "\n";
  for (const std::string& warning : report.warnings) text += shown(warning) + "\n";
  return text + shown(report.path + ":" + report.ntuple_name) + ": " + format_count(report.num_entries) +
         (report.num_entries == 1 ? " entry, " : " entries, ") + std::to_string(report.num_columns) +
         " columns, " + format_bytes(report.file_bytes) + " of " + format_bytes(report.bytes_read) +
         " read, in " + format_fixed(report.seconds, 2) + " s\n";
}

}  // namespace skimline::skims
