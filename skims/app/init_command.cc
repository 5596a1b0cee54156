// SPDX-License-Identifier: BSD-3-Clause
// `skimline init`: a config to begin with.
#include "commands.h"
#include "config/read/starter_config.h"
#include "config/translated/command_words.h"
#include "config/translated/translated_config.h"
#include "log.h"
#include "shared_options.h"

#include "skimline/framework/error.h"
#include "skimline/io/input_options.h"
#include "skimline/io/output_file.h"

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>

namespace skimline::skims {
namespace {

constexpr const char* kInitFooter = R"help(
Examples:
  skimline init dimuon.root
  skimline init data/run1.root:Events -o analysis.json
  skimline validate analysis.json && skimline run analysis.json
  skimline init --from spec.json
  skimline init --from fit.config
  skimline init --from frames.yml
  skimline init --from "nano_postproc.py out in.root -c 'nMuon > 1' -b keep_drop.txt -J golden.json"

Writes a config with comments: a selection and histograms of some columns of the file, with ranges that suit its
first events, and a skim. A file that is there stays unless --force is given.

With --from, the config does what a command line of nanoAOD-tools' nano_postproc.py does: a skim of each input with the
events that pass the cut and the certified luminosity, and the branches that are kept. Or it has the samples of a
dataset specification, as FromSpec() of RDataFrame reads it, with friends and range. Or it fills the histograms of a
config of TRExFitter that reads n-tuples, or of FastFrames (.yml). What cannot be carried over is listed, in the config
too, with exit code 3.)help";

namespace fs = std::filesystem;

struct InitArguments {
  std::string location, from;
  std::string output = "analysis.json";
  bool force = false;
};

// The file, or what a command line may name.
std::vector<std::string> sources_of(const std::string& from) {
  std::error_code ignored;
  if (from.empty() || fs::exists(from, ignored)) return {from};
  return words_of_command(from);
}

void check_output(const InitArguments& arguments) {
  const std::string& path = arguments.output;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw ConfigError("\"" + path + "\" is a folder");
  if (!arguments.location.empty() &&
      fs::equivalent(path, io::parse_location(arguments.location).path, ignored))
    throw ConfigError("\"" + path + "\" is the data file");
  for (const std::string& source : sources_of(arguments.from))
    if (fs::equivalent(path, source, ignored))
      throw ConfigError("\"" + path + "\" is what the config would be made of");
  if (fs::exists(path, ignored) && !arguments.force)
    throw ConfigError("\"" + path + "\" exists; --force replaces it");
}

void write_text(const std::string& path, const std::string& text) {
  io::OutputFile file(path);
  file.write(0, std::as_bytes(std::span(text)));
  file.commit(text.size());
}

Outcome init(const InitArguments& arguments) {
  if (arguments.location.empty() == arguments.from.empty())
    throw ConfigError("give a data file or --from, one of both");
  check_output(arguments);
  Outcome outcome{.text = "wrote " + arguments.output + "\n", .is_result = false};
  if (arguments.from.empty()) {
    write_text(arguments.output, starter_config(arguments.location, arguments.output));
    return outcome;
  }
  const TranslatedConfig config = translated_config(arguments.from, arguments.output);
  write_text(arguments.output, config.text);
  for (const std::string& each : config.left_out) spdlog::warn("not carried over: {}", shown(each));
  if (!config.left_out.empty()) outcome.code = kIncomplete;
  return outcome;
}

Action add_init_options(CLI::App& command) {
  const auto arguments = std::make_shared<InitArguments>();
  add_cache(command);
  command.add_option("file", arguments->location, "ROOT file, or file:name for one RNTuple");
  command.add_option(
      "--from", arguments->from,
      "Dataset specification of RDataFrame, config of FastFrames or TRExFitter, or command line of "
      "nano_postproc.py in quotes, to make the config of");
  command.add_option("-o,--output", arguments->output, "Config to write")->capture_default_str();
  add_force(command, arguments->force);
  return [arguments](const Session&) { return init(*arguments); };
}

}  // namespace

const Command kInitCommand{"init", "Write a config to begin with for a data file", kInitFooter, false,
                           add_init_options};

}  // namespace skimline::skims
