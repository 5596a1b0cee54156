// SPDX-License-Identifier: BSD-3-Clause
// `skimline inspect`: what is in a file.
#include "commands.h"
#include "shared_options.h"

#include "skimline/skims/inspection.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kInspectFooter = R"help(
Examples:
  skimline inspect dimuon.root            all RNTuples of the file
  skimline inspect dimuon.root:Events     one of them
  skimline inspect --json dimuon.root | jq '.ntuples[0].columns')help";

struct InspectArguments {
  std::string location;
  bool as_json = false;
};

Outcome inspect(const InspectArguments& arguments) {
  const FileInspection inspection = inspect_file(arguments.location);
  return {arguments.as_json ? to_json(inspection) : to_text(inspection)};
}

Action add_inspect_options(CLI::App& command) {
  const auto arguments = std::make_shared<InspectArguments>();
  command.add_option("file", arguments->location, "ROOT file, or file:name for one RNTuple")->required();
  command.add_flag("--json", arguments->as_json, "Print JSON instead of tables");
  add_cache(command);
  return [arguments](const Session&) { return inspect(*arguments); };
}

}  // namespace

const Command kInspectCommand{"inspect", "Show the fields, columns, clusters and sizes of a file",
                              kInspectFooter, false, add_inspect_options};

}  // namespace skimline::skims
