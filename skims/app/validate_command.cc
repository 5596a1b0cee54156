// SPDX-License-Identifier: BSD-3-Clause
#include "validate_command.h"

#include "config_options.h"
#include "run/validation.h"

#include "skimline/skims/config_reader.h"
#include "skimline/skims/job.h"
#include "skimline/skims/replaced_files.h"

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kValidateFooter = R"help(
Examples:
  skimline validate analysis.json
  skimline validate analysis.json --set select.0.where="nMuon > 2" --samples "data*"

Checks all that a run checks before it reads events: the config, and every expression, name and type against the
metadata of all files. Lists all mistakes; the exit code is 2 if there are any.)help";

}  // namespace

void add_validate(CLI::App& program, CommandLine& line) {
  CLI::App* command =
      program.add_subcommand("validate", "Check a config against all its files, without running it");
  command->add_option("config", line.config, "JSON config")->required();
  add_config_options(*command, line.options);
  command->footer(kValidateFooter);
  command->callback([&line] { line.command = Command::kValidate; });
}

Outcome validate(const CommandLine& line) {
  return {to_text(validate(read_config(line.config, line.options)))};
}

Outcome dry_run(const CommandLine& line) {
  const Config config = read_config(line.config, line.options);
  JobOptions options;
  options.writes_report = true;
  options.overwrites = line.force;
  check_replaced(config, options);
  Validation validation = validate(config);
  validation.warnings.clear();  // the plan has them too
  return {to_text(validation) + "\n" + to_text(plan_job(config, line.threads))};
}

}  // namespace skimline::skims
