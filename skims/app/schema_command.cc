// SPDX-License-Identifier: BSD-3-Clause
// `skimline schema`: the JSON Schema of configs.
#include "commands.h"
#include "config_schema.h"

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kSchemaFooter = R"help(
Examples:
  skimline schema > skimline-1.schema.json
  skimline schema | jq '.properties | keys'

Editors complete and check a config that names the file in its key "$schema".)help";

Action add_schema_options(CLI::App&) {
  return [](const Session&) { return Outcome{kConfigSchema}; };
}

}  // namespace

const Command kSchemaCommand{"schema", "Print the JSON Schema of configs", kSchemaFooter, false,
                             add_schema_options};

}  // namespace skimline::skims
