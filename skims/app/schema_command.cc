// SPDX-License-Identifier: BSD-3-Clause
#include "schema_command.h"

#include "config_schema.h"

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kFooter = R"help(
Examples:
  skimline schema > skimline-1.schema.json
  skimline schema | jq '.properties | keys'

Editors complete and check a config that names the file in its key "$schema".)help";

}  // namespace

void add_schema(CLI::App& program, CommandLine& line) {
  CLI::App* command = program.add_subcommand("schema", "Print the JSON Schema of configs");
  command->footer(kFooter);
  command->callback([&line] { line.command = Command::kSchema; });
}

Outcome schema() { return {kConfigSchema}; }

}  // namespace skimline::skims
