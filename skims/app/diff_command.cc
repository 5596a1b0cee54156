// SPDX-License-Identifier: BSD-3-Clause
// `skimline diff`: in what two files of histograms or events differ.
#include "commands.h"
#include "shared_options.h"

#include "skimline/skims/diff.h"
#include "skimline/skims/event_key.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kDiffFooter = R"help(
Examples:
  skimline diff before.root after.root
  skimline diff skim.root old/skim.root
  skimline diff tree.root:Events ntuple.root:Events --include 'Muon_*'
  skimline diff --by run,luminosityBlock,event skim.root shuffled.root
  skimline diff --relative 1e-12 --ignore-record reference.json histograms.root

Compares histograms by name: bins, labels, entries and all cells, flow cells included; RNTuples and TTrees by name:
columns, types, entries and all values, event by event; and the records of the runs: configs, samples, inputs and
cutflows. Exit code 0 if all is equal, 4 if anything differs, and 3 if nothing does but columns or histograms cannot be read, or
other objects, such as graphs, are not the same. The first differences of each histogram and column are printed.)help";

struct DiffArguments {
  DiffOptions options;
  std::string key;
  bool as_json = false;
};

Outcome compare(const DiffArguments& arguments) {
  DiffOptions options = arguments.options;
  if (!arguments.key.empty()) options.key = key_expressions(arguments.key);
  const DiffReport report = diff(options);
  const ExitCode if_equal = report.has_all() ? kDone : kIncomplete;
  return {arguments.as_json ? to_json(report) : to_text(report), report.are_equal() ? if_equal : kDifferent};
}

Action add_diff_options(CLI::App& command) {
  const auto arguments = std::make_shared<DiffArguments>();
  DiffOptions& options = arguments->options;
  command
      .add_option("first", options.left,
                  "ROOT file, file:name for one of its RNTuples or TTrees, or JSON of UHI")
      ->required();
  command.add_option("second", options.right, "The other one")->required();
  command
      .add_option("--include", options.include,
                  "Only histograms and columns whose name matches; * and ? are understood")
      ->allow_extra_args(false);
  command
      .add_option("--relative", options.relative,
                  "Numbers are equal that differ by no more than this part of the larger one")
      ->check(CLI::Range(0.0, 1.0))
      ->check([](const std::string& text) {  // which no range leaves out
        return text.find_first_of("nN") == std::string::npos ? std::string() : text + " is no number";
      });
  command
      .add_option("--ulps", options.ulps,
                  "And those that so many steps part, from one number of their type to the next")
      ->check(problem_of_count);
  command.add_option("--by", arguments->key,
                     "Match events by a key instead of by their order: columns or expressions with commas "
                     "between them, such as run,luminosityBlock,event");
  command.add_flag("--ignore-record", options.ignores_record, "Do not compare the records of the runs");
  command.add_flag("--json", arguments->as_json, "Print JSON instead of text");
  add_cache(command);
  add_threads(command, options.threads);
  return [arguments](const Session&) { return compare(*arguments); };
}

}  // namespace

const Command kDiffCommand{"diff", "Say in what two files of histograms or events differ", kDiffFooter, false,
                           add_diff_options};

}  // namespace skimline::skims
