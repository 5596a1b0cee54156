// SPDX-License-Identifier: BSD-3-Clause
#include "merge_command.h"

#include "progress.h"

#include "skimline/framework/error.h"
#include "skimline/io/file_identity.h"
#include "skimline/skims/merge.h"

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kMergeFooter = R"help(
Examples:
  skimline merge all.root run1.root run2.root
  skimline merge all.root @files.txt              one path in each line of files.txt
  skimline merge --include 'muons/*' --exclude '*_debug' muons.root run*.root
  skimline merge --skip-bad all.root run*.root    leaves out what cannot be read; exit code 3 then

Histograms with the same path are added: TH1, TH2 and TH3 of every kind of number, profiles, THnSparse and THn.
Those that skimline wrote are added exactly: the result is that of one run over all events, byte for byte.
Their records of inputs and cutflows are merged too; inputs that were made from the same entries are an error.
RNTuples and trees cannot be merged yet.)help";

}  // namespace

void add_merge(CLI::App& program, CommandLine& line) {
  CLI::App* command = program.add_subcommand("merge", "Add the histograms of many files into one");
  MergeArguments& arguments = line.merge;
  command->add_option("output", arguments.output, "File to write")->required();
  add_force(*command, line);
  command->add_option("inputs", arguments.inputs, "ROOT files, or @list for a file with their paths")
      ->required();
  command
      ->add_option("--include", arguments.include,
                   "Only objects whose path in the file matches; * and ? are understood")
      ->allow_extra_args(false);
  command->add_option("--exclude", arguments.exclude, "No objects whose path matches")
      ->allow_extra_args(false);
  command->add_flag("--skip-bad", arguments.skip_bad, "Leave out inputs that cannot be read");
  command->add_flag("--allow-overlap", arguments.allow_overlap,
                    "Merge also what was made from the same entries of an input");
  command->add_flag(
      "--allow-changed", arguments.allow_changed,
      "Merge also histograms of skimline that another program changed, as they are now; without "
      "it they are damaged");
  command
      ->add_flag("--require-checksums", arguments.requires_checksums,
                 "Refuse inputs whose histograms have no checksums: those that skimline did not write")
      ->excludes("--allow-changed");
  command->add_option(
      "--compression", arguments.compression,
      "none, zstd:1 to zstd:19, lz4:1 to lz4:12, zlib:1 to zlib:9, lzma:1 to lzma:9; by default "
      "zstd:5 for files that skimline wrote and zstd:1 for others");
  command->add_flag("--json", line.as_json, "Print JSON instead of text");
  command
      ->add_option("-j,--threads", line.threads,
                   "Threads to use; 0 means one per core. Results do not change")
      ->check(CLI::Range(0, 4096));
  add_progress(*command, line);
  command->footer(kMergeFooter);
  command->callback([&line] { line.command = Command::kMerge; });
}

Outcome merge(const CommandLine& line, const std::atomic<bool>& stop) {
  for (const std::string& input : line.merge.inputs)
    if (io::FilesInUse lists; input.starts_with('@')) {
      lists.add(input.substr(1), "a list");
      if (lists.find(line.merge.output))
        throw ConfigError("the output \"" + line.merge.output + "\" is also a list of inputs");
    }
  Progress progress(progress_style(line.progress, line.log.is_quiet), "histograms");
  io::MergeOptions options;
  options.inputs = expand_lists(line.merge.inputs);
  options.output = line.merge.output;
  options.include = line.merge.include;
  options.exclude = line.merge.exclude;
  options.allow_changed = line.merge.allow_changed;
  options.requires_checksums = line.merge.requires_checksums;
  options.skip_bad = line.merge.skip_bad;
  if (!line.merge.compression.empty()) options.compression = io::parse_compression(line.merge.compression);
  options.stop = &stop;
  options.progress = [&](std::uint64_t done, std::uint64_t total) { progress.show(done, total); };
  const MergeReport report = merge(std::move(options), line.threads, line.merge.allow_overlap, line.force);
  progress.finish();
  return {line.as_json ? to_json(report) : to_text(report),
          report.summary.skipped.empty() ? kDone : kIncomplete};
}

}  // namespace skimline::skims
