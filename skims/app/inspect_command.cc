// SPDX-License-Identifier: BSD-3-Clause
// `skimline inspect`: what is in a file.
#include "commands.h"
#include "shared_options.h"

#include "skimline/skims/file_contents.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <unistd.h>

namespace skimline::skims {
namespace {

constexpr const char* kInspectFooter = R"help(
Examples:
  skimline inspect dimuon.root                      RNTuples, TTrees, histograms and other objects of the file
  skimline inspect dimuon.root:Events               one of them
  skimline inspect dimuon.root 'Muon_*' MET_pt      only these columns and histograms
  skimline inspect --head 5 --ranges dimuon.root 'Muon_*'
  skimline inspect --json dimuon.root | jq '.ntuples[0].columns'

Events are not read, only their metadata, unless --head or --ranges asks for values. Histograms are read.)help";

struct InspectArguments {
  std::string location;
  ContentsOptions options;
  bool as_json = false, as_ascii = false;
};

// A terminal whose locale is another one shows nothing but ASCII.
bool shows_blocks() {
  if (isatty(STDOUT_FILENO) == 0) return true;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view locale = value;
    return locale.find("UTF-8") != locale.npos || locale.find("utf8") != locale.npos;
  }
  return true;
}

Outcome inspect(const InspectArguments& arguments) {
  const FileContents contents = inspect_contents(arguments.location, arguments.options);
  return {arguments.as_json ? to_json(contents) : to_text(contents, !arguments.as_ascii && shows_blocks())};
}

Action add_inspect_options(CLI::App& command) {
  const auto arguments = std::make_shared<InspectArguments>();
  ContentsOptions& options = arguments->options;
  command
      .add_option("file", arguments->location, "ROOT file or UHI JSON, or file:name for one RNTuple or TTree")
      ->required();
  command.add_option("patterns", options.patterns,
                     "Only columns and histograms whose names match; * and ? are understood");
  command.add_option("--head", options.head, "Show the values of so many entries, the first ones")
      ->check(CLI::Range(0, 1000));
  command.add_flag("--ranges", options.has_ranges,
                   "Read all values, and show the smallest, the largest and those that are not numbers");
  command.add_flag("--ascii", arguments->as_ascii, "Only ASCII characters for the contents of histograms");
  command.add_flag("--json", arguments->as_json, "Print JSON instead of tables");
  add_cache(command);
  add_threads(command, options.threads);
  return [arguments](const Session&) { return inspect(*arguments); };
}

}  // namespace

const Command kInspectCommand{"inspect", "Show the columns, histograms, clusters and sizes of a file",
                              kInspectFooter, false, add_inspect_options};

}  // namespace skimline::skims
