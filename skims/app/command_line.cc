// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.h"

#include "build_facts.h"
#include "commands.h"
#include "standard_output.h"

#include "skimline/framework/error.h"
#include "skimline/framework/version.h"
#include "skimline/io/url_secrets.h"

#include <algorithm>
#include <cctype>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kDescription = "Skims and histograms of collider data from one configuration.";

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
  skimline plot all.root
  skimline diff before.root all.root
  skimline recover crashed.root recovered.root
  skimline rerun all.root -o again

Exit codes:
  0    done
  1    failed: an input cannot be read or trusted, an output cannot be written, or an event cannot be processed
  2    wrong usage or config
  3    finished but incomplete
  4    a comparison differs
  130  interrupted
Unless the code is 0 or 3, no output is left behind but a trace. If only standard output or a trace cannot be
written, the code is 1 and outputs are complete.)help";

// Of every command.
void add_log(CLI::App& command, LogOptions& log) {
  const std::map<std::string, LogFormat> formats{{"text", LogFormat::kText}, {"json", LogFormat::kJson}};
  CLI::Option* verbose = command.add_flag("-v,--verbose", log.is_verbose, "Say what is done");
  command.add_flag("-q,--quiet", log.is_quiet, "Say errors only, and not how far the run is")
      ->excludes(verbose);
  command
      .add_option_function<std::string>(
          "--log-format", [&log, formats](const std::string& name) { log.format = formats.at(name); },
          "text, or json: one object per line on standard error")
      ->check(CLI::IsMember({"text", "json"}))
      ->default_str("text");
  const std::map<std::string, ColorMode> colors{
      {"auto", ColorMode::kAuto}, {"always", ColorMode::kAlways}, {"never", ColorMode::kNever}};
  command
      .add_option_function<std::string>(
          "--color", [&log, colors](const std::string& name) { log.color = colors.at(name); },
          "Colours of messages: auto (on a terminal, unless NO_COLOR is set), always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->default_str("auto");
}

// CLI11 takes 010 for 8, as C does, and refuses 08: loops over 008, 009, 010 mean decimal numbers.
std::string without_leading_zeros(std::string& number) {
  const std::size_t first = number.find_first_not_of("+-");
  const auto is_digit = [&](std::size_t at) {
    return at < number.size() && std::isdigit(static_cast<unsigned char>(number[at])) != 0;
  };
  while (first < number.size() && number[first] == '0' && is_digit(first + 1)) number.erase(first, 1);
  return {};
}

void read_decimal_numbers(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    const std::string type = option->get_type_name();
    if (type.starts_with("INT") || type.starts_with("UINT"))
      option->transform(CLI::Validator(without_leading_zeros, "", ""));
  }
}

// The program keeps what the command does, and with it what its options set.
void add_options(CLI::App& added, const Command& command, CommandLine& line) {
  added.callback([&line, &command, action = command.add_options(added)] {
    line.command = &command;
    line.action = action;
  });
  read_decimal_numbers(added);
  added.footer(command.footer);
  add_log(added, line.log);
}

// From 2.5 on CLI11 breaks lines anew, those of examples too.
template <typename Formatter>
void keep_lines(Formatter& formatter) {
  if constexpr (requires { formatter.enable_footer_formatting(false); })
    formatter.enable_footer_formatting(false);
}

// All have their names, but options only those that can be called: making all takes longer than many a run.
void add_commands(CLI::App& program, CommandLine& line, const Command* called) {
  CLI::Option* const verbose =
      program.add_flag("--verbose")
          ->description("With --version: of which commit, how it was built, and with what");
  // By the words that were read: some versions of CLI11 ask for it before others are stored.
  verbose->needs(program.set_version_flag("--version", [verbose] {
    return verbose->count() > 0 ? long_version() : "skimline " + std::string(kVersion);
  }));
  keep_lines(*program.get_formatter());
  program.require_subcommand(1);
  program.footer(kFooter);
  for (const Command* command : commands()) {
    CLI::App* const added = program.add_subcommand(command->name, command->description);
    if (called == nullptr || called == command) add_options(*added, *command, line);
  }
}

// None where the first word is an option.
const Command* called_command(int argc, char** argv) {
  const auto is_called = [&](const Command* command) {
    return argc > 1 && std::string(argv[1]) == command->name;
  };
  const auto found = std::find_if(commands().begin(), commands().end(), is_called);
  return found == commands().end() ? nullptr : *found;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command* command : commands()) names.emplace_back(command->name);
  return names;
}

// CLI11 would say that a subcommand is missing.
bool is_unknown_command(const char* word) {
  const std::vector<std::string> names = command_names();
  if (word[0] == '-' || std::count(names.begin(), names.end(), word) != 0) return false;
  std::cerr << "unknown command \"" << shown(word) << "\"" << did_you_mean(word, names)
            << "\nRun with --help for more information.\n";
  return true;
}

// Without the secrets of URLs, which nothing that is written from here on has.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words;
  for (int i = 0; i < argc; ++i) words.push_back(io::hide_secrets(argv[i]));
  return words;
}

int exit_code_of(const CLI::App& program, const CLI::ParseError& error) {
  std::ostringstream help, problem;
  const bool is_help = program.exit(error, help, problem) == 0;
  std::cerr << ShownText(problem.str()).str();
  if (const std::string reason = print(help.str()); !reason.empty()) {
    std::cerr << "skimline: error: " << unprinted(reason) << "\n";
    return kFailed;
  }
  return is_help ? kDone : kWrongUsage;
}

// As the value of a variable that is not set.
void check_no_value_is_empty(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    for (const std::string& value : option->results())
      if (value.empty()) throw CLI::ValidationError(option->get_name(), "the value is empty");
}

}  // namespace

ProgramText program_text() {
  CommandLine line;
  CLI::App program(kDescription, "skimline");
  add_commands(program, line, nullptr);
  return text_of(program);
}

void parse(CommandLine& line, int argc, char** argv) {
  const auto program = std::make_shared<CLI::App>(kDescription, "skimline");
  line.program = program;
  add_commands(*program, line, called_command(argc, argv));
  const std::vector<std::string> words = words_of(argc, argv);
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  if (argc > 1 && is_unknown_command(arguments[1])) {
    line.exit_code = kWrongUsage;
    return;
  }
  try {
    program->parse(argc, arguments.data());
    for (const CLI::App* command : program->get_subcommands()) check_no_value_is_empty(*command);
  } catch (const CLI::ParseError& error) {
    line.exit_code = exit_code_of(*program, error);
  }
}

}  // namespace skimline::skims
