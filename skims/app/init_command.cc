// SPDX-License-Identifier: BSD-3-Clause
#include "init_command.h"

#include "config/read/starter_config.h"

#include "skimline/framework/error.h"
#include "skimline/io/input_options.h"
#include "skimline/io/output_file.h"

#include <filesystem>
#include <span>

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInitFooter = R"help(
Examples:
  skimline init dimuon.root
  skimline init data/run1.root:Events -o analysis.json
  skimline validate analysis.json && skimline run analysis.json

Writes a config with comments: a selection and histograms of some columns of the file, with ranges that suit its
first events, and a skim. A file that is there stays unless --force is given.)help";

void check_output(const InitArguments& arguments, bool force) {
  const std::string& path = arguments.output;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw ConfigError("\"" + path + "\" is a folder");
  if (fs::equivalent(path, io::parse_location(arguments.location).path, ignored))
    throw ConfigError("\"" + path + "\" is the data file");
  if (fs::exists(path, ignored) && !force) throw ConfigError("\"" + path + "\" exists; --force replaces it");
}

}  // namespace

void add_init(CLI::App& program, CommandLine& line) {
  CLI::App* command = program.add_subcommand("init", "Write a config to begin with for a data file");
  InitArguments& arguments = line.init;
  command->add_option("file", arguments.location, "ROOT file, or file:name for one RNTuple")->required();
  command->add_option("-o,--output", arguments.output, "Config to write")->capture_default_str();
  add_force(*command, line);
  command->footer(kInitFooter);
  command->callback([&line] { line.command = Command::kInit; });
}

Outcome init(const CommandLine& line) {
  const std::string& path = line.init.output;
  check_output(line.init, line.force);
  const std::string text = starter_config(line.init.location, path);
  io::OutputFile file(path);
  file.write(0, std::as_bytes(std::span(text)));
  file.commit(text.size());
  return {"wrote " + path + "\n"};
}

}  // namespace skimline::skims
