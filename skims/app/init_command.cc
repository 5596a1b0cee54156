// SPDX-License-Identifier: BSD-3-Clause
#include "init_command.h"

#include "skimline/framework/error.h"
#include "skimline/io/input_source.h"
#include "skimline/skims/starter_config.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <CLI/CLI.hpp>
#include <unistd.h>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFooter = R"help(
Examples:
  skimline init dimuon.root
  skimline init data/run1.root:Events -o analysis.json
  skimline validate analysis.json && skimline run analysis.json

Writes a config with comments: a selection and histograms of some columns of the file, with ranges that suit its
first events, and a skim. A file that is there stays unless --force is given.)help";

std::string system_problem() { return std::string("cannot be written: ") + std::strerror(errno); }

[[noreturn]] void refuse_existing(const std::string& path) {
  throw ConfigError("\"" + path + "\" exists; --force replaces it");
}

// Writes a file that must not exist yet; `shown` names it in errors.
void write_new(const std::string& path, const std::string& shown, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "wx");
  if (!file && errno == EEXIST) refuse_existing(shown);
  if (!file) throw FileError(shown, system_problem());
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) == 0 && is_written) return;
  const std::string problem = system_problem();
  std::remove(path.c_str());
  throw FileError(shown, problem);
}

void replace(const std::string& path, const std::string& text) {
  const fs::path target(path);
  const std::string name = "." + target.filename().string() + "." + std::to_string(getpid()) + ".part";
  const fs::path part = target.parent_path() / name;
  write_new(part.string(), path, text);
  if (std::rename(part.c_str(), path.c_str()) == 0) return;
  const std::string problem = system_problem();
  std::remove(part.c_str());
  throw FileError(path, problem);
}

void check_output(const InitArguments& arguments, bool force) {
  const std::string& path = arguments.output;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw ConfigError("\"" + path + "\" is a folder");
  if (fs::equivalent(path, io::parse_location(arguments.location).path, ignored))
    throw ConfigError("\"" + path + "\" is the data file");
  if (fs::exists(path, ignored) && !force) refuse_existing(path);
}

}  // namespace

void add_init(CLI::App& program, CommandLine& line) {
  CLI::App* command = program.add_subcommand("init", "Write a config to begin with for a data file");
  InitArguments& arguments = line.init;
  command->add_option("file", arguments.location, "ROOT file, or file:name for one RNTuple")->required();
  command->add_option("-o,--output", arguments.output, "Config to write")->capture_default_str();
  add_force(*command, line);
  command->footer(kFooter);
  command->callback([&line] { line.command = Command::kInit; });
}

Outcome init(const CommandLine& line) {
  const std::string& path = line.init.output;
  check_output(line.init, line.force);
  const std::string text = starter_config(line.init.location, path);
  if (line.force)
    replace(path, text);
  else
    write_new(path, path, text);
  return {"wrote " + path + "\n"};
}

}  // namespace skimline::skims
