// SPDX-License-Identifier: BSD-3-Clause
// `skimline merge`: the RNTuples, TTrees and histograms of many files in one.
#include "commands.h"
#include "progress.h"
#include "shared_options.h"

#include "skimline/framework/error.h"
#include "skimline/io/file_identity.h"
#include "skimline/skims/merge.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kMergeFooter = R"help(
Examples:
  skimline merge all.root run1.root run2.root
  skimline merge skim.root part*.root             skims, cluster by cluster as they are stored
  skimline merge all.root @files.txt              one path in each line of files.txt
  skimline merge --include 'muons/*' --exclude '*_debug' muons.root run*.root
  skimline merge --skip-bad all.root run*.root    leaves out what cannot be read; exit code 3 then

Histograms with the same path are added: TH1, TH2 and TH3 of every kind of number, profiles, THnSparse and THn.
Those that skimline wrote are added exactly: the result is that of one run over all events, byte for byte.
Their records of inputs and cutflows are merged too; inputs that were made from the same entries are an error.
RNTuples with the same path follow each other, whoever wrote them. --method clone shares their clusters by the file
system (XFS, Btrfs), kernel lets the system copy them, copy verifies and copies pages as they are stored, rewrite
encodes them anew. Without it, the first that is possible of clone and copy.
TTrees with equal branches follow each other basket by basket as stored, each decompressed first to find damage.
Parameters are merged as ROOT does; other small objects are kept if they are equal.)help";

struct MergeArguments {
  std::string output;
  std::vector<std::string> inputs;  ///< or lists, "@list"
  std::vector<std::string> include, exclude;
  std::string compression;  ///< empty: as the inputs suggest
  bool skip_bad = false;
  bool allow_overlap = false;
  bool incomplete = false;
  bool keep_order = false;
  std::string method, missing_fields = "error";
  std::string cluster_size;
  bool verify = false, no_verify = false;
  bool allow_changed = false;
  bool requires_checksums = false;
  bool as_json = false;
  std::string progress = "auto";
  bool force = false;
  int threads = 0;
};

void check_lists(const MergeArguments& arguments) {
  for (const std::string& input : arguments.inputs)
    if (io::FilesInUse lists; input.starts_with('@')) {
      lists.add(input.substr(1), "a list");
      if (lists.find(arguments.output))
        throw ConfigError("the output \"" + arguments.output + "\" is also a list of inputs");
    }
}

void set_merge_of_ntuples(const MergeArguments& arguments, io::MergeOptions& options) {
  skims::set_ntuple_options(options, arguments.method, arguments.missing_fields, arguments.cluster_size);
  if (arguments.verify || arguments.no_verify) options.verifies = arguments.verify;
}

Outcome merge(const MergeArguments& arguments, const Session& session) {
  const int threads = granted_threads(arguments.threads);
  check_lists(arguments);
  Progress progress(progress_style(arguments.progress, session.log), "objects");
  skims::MergeRequest request;
  request.threads = threads;
  request.allow_overlap = arguments.allow_overlap;
  request.overwrites = arguments.force;
  request.keeps_order = arguments.keep_order;
  request.allows_missing = arguments.incomplete;
  io::MergeOptions& options = request.options;
  set_merge_of_ntuples(arguments, options);
  options.inputs = expand_lists(arguments.inputs);
  options.output = arguments.output;
  options.include = arguments.include;
  options.exclude = arguments.exclude;
  options.allow_changed = arguments.allow_changed;
  options.requires_checksums = arguments.requires_checksums;
  options.skip_bad = arguments.skip_bad;
  if (!arguments.compression.empty()) options.compression = io::parse_compression(arguments.compression);
  options.stop = session.stop;
  options.progress = [&](std::uint64_t done, std::uint64_t total) { progress.show(done, total); };
  const MergeReport report = skims::merge(std::move(request));
  progress.finish();
  const bool is_whole = report.summary.skipped.empty() && report.missing.empty() && report.left_out.empty();
  return {arguments.as_json ? to_json(report) : to_text(report), is_whole ? kDone : kIncomplete,
          arguments.as_json};
}

Action add_merge_options(CLI::App& command) {
  const auto arguments = std::make_shared<MergeArguments>();
  command.add_option("output", arguments->output, "File to write")->required();
  add_force(command, arguments->force);
  add_cache(command);
  command.add_option("inputs", arguments->inputs, "ROOT files, or @list for a file with their paths")
      ->required();
  command
      .add_option("--include", arguments->include,
                  "Only objects whose path in the file matches; * and ? are understood")
      ->allow_extra_args(false);
  command.add_option("--exclude", arguments->exclude, "No objects whose path matches")
      ->allow_extra_args(false);
  command.add_flag("--skip-bad", arguments->skip_bad, "Leave out inputs that cannot be read");
  command.add_flag("--allow-overlap", arguments->allow_overlap,
                   "Merge also what was made from the same entries of an input");
  command.add_flag("--incomplete", arguments->incomplete,
                   "Merge skims also if shards or files of them are missing; exit code 3");
  command.add_flag(
      "--keep-order", arguments->keep_order,
      "Entries follow each other in the order of the inputs, not in that of the run they are of");
  command.add_option("--method", arguments->method, "How RNTuples get into the output")
      ->check(CLI::IsMember(merge_methods()));
  command
      .add_option("--missing-fields", arguments->missing_fields,
                  "What becomes of fields that some inputs lack")
      ->check(CLI::IsMember(missing_fields_choices()))
      ->capture_default_str();
  command.add_option("--cluster-size", arguments->cluster_size,
                     "Join clusters that take no more in memory, such as \"64 MiB\"; 16 MiB by default. With "
                     "--method rewrite cut larger ones too; 128 MiB by default");
  CLI::Option* verify = command.add_flag("--verify", arguments->verify,
                                         "Compare the checksums of all pages, also by clone and kernel");
  command
      .add_flag("--no-verify", arguments->no_verify,
                "Do not compare the checksums of pages that are copied, nor decompress baskets")
      ->excludes(verify);
  command.add_flag("--allow-changed", arguments->allow_changed,
                   "Merge also histograms of skimline that another program changed, as they are now; without "
                   "it they are damaged");
  command
      .add_flag("--require-checksums", arguments->requires_checksums,
                "Refuse inputs whose histograms have no checksums: those that skimline did not write")
      ->excludes("--allow-changed");
  command.add_option(
      "--compression", arguments->compression,
      std::string(kCompressions) + "; by default zstd:5 for files that skimline wrote and zstd:1 for others");
  command.add_flag("--json", arguments->as_json, "Print JSON instead of text");
  add_threads(command, arguments->threads);
  add_progress(command, arguments->progress);
  return [arguments](const Session& session) { return merge(*arguments, session); };
}

}  // namespace

const Command kMergeCommand{"merge", "Merge the RNTuples, TTrees and histograms of many files into one",
                            kMergeFooter, true, add_merge_options};

}  // namespace skimline::skims
