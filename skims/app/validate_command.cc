// SPDX-License-Identifier: BSD-3-Clause
// `skimline validate`: all checks of a run, without running.
#include "commands.h"
#include "config/read/expanded_config.h"
#include "run/validation.h"
#include "shared_options.h"

#include "skimline/skims/config.h"
#include "skimline/skims/config_reader.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kValidateFooter = R"help(
Examples:
  skimline validate analysis.json
  skimline validate analysis.json --set select.0.where="nMuon > 2" --samples "data*"
  skimline validate analysis.json --expand

Checks all that a run checks before it reads events: the config, and every expression, name and type against the
metadata of all files. Lists all mistakes; the exit code is 2 if there are any. With --expand nothing is checked against
files: the config is printed with its included files, overrides, settings, templates and variables put in.)help";

struct ValidateArguments {
  std::string config;
  ConfigOptions options;
  bool expand = false;
};

Action add_validate_options(CLI::App& command) {
  const auto arguments = std::make_shared<ValidateArguments>();
  command.add_option("config", arguments->config, "JSON config")->required();
  add_config_options(command, arguments->options);
  CLI::Option* expand =
      command.add_flag("--expand", arguments->expand, "Print the config with all that it is made of put in");
  for (const char* of_files :
       {"--input", "--samples", "--limit-files", "--limit-events", "--shard", "--cache"})
    expand->excludes(command.get_option(of_files));
  return [arguments](const Session&) -> Outcome {
    if (arguments->expand) return {.text = expanded_config(arguments->config, arguments->options.sets)};
    const std::shared_ptr<const Config> config = read_config(arguments->config, arguments->options);
    return {.text = to_text(validate(*config)), .is_result = false};
  };
}

}  // namespace

const Command kValidateCommand{"validate", "Check a config against all its files, without running it",
                               kValidateFooter, false, add_validate_options};

}  // namespace skimline::skims
