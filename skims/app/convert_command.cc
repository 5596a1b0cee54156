// SPDX-License-Identifier: BSD-3-Clause
// `skimline convert`: TTrees as an RNTuple.
#include "commands.h"
#include "log.h"
#include "progress.h"
#include "shared_options.h"

#include "skimline/skims/convert.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>

namespace skimline::skims {
namespace {

constexpr const char* kConvertFooter = R"help(
Examples:
  skimline convert nano.root:Events -o events.root
  skimline convert part1.root part2.root -o all.root --compression zstd:9
  skimline convert tuple.root:dir/DecayTree -o tuple_rntuple.root --name DecayTree
  skimline convert nano.root:Events -o events.parquet
  skimline convert nano.root -o muons.root --keep run 'Muon_*' nMuon --drop '*_mvaId'

Writes the columns of TTrees, or of RNTuples, into one RNTuple, entries in the order of the inputs. Columns with a
common counter, such as Jet_pt[nJet] and Jet_eta[nJet], become one collection "Jet"; they keep their own names as
well. With --collections vectors they are lists by themselves. "Runs" and "LuminosityBlocks" beside the events are converted too. Columns that cannot be read, or that not all
inputs have, are left out with a warning and exit code 3, unless --drop or --columns-in-common say so. Names that no
field can have get underscores, and the program says which. An output that ends with .parquet, .arrow or .feather is a
file of Parquet or Arrow, for which the program of the Python package is needed; such files are inputs, too.)help";

struct ConvertArguments {
  ConvertOptions options;
  std::string compression = "auto";
  std::string progress = "auto";
  std::string collections = "records";
  bool force = false;
  int threads = 0;
};

Outcome convert(const ConvertArguments& arguments, const Session& session) {
  Progress progress(progress_style(arguments.progress, session.log), "events");
  ConvertOptions options = arguments.options;
  options.settings.compression = io::parse_writer_compression(arguments.compression);
  options.threads = granted_threads(arguments.threads);
  options.stop = session.stop;
  options.overwrites = arguments.force;
  options.has_records = arguments.collections == "records";
  options.progress = [&](std::uint64_t done, std::uint64_t total) { progress.show(done, total); };
  const ConvertReport report = skims::convert(options);
  progress.finish();
  for (const std::string& warning : report.warnings) log_marked(spdlog::level::warn, warning);
  return {to_text(report), report.is_complete() ? kDone : kIncomplete, false};
}

Action add_convert_options(CLI::App& command) {
  const auto arguments = std::make_shared<ConvertArguments>();
  ConvertOptions& options = arguments->options;
  add_cache(command);
  command
      .add_option("inputs", options.inputs,
                  "ROOT files, or file:name for one TTree; several are read one after the other")
      ->required();
  command.add_option("-o,--output", options.output, "File to write")->required();
  add_force(command, arguments->force);
  command.add_option("--name", options.ntuple_name,
                     "Name of the RNTuple, that of the first input by default");
  command.add_option("--keep", options.keep,
                     "Columns to write, names or patterns with * and ?; all by default");
  command.add_option("--drop", options.drop, "Of these, columns to leave out");
  command.add_flag("--columns-in-common", options.has_only_common_columns,
                   "Leave out columns that not all inputs have, or not alike, without a warning");
  command
      .add_option(
          "--collections", arguments->collections,
          "What becomes of lists that belong together: records, one list of records; vectors, lists by "
          "themselves, of which ROOT's RDataFrame takes snapshots")
      ->check(CLI::IsMember({"records", "vectors"}))
      ->capture_default_str();
  add_compression(command, arguments->compression);
  command.add_flag("--allow-duplicates", options.allows_duplicates,
                   "Write entries of files that are copies of each other as often as they are given");
  command.add_flag("--require-checksums", options.requires_checksums,
                   "Fail when pages or baskets are read that have no checksum");
  command.add_option("--checksum-folder", options.checksum_folder,
                     "Folder of the inputs' files of checksums, instead of their own");
  add_threads(command, arguments->threads);
  add_progress(command, arguments->progress);
  return [arguments](const Session& session) { return convert(*arguments, session); };
}

}  // namespace

const Command kConvertCommand{"convert", "Turn TTrees into an RNTuple", kConvertFooter, true,
                              add_convert_options};

}  // namespace skimline::skims
