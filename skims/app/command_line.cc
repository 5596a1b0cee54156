// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.h"

#include "config_options.h"
#include "convert_command.h"
#include "exit_code.h"
#include "init_command.h"
#include "merge_command.h"
#include "schema_command.h"
#include "show_command.h"
#include "validate_command.h"

#include "skimline/framework/error.h"
#include "skimline/framework/version.h"
#include "skimline/skims/shown_text.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <sstream>

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
  skimline convert nano.root:Events -o events.root
  skimline merge all.root run1.root run2.root
  skimline show all.root

Exit codes:
  0    done
  1    failed: an input cannot be read or trusted, an output cannot be written, or an event cannot be processed
  2    wrong usage or config
  3    finished but incomplete
  4    a comparison differs
  130  interrupted
Unless the code is 0 or 3, no output is left behind but a trace. If only standard output or a trace cannot be
written, the code is 1 and outputs are complete.)help";

constexpr const char* kRunFooter = R"help(
Examples:
  skimline run configs/examples/dimuon.json
  skimline run --set variables.year=2018 --samples "data*" analysis.json
  skimline run --dry-run analysis.json
  skimline run --report - analysis.json | jq .samples
  skimline run --trace trace.json analysis.json      for https://ui.perfetto.dev
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
  skimline verify --write-checksums tree.root

Every page of every RNTuple is read and compared with its checksum. Damaged pages are listed with their column,
cluster and entries. Pages without a checksum, and all baskets of TTrees, are decompressed and decoded: that shows
that they are readable, not that they are as they were written, unless their compression has a checksum. It is said
how many have none.

--write-checksums makes up for that from then on: the file data.root.checksums, beside data.root, has a checksum of
each basket, of each page without one, and of the metadata. verify, run, convert and all other reading compare with it
where it is.)help";

constexpr const char* kGenerateFooter = R"help(
Examples:
  skimline generate dimuon --events 1000000 --seed 7 -o dimuon.root
  skimline generate dijet --events 1e8 -o dijet.root --compression lz4
  skimline generate agc --events 1e5 -o agc
  skimline generate agc --events 1e5 --sample ttbar__nominal --format ttree -o ttbar.root

Models:
  dimuon   Z and J/psi decays to two muons over a continuum, single muons, jets, missing momentum
  dijet    two leading jets with a falling mass spectrum; weights span many orders of magnitude
  adl      events for the IRIS-HEP ADL benchmark queries: all objects of CMS's NanoAOD of 2012
  agc      events for the analysis grand challenge (AGC): top pairs, single tops and W bosons with jets, in columns of
           CMS's NanoAOD of 2015. --output is a folder for all nine samples, of so many events each, and their list,
           nanoaod_inputs.json, for "samples_from" of configs; with --sample it is the file of one of them

Event n depends on the model, the sample, the seed and n only.)help";

constexpr const char* kManFooter = R"help(
Examples:
  skimline man | man -l -
  skimline man > ~/.local/share/man/man1/skimline.1)help";

constexpr const char* kCompletionFooter = R"help(
Examples:
  source <(skimline completion bash)
  skimline completion bash > ~/.local/share/bash-completion/completions/skimline
  skimline completion zsh > ~/.zfunc/_skimline                  with ~/.zfunc in fpath
  skimline completion fish > ~/.config/fish/completions/skimline.fish)help";

void add_threads(CLI::App& command, CommandLine& line) {
  command
      .add_option("-j,--threads", line.threads, "Threads to use; 0 means one per core. Results do not change")
      ->check(CLI::Range(0, 4096));
}

// Of every command.
void add_log(CLI::App& command, CommandLine& line) {
  const std::map<std::string, LogFormat> formats{{"text", LogFormat::kText}, {"json", LogFormat::kJson}};
  CLI::Option* verbose = command.add_flag("-v,--verbose", line.log.is_verbose, "Say what is done");
  command.add_flag("-q,--quiet", line.log.is_quiet, "Say errors only, and not how far the run is")
      ->excludes(verbose);
  command
      .add_option_function<std::string>(
          "--log-format", [&line, formats](const std::string& name) { line.log.format = formats.at(name); },
          "text, or json: one object per line on standard error")
      ->check(CLI::IsMember({"text", "json"}))
      ->default_str("text");
}

void add_memory_limit(CLI::App& command, CommandLine& line) {
  const auto set = [&line](const std::string& size) {
    line.options.sets.push_back("memory_limit=\"" + size + "\"");
  };
  command.add_option_function<std::string>(
      "--memory-limit", set, "Most memory that the run may take, such as 4GiB, instead of the config's");
}

void add_report(CLI::App& command, CommandLine& line) {
  const auto set = [&line](const std::string& path) {
    line.prints_report = path == "-";
    line.options.has_report = !line.prints_report;
    if (!line.prints_report) line.options.report = path;
  };
  CLI::Option* report = command.add_option_function<std::string>(
      "--report", set,
      "File for the report as JSON, instead of the config's, by default <config>.report.json beside the "
      "config; - prints it instead of the tables");
  command
      .add_flag_callback(
          "--no-report", [&line] { line.options.has_report = false; }, "Write no report")
      ->excludes(report);
}

void add_input_checks(CLI::App& command, CommandLine& line) {
  const auto set = [&](const char* option, const char* setting, const char* description) {
    command.add_flag_callback(
        option, [&line, setting] { line.options.sets.push_back(setting); }, description);
  };
  set("--allow-duplicates", "allow_duplicates=true",
      "Count events of files that are copies of each other as often as they are given");
  set("--require-checksums", "require_checksums=true",
      "Fail when pages or baskets are read that have no checksum");
}

void add_run(CLI::App& program, CommandLine& line) {
  CLI::App* command = program.add_subcommand("run", "Fill the histograms and write the skims of a config");
  command->add_option("config", line.config, "JSON config")->required();
  add_config_options(*command, line.options);
  add_threads(*command, line);
  add_input_checks(*command, line);
  command->add_flag("--dry-run", line.is_dry_run,
                    "Check the config and show what would be done; write nothing");
  add_report(*command, line);
  add_force(*command, line);
  add_memory_limit(*command, line);
  command->add_option_function<std::string>(
      "--trace", [&line](const std::string& path) { line.options.trace = path; },
      "File for a timeline of what the threads did, as JSON");
  add_progress(*command, line);
  command->footer(kRunFooter);
  command->callback([&line] { line.command = Command::kRun; });
}

void add_plan(CLI::App& program, CommandLine& line) {
  CLI::App* command =
      program.add_subcommand("plan", "Show what a run of a config would do, without running it");
  command->add_option("config", line.config, "JSON config")->required();
  add_config_options(*command, line.options);
  add_input_checks(*command, line);
  command->add_flag("--json", line.as_json, "Print JSON instead of text");
  command->add_option("-j,--threads", line.threads, "Threads to estimate memory for; 0 means one per core")
      ->check(CLI::Range(0, 4096));
  add_memory_limit(*command, line);
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
  CLI::App* command = program.add_subcommand("verify", "Read all of files and compare it with its checksums");
  command->add_option("files", line.paths, "ROOT files")->required();
  command->add_flag("--write-checksums", line.writes_checksums,
                    "Write the checksums of what has none beside each sound file, as data.root.checksums");
  command->add_option("--checksum-folder", line.checksum_folder,
                      "Folder of the files of checksums, instead of those of the files");
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

void add_format(CLI::App& command, io::DataFormat& format) {
  const std::map<std::string, io::DataFormat> formats{{"rntuple", io::DataFormat::kRNTuple},
                                                      {"ttree", io::DataFormat::kTTree}};
  command
      .add_option_function<std::string>(
          "--format", [&format, formats](const std::string& name) { format = formats.at(name); },
          "rntuple or ttree")
      ->check(CLI::IsMember({"rntuple", "ttree"}))
      ->default_str("rntuple");
}

void add_generate(CLI::App& program, CommandLine& line) {
  CLI::App* command = program.add_subcommand("generate", "Write files with synthetic events");
  GenerateOptions& options = line.generate;
  command->add_option("model", line.model, "dimuon, dijet, adl or agc")->required();
  command->add_option("--events", options.events.num_events, "Number of events, 1e8 for instance")
      ->required()
      ->transform(CLI::Validator(whole_number, "", ""));
  command->add_option("--seed", options.events.seed, "Seed of the random numbers")->capture_default_str();
  command->add_option("-o,--output", options.path, "File to write; of agc without --sample: a folder")
      ->required();
  add_force(*command, line);
  command->add_option("--sample", options.events.sample, "Of agc: the only sample, such as ttbar__nominal");
  add_format(*command, options.format);
  command->add_option("--name", options.ntuple_name, "Name of the RNTuple or TTree")->capture_default_str();
  command
      ->add_option("--compression", line.compression,
                   "none, zstd:1 to zstd:19, lz4:1 to lz4:12, zlib:1 to zlib:9, lzma:1 to lzma:9")
      ->capture_default_str();
  add_threads(*command, line);
  add_progress(*command, line);
  command->footer(kGenerateFooter);
  command->callback([&line] { line.command = Command::kGenerate; });
}

void add_man(CLI::App& program, CommandLine& line) {
  CLI::App* command = program.add_subcommand("man", "Print the manual page");
  command->footer(kManFooter);
  command->callback([&line] { line.command = Command::kMan; });
}

void add_completion(CLI::App& program, CommandLine& line) {
  CLI::App* command =
      program.add_subcommand("completion", "Print what makes a shell complete commands and options");
  command->add_option("shell", line.shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(kCompletionFooter);
  command->callback([&line] { line.command = Command::kCompletion; });
}

constexpr const char* kDescription = "Skims and histograms of collider data from one configuration.";

void add_commands(CLI::App& program, CommandLine& line) {
  program.set_version_flag("--version", "skimline " + std::string(kVersion));
  program.require_subcommand(1);
  program.footer(kFooter);
  add_run(program, line);
  add_plan(program, line);
  add_inspect(program, line);
  add_verify(program, line);
  add_generate(program, line);
  add_convert(program, line);
  add_merge(program, line);
  add_show(program, line);
  add_validate(program, line);
  add_schema(program, line);
  add_init(program, line);
  add_man(program, line);
  add_completion(program, line);
  for (CLI::App* command : program.get_subcommands({})) add_log(*command, line);
}

std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

}  // namespace

void add_force(CLI::App& command, CommandLine& line) {
  command.add_flag("-f,--force", line.force,
                   "Replace files that exist; without it, only outputs of the same job are replaced");
}

void add_progress(CLI::App& command, CommandLine& line) {
  command
      .add_option("--progress", line.progress,
                  "auto: a line on a terminal, else one every 30 s; json: objects on standard error; none")
      ->check(CLI::IsMember({"auto", "json", "none"}))
      ->capture_default_str();
}

ProgramText describe_command_line() {
  CommandLine unused;
  CLI::App program(kDescription, "skimline");
  add_commands(program, unused);
  return text_of(program);
}

ParsedCommandLine parse_command_line(int argc, char** argv) {
  ParsedCommandLine parsed;
  CLI::App program(kDescription, "skimline");
  add_commands(program, parsed.command_line);
  // CLI11 would say that a subcommand is missing.
  const std::vector<std::string> commands = command_names(program);
  if (argc > 1 && argv[1][0] != '-' && std::count(commands.begin(), commands.end(), argv[1]) == 0) {
    std::cerr << "unknown command \"" << shown(argv[1]) << "\"" << did_you_mean(argv[1], commands)
              << "\nRun with --help for more information.\n";
    parsed.exit_code = ExitCode::kWrongUsage;
    return parsed;
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream help, problem;
    const bool is_help = program.exit(error, help, problem) == 0;
    std::cout << help.str();
    std::cerr << ShownText(problem.str()).str();
    parsed.exit_code = is_help ? ExitCode::kDone : ExitCode::kWrongUsage;
  }
  return parsed;
}

}  // namespace skimline::skims
