// SPDX-License-Identifier: BSD-3-Clause
#include "program_text.h"

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

// CLI11 says "TEXT:{auto,json,none}".
std::vector<std::string> choices_in(const std::string& type) {
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

OptionText text_of(const CLI::Option& option) {
  OptionText text;
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  text.is_argument = option.nonpositional() ? false : option.get_positional();
  if (text.is_argument) text.names = {option.get_name(true)};
  text.description = option.get_description();
  text.default_value = option.get_default_str();
  const std::string type = option.get_type_name();
  text.choices = choices_in(type);
  text.is_required = option.get_required();
  text.takes_value = option.get_items_expected_max() > 0;
  text.is_list = text.is_argument && option.get_items_expected_max() > 1;
  text.takes_number = type.starts_with("INT") || type.starts_with("UINT") || type.starts_with("FLOAT");
  return text;
}

CommandText text_of_command(const CLI::App& command) {
  CommandText text{command.get_name(), command.get_description(), command.get_footer(), {}};
  for (const CLI::Option* option : command.get_options()) text.options.push_back(text_of(*option));
  return text;
}

}  // namespace

ProgramText text_of(const CLI::App& program) {
  ProgramText text;
  static_cast<CommandText&>(text) = text_of_command(program);
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
    text.commands.push_back(text_of_command(*command));
  return text;
}

}  // namespace skimline::skims
