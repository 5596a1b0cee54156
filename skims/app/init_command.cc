// SPDX-License-Identifier: BSD-3-Clause
// `skimline init`: a config to begin with.
#include "commands.h"
#include "config/read/starter_config.h"
#include "shared_options.h"

#include "skimline/framework/error.h"
#include "skimline/io/input_options.h"
#include "skimline/io/output_file.h"

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kInitFooter = R"help(
Examples:
  skimline init dimuon.root
  skimline init data/run1.root:Events -o analysis.json
  skimline validate analysis.json && skimline run analysis.json

Writes a config with comments: a selection and histograms of some columns of the file, with ranges that suit its
first events, and a skim. A file that is there stays unless --force is given.)help";

namespace fs = std::filesystem;

struct InitArguments {
  std::string location;
  std::string output = "analysis.json";
  bool force = false;
};

void check_output(const InitArguments& arguments) {
  const std::string& path = arguments.output;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw ConfigError("\"" + path + "\" is a folder");
  if (fs::equivalent(path, io::parse_location(arguments.location).path, ignored))
    throw ConfigError("\"" + path + "\" is the data file");
  if (fs::exists(path, ignored) && !arguments.force)
    throw ConfigError("\"" + path + "\" exists; --force replaces it");
}

Outcome init(const InitArguments& arguments) {
  check_output(arguments);
  const std::string text = starter_config(arguments.location, arguments.output);
  io::OutputFile file(arguments.output);
  file.write(0, std::as_bytes(std::span(text)));
  file.commit(text.size());
  return {.text = "wrote " + arguments.output + "\n", .is_result = false};
}

Action add_init_options(CLI::App& command) {
  const auto arguments = std::make_shared<InitArguments>();
  add_cache(command);
  command.add_option("file", arguments->location, "ROOT file, or file:name for one RNTuple")->required();
  command.add_option("-o,--output", arguments->output, "Config to write")->capture_default_str();
  add_force(command, arguments->force);
  return [arguments](const Session&) { return init(*arguments); };
}

}  // namespace

const Command kInitCommand{"init", "Write a config to begin with for a data file", kInitFooter, false,
                           add_init_options};

}  // namespace skimline::skims
