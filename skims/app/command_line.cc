// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.h"

#include "config_options.h"
#include "exit_code.h"
#include "init_command.h"
#include "merge_command.h"
#include "schema_command.h"
#include "show_command.h"
#include "validate_command.h"

#include "skimline/framework/error.h"
#include "skimline/framework/version.h"

#include <algorithm>
#include <cmath>
#include <iostream>

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kFooter = R"help(
Examples:
  skimline generate dimuon --events 1000000 -o dimuon.root
  skimline inspect dimuon.root
  skimline init dimuon.root -o analysis.json
  skimline validate analysis.json
  skimline verify dimuon.root
  skimline plan analysis.json
  skimline run analysis.json -j 8
  skimline merge all.root run1.root run2.root
  skimline show all.root

Exit codes:
  0    done
  1    failed: an input cannot be read or trusted, an output cannot be written, or an event cannot be processed
  2    wrong usage or config
  3    finished but incomplete
  4    a comparison differs
  130  interrupted
Unless the code is 0 or 3, no output file is left behind.)help";

constexpr const char* kRunFooter = R"help(
Examples:
  skimline run configs/examples/dimuon.json
  skimline run --metrics metrics.json analysis.json
  skimline run --set variables.year=2018 --samples "data*" analysis.json
  skimline run --dry-run analysis.json
  skimline run -j 1 analysis.json      the same outputs, byte for byte, with one thread

The config is JSON; comments and trailing commas are allowed, paths are relative to its folder:
  {
    "schema_version": 1,
    "samples": {"data": {"files": ["dimuon.root:Events"]}},
    "define": {"mll": "InvariantMass(Muon_pt, Muon_eta, Muon_phi, Muon_mass)"},
    "select": [{"name": "two muons", "where": "nMuon == 2"}],
    "histograms": {"mass": {"x": {"value": "mll", "bins": 120, "range": [60, 120], "unit": "GeV"}}},
    "skims": {"dimuon": {"file": "skim.root", "keep": ["Muon_*", "mll"], "compression": "zstd:5"}},
    "output": {"histograms": "histograms.root"}
  })help";

constexpr const char* kPlanFooter = R"help(
Examples:
  skimline plan analysis.json
  skimline plan --json analysis.json | jq '.events[] | select(.columns != []) | {where, columns}'

Shows what a run would do, without reading events or writing files: the input, which events are selected in which
order, what is read, computed, filled and kept for which of them, and the memory that it may take.)help";

constexpr const char* kInspectFooter = R"help(
Examples:
  skimline inspect dimuon.root            all RNTuples of the file
  skimline inspect dimuon.root:Events     one of them
  skimline inspect --json dimuon.root | jq '.ntuples[0].columns')help";

constexpr const char* kVerifyFooter = R"help(
Examples:
  skimline verify dimuon.root
  skimline verify data/*.root && echo all sound

Every page of every RNTuple is read and compared with its checksum. Damaged pages are listed with their column,
cluster and entries. Pages without a checksum are decompressed, which finds most damage but not all.)help";

constexpr const char* kGenerateFooter = R"help(
Examples:
  skimline generate dimuon --events 1000000 --seed 7 -o dimuon.root
  skimline generate dijet --events 1e8 -o dijet.root --compression lz4

Models:
  dimuon   Z and J/psi decays to two muons over a continuum, single muons, jets, missing momentum
  dijet    two leading jets with a falling mass spectrum; weights span many orders of magnitude
  adl      events for the IRIS-HEP ADL benchmark queries: all objects of CMS's NanoAOD of 2012

Event n depends on the model, the seed and n only.)help";

void add_threads(CLI::App& command, CommandLine& line) {
  command
      .add_option("-j,--threads", line.threads, "Threads to use; 0 means one per core. Results do not change")
      ->check(CLI::Range(0, 4096));
}

void add_run(CLI::App& program, CommandLine& line) {
  CLI::App* command = program.add_subcommand("run", "Fill the histograms and write the skims of a config");
  command->add_option("config", line.config, "JSON config")->required();
  add_config_options(*command, line.options);
  add_threads(*command, line);
  command->add_flag("--dry-run", line.is_dry_run,
                    "Check the config and show what would be done; write nothing");
  command->add_option(
      "--metrics", line.metrics,
      "File for counts of events, pages and bytes as JSON; - prints them instead of the tables");
  command->footer(kRunFooter);
  command->callback([&line] { line.command = Command::kRun; });
}

void add_plan(CLI::App& program, CommandLine& line) {
  CLI::App* command =
      program.add_subcommand("plan", "Show what a run of a config would do, without running it");
  command->add_option("config", line.config, "JSON config")->required();
  add_config_options(*command, line.options);
  command->add_flag("--json", line.as_json, "Print JSON instead of text");
  command->add_option("-j,--threads", line.threads, "Threads to estimate memory for; 0 means one per core")
      ->check(CLI::Range(0, 4096));
  command->footer(kPlanFooter);
  command->callback([&line] { line.command = Command::kPlan; });
}

void add_inspect(CLI::App& program, CommandLine& line) {
  CLI::App* command =
      program.add_subcommand("inspect", "Show the fields, columns, clusters and sizes of a file");
  command->add_option("file", line.location, "ROOT file, or file:name for one RNTuple")->required();
  command->add_flag("--json", line.as_json, "Print JSON instead of tables");
  command->footer(kInspectFooter);
  command->callback([&line] { line.command = Command::kInspect; });
}

void add_verify(CLI::App& program, CommandLine& line) {
  CLI::App* command = program.add_subcommand("verify", "Compare every page of files with its checksum");
  command->add_option("files", line.paths, "ROOT files")->required();
  add_threads(*command, line);
  command->footer(kVerifyFooter);
  command->callback([&line] { line.command = Command::kVerify; });
}

// Counts are often typed as 1e8.
std::string whole_number(std::string& text) {
  double value = 0;
  if (!CLI::detail::lexical_cast(text, value) || value < 0 || value > 1e15 || value != std::floor(value))
    return "\"" + text + "\" is not a whole number from 0 to 1e15";
  text = std::to_string(static_cast<std::uint64_t>(value));
  return {};
}

void add_generate(CLI::App& program, CommandLine& line) {
  CLI::App* command = program.add_subcommand("generate", "Write a file with synthetic events");
  GenerateOptions& options = line.generate;
  command->add_option("model", line.model, "dimuon, dijet or adl")->required();
  command->add_option("--events", options.events.num_events, "Number of events, 1e8 for instance")
      ->required()
      ->transform(CLI::Validator(whole_number, "", ""));
  command->add_option("--seed", options.events.seed, "Seed of the random numbers")->capture_default_str();
  command->add_option("-o,--output", options.path, "File to write")->required();
  command->add_option("--name", options.ntuple_name, "Name of the RNTuple")->capture_default_str();
  command
      ->add_option("--compression", line.compression,
                   "none, zstd:1 to zstd:19, lz4:1 to lz4:12, zlib:1 to zlib:9, lzma:1 to lzma:9")
      ->capture_default_str();
  add_threads(*command, line);
  command->footer(kGenerateFooter);
  command->callback([&line] { line.command = Command::kGenerate; });
}

std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

}  // namespace

ParsedCommandLine parse_command_line(int argc, char** argv) {
  ParsedCommandLine parsed;
  CLI::App program("Skims and histograms of collider data from one configuration.", "skimline");
  program.set_version_flag("--version", "skimline " + std::string(kVersion));
  program.require_subcommand(1);
  program.footer(kFooter);
  add_run(program, parsed.command_line);
  add_plan(program, parsed.command_line);
  add_inspect(program, parsed.command_line);
  add_verify(program, parsed.command_line);
  add_generate(program, parsed.command_line);
  add_merge(program, parsed.command_line);
  add_show(program, parsed.command_line);
  add_validate(program, parsed.command_line);
  add_schema(program, parsed.command_line);
  add_init(program, parsed.command_line);
  // CLI11 would say that a subcommand is missing.
  const std::vector<std::string> commands = command_names(program);
  if (argc > 1 && argv[1][0] != '-' && std::count(commands.begin(), commands.end(), argv[1]) == 0) {
    std::cerr << "unknown command \"" << argv[1] << "\"" << did_you_mean(argv[1], commands)
              << "\nRun with --help for more information.\n";
    parsed.exit_code = ExitCode::kWrongUsage;
    return parsed;
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    parsed.exit_code = program.exit(error) == 0 ? ExitCode::kDone : ExitCode::kWrongUsage;
  }
  return parsed;
}

}  // namespace skimline::skims
