// SPDX-License-Identifier: BSD-3-Clause
// The command line, taken apart.
#pragma once

#include "log.h"
#include "program_text.h"

#include "skimline/skims/config.h"
#include "skimline/skims/convert.h"
#include "skimline/skims/generate.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace skimline::skims {

enum class Command {
  kRun,
  kPlan,
  kInspect,
  kVerify,
  kGenerate,
  kConvert,
  kMerge,
  kShow,
  kValidate,
  kSchema,
  kInit,
  kMan,
  kCompletion
};

/// Of merge; inputs may be lists, "@list".
struct MergeArguments {
  std::string output;
  std::vector<std::string> inputs;
  std::vector<std::string> include, exclude;
  std::string compression;  ///< empty: as the inputs suggest
  bool skip_bad = false;
  bool allow_overlap = false;
  bool allow_changed = false;
  bool requires_checksums = false;
};

/// Of show.
struct ShowArguments {
  std::vector<std::string> files;
  bool has_configs = false;  ///< whether configs are shown too
};

/// Of init.
struct InitArguments {
  std::string location;
  std::string output = "analysis.json";
};

/// What the user asked for.
struct CommandLine {
  Command command = Command::kRun;
  std::string config;                  ///< of run, plan and validate
  ConfigOptions options;               ///< beside it
  bool is_dry_run = false;             ///< of run
  bool prints_report = false;          ///< of run: instead of the tables
  bool force = false;                  ///< of all that write files: whether they may replace any
  std::string progress = "auto";       ///< of run, generate, convert and merge: auto, json or none
  LogOptions log;                      ///< of all
  std::string location;                ///< of inspect
  bool writes_checksums = false;       ///< of verify
  std::string checksum_folder;         ///< of verify
  bool as_json = false;                ///< of plan, inspect, merge and show
  std::vector<std::string> paths;      ///< of verify
  std::string model = "dimuon";        ///< of generate
  std::string compression = "zstd:5";  ///< of generate and convert
  GenerateOptions generate;
  ConvertOptions convert;
  MergeArguments merge;
  ShowArguments show;
  InitArguments init;
  std::string shell;  ///< of completion
  int threads = 0;
};

/// Returns what to do, or the exit code if there is nothing to do: help and version were printed, or a
/// mistake was explained.
struct ParsedCommandLine {
  CommandLine command_line;
  std::optional<int> exit_code;
};
ParsedCommandLine parse_command_line(int argc, char** argv);

/// Returns the commands and options that it understands.
ProgramText describe_command_line();

/// Adds the option --force to a command that writes files.
void add_force(CLI::App& command, CommandLine& line);

/// Adds the option --progress to a command.
void add_progress(CLI::App& command, CommandLine& line);

}  // namespace skimline::skims
