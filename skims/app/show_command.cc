// SPDX-License-Identifier: BSD-3-Clause
#include "show_command.h"

#include "skimline/framework/error.h"
#include "skimline/skims/show.h"

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

}  // namespace

void add_show(CLI::App& program, CommandLine& line) {
  CLI::App* command = program.add_subcommand("show", "Show what output files say about how they were made");
  command->add_option("files", line.show.files, "ROOT files that skimline wrote")->required();
  command->add_flag("--config", line.show.has_configs, "Show the configs too");
  command->add_flag("--json", line.as_json, "Print JSON instead of text");
  command->footer(kShowFooter);
  command->callback([&line] { line.command = Command::kShow; });
}

Outcome show(const CommandLine& line) {
  const ShowReport report = read_records(line.show.files);
  if (!line.as_json && !report.has_records()) throw Error(problems_of(report));
  return {line.as_json ? to_json(report) : to_text(report, line.show.has_configs),
          report.is_complete() ? kDone : kFailed};
}

}  // namespace skimline::skims
