// SPDX-License-Identifier: BSD-3-Clause
// `skimline upgrade`: a config in the form of the newest schema version.
#include "base/text_file.h"
#include "commands.h"
#include "config/read/config_upgrade.h"
#include "config/read/schema_version.h"

#include "skimline/io/output_file.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kUpgradeFooter = R"help(
Examples:
  skimline upgrade analysis.json
  skimline upgrade analysis.json --write

Shows what a config of an older "schema_version" must say for this program, and lists all that is unknown in it or wrong: the exit
code is 2 then. Comments and blanks stay. Input files are not looked for, which "skimline validate" does.)help";

struct UpgradeArguments {
  std::string config;
  bool writes = false;
};

std::string blanks_removed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

std::string described(const std::string& path, const std::string& text, const ConfigChange& change) {
  const auto& [begin, end] = change.location;
  std::string told = place_text(text_of_one_part(path, text), change.location) + ": " + change.reason + "\n";
  if (begin != end) told += "  - " + blanks_removed(text.substr(begin, end - begin)) + "\n";
  return told + "  + " + blanks_removed(change.text) + "\n";
}

Outcome upgrade(const UpgradeArguments& arguments) {
  const std::string& path = arguments.config;
  const std::string text = read_text_file(path);
  const UpgradedConfig upgraded = upgrade_config(path, text);
  const std::string version = std::to_string(kSchemaVersion);
  if (upgraded.changes.empty())
    return {.text = path + ": is of \"schema_version\" " + version + ", the newest: nothing to change\n"};
  std::string told;
  for (const ConfigChange& change : upgraded.changes) told += described(path, text, change);
  if (!arguments.writes) return {.text = told + "--write changes the file\n"};
  io::OutputFile file(path);
  file.write(0, std::as_bytes(std::span(upgraded.text)));
  file.commit(upgraded.text.size());
  return {.text = told + "wrote " + path + "\n", .is_result = false};
}

Action add_upgrade_options(CLI::App& command) {
  const auto arguments = std::make_shared<UpgradeArguments>();
  command.add_option("config", arguments->config, "JSON config")->required();
  command.add_flag("--write", arguments->writes, "Change the file");
  return [arguments](const Session&) { return upgrade(*arguments); };
}

}  // namespace

const Command kUpgradeCommand{"upgrade", "Show how an older config must change for this program",
                              kUpgradeFooter, true, add_upgrade_options};

}  // namespace skimline::skims
