// SPDX-License-Identifier: BSD-3-Clause
// The commands and options of the program as plain texts, for what is generated from them.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace skimline::skims {

/// An option or an argument of a command.
struct OptionText {
  std::vector<std::string> names;  ///< "-j", "--threads"; an argument has one without dashes
  std::string description;
  std::string default_value;
  std::vector<std::string> choices;  ///< all values there are, if they are few
  bool is_argument = false;
  bool is_required = false;
  bool is_list = false;
  bool takes_value = false;
  bool takes_number = false;
};

struct CommandText {
  std::string name;
  std::string description;
  std::string footer;  ///< examples and further paragraphs
  std::vector<OptionText> options;
};

/// The program itself, and its commands.
struct ProgramText : CommandText {
  std::vector<CommandText> commands;
};

ProgramText text_of(const CLI::App& program);

/// Returns the manual page, as `man` reads it.
std::string man_page(const ProgramText& program, const std::string& version);

/// Returns the script that makes a shell complete commands, options and their values. `shell` is "bash",
/// "zsh" or "fish".
std::string completion_script(const ProgramText& program, const std::string& shell);

}  // namespace skimline::skims
