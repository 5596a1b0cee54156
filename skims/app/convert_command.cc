// SPDX-License-Identifier: BSD-3-Clause
#include "convert_command.h"

#include "log.h"
#include "progress.h"

#include "skimline/skims/convert.h"

#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>

namespace skimline::skims {
namespace {

constexpr const char* kConvertFooter = R"help(
Examples:
  skimline convert nano.root:Events -o events.root
  skimline convert part1.root part2.root -o all.root --compression zstd:9
  skimline convert tuple.root:dir/DecayTree -o tuple_rntuple.root --name DecayTree
  skimline convert nano.root -o muons.root --keep run 'Muon_*' nMuon --drop '*_mvaId'

Writes the columns of TTrees, or of RNTuples, into one RNTuple, entries in the order of the inputs. Columns with a
common counter, such as Jet_pt[nJet] and Jet_eta[nJet], become one collection "Jet"; they keep their own names as
well. "Runs" and "LuminosityBlocks" beside the events are converted too. Columns that cannot be read, or that not all
inputs have, are left out with a warning and exit code 3, unless --drop or --columns-in-common say so. Names that no
field can have get underscores, and the program says which.)help";

}  // namespace

void add_convert(CLI::App& program, CommandLine& line) {
  CLI::App* command = program.add_subcommand("convert", "Turn TTrees into an RNTuple");
  ConvertOptions& options = line.convert;
  command
      ->add_option("inputs", options.inputs,
                   "ROOT files, or file:name for one TTree; several are read one after the other")
      ->required();
  command->add_option("-o,--output", options.output, "File to write")->required();
  add_force(*command, line);
  command->add_option("--name", options.ntuple_name,
                      "Name of the RNTuple, that of the first input by default");
  command->add_option("--keep", options.keep,
                      "Columns to write, names or patterns with * and ?; all by default");
  command->add_option("--drop", options.drop, "Of these, columns to leave out");
  command->add_flag("--columns-in-common", options.has_only_common_columns,
                    "Leave out columns that not all inputs have, or not alike, without a warning");
  command
      ->add_option("--compression", line.compression,
                   "none, zstd:1 to zstd:19, lz4:1 to lz4:12, zlib:1 to zlib:9, lzma:1 to lzma:9")
      ->capture_default_str();
  command->add_flag("--allow-duplicates", options.allows_duplicates,
                    "Write entries of files that are copies of each other as often as they are given");
  command->add_flag("--require-checksums", options.requires_checksums,
                    "Fail when pages or baskets are read that have no checksum");
  command->add_option("--checksum-folder", options.checksum_folder,
                      "Folder of the inputs' files of checksums, instead of their own");
  command
      ->add_option("-j,--threads", line.threads,
                   "Threads to use; 0 means one per core. Results do not change")
      ->check(CLI::Range(0, 4096));
  add_progress(*command, line);
  command->footer(kConvertFooter);
  command->callback([&line] { line.command = Command::kConvert; });
}

Outcome convert(const CommandLine& line, const std::atomic<bool>& stop) {
  Progress progress(progress_style(line.progress, line.log.is_quiet), "events");
  ConvertOptions options = line.convert;
  options.compression = io::parse_compression(line.compression);
  options.threads = line.threads;
  options.stop = &stop;
  options.overwrites = line.force;
  options.progress = [&](std::uint64_t done, std::uint64_t total) { progress.show(done, total); };
  const ConvertReport report = convert(options);
  progress.finish();
  for (const std::string& warning : report.warnings) log_marked(spdlog::level::warn, warning);
  return {to_text(report), report.is_complete() ? kDone : kIncomplete};
}

}  // namespace skimline::skims
