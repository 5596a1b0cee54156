// SPDX-License-Identifier: BSD-3-Clause
// `skimline show`: how files were made.
#include "commands.h"
#include "shared_options.h"

#include "skimline/framework/error.h"
#include "skimline/skims/show.h"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kShowFooter = R"help(
Examples:
  skimline show histograms.root
  skimline show --config skim.root              with the config it was made by
  skimline show --json skims/*.root | jq '.files[] | {file, samples: [.record.samples[].sum_weights]}'

Shows of each file that skimline wrote: the samples with their normalisation and cutflow, the inputs, and which of
their entries were processed.)help";

struct ShowArguments {
  std::vector<std::string> files;
  bool has_configs = false;
  bool as_json = false;
};

Outcome show(const ShowArguments& arguments) {
  const ShowReport report = read_records(arguments.files);
  if (!arguments.as_json && !report.has_records()) throw Error(problems_of(report));
  return {arguments.as_json ? to_json(report) : to_text(report, arguments.has_configs),
          report.is_complete() ? kDone : kFailed};
}

Action add_show_options(CLI::App& command) {
  const auto arguments = std::make_shared<ShowArguments>();
  command.add_option("files", arguments->files, "ROOT files that skimline wrote")->required();
  command.add_flag("--config", arguments->has_configs, "Show the configs too");
  add_cache(command);
  command.add_flag("--json", arguments->as_json, "Print JSON instead of text");
  return [arguments](const Session&) { return show(*arguments); };
}

}  // namespace

const Command kShowCommand{"show", "Show what output files say about how they were made", kShowFooter, false,
                           add_show_options};

}  // namespace skimline::skims
