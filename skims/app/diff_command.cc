// SPDX-License-Identifier: BSD-3-Clause
// `skimline diff`: in what two files of histograms differ.
#include "commands.h"

#include "skimline/skims/diff.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kDiffFooter = R"help(
Examples:
  skimline diff before.root after.root
  skimline diff --relative 1e-12 --ignore-record reference.json histograms.root
  skimline diff --include 'met*' a.root b.root

Compares histograms by name: bins, labels, entries and all cells, flow cells included, and the records of the runs:
configs, samples, inputs and cutflows. Exit code 0 if all is equal, 4 if anything differs; the first differences of
each histogram are printed.)help";

struct DiffArguments {
  DiffOptions options;
  bool as_json = false;
};

Outcome compare(const DiffArguments& arguments) {
  const DiffReport report = diff(arguments.options);
  return {arguments.as_json ? to_json(report) : to_text(report), report.are_equal() ? kDone : kDifferent};
}

Action add_diff_options(CLI::App& command) {
  const auto arguments = std::make_shared<DiffArguments>();
  DiffOptions& options = arguments->options;
  command.add_option("first", options.left, "File of histograms: ROOT, or JSON of UHI")->required();
  command.add_option("second", options.right, "The other one")->required();
  command
      .add_option("--include", options.include, "Only histograms whose name matches; * and ? are understood")
      ->allow_extra_args(false);
  command
      .add_option("--relative", options.relative,
                  "Numbers are equal that differ by no more than this part of the larger one")
      ->check(CLI::Range(0.0, 1.0));
  command.add_option("--ulps", options.ulps, "And those with no more than so many doubles in between");
  command.add_flag("--ignore-record", options.ignores_record, "Compare histograms only");
  command.add_flag("--json", arguments->as_json, "Print JSON instead of text");
  return [arguments](const Session&) { return compare(*arguments); };
}

}  // namespace

const Command kDiffCommand{"diff", "Say in what two files of histograms differ", kDiffFooter, false,
                           add_diff_options};

}  // namespace skimline::skims
