// SPDX-License-Identifier: BSD-3-Clause
// Scripts by which bash, zsh and fish complete commands and options.
#include "program_text.h"

#include "skimline/framework/error.h"

#include <functional>

namespace skimline::skims {
namespace {

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::vector<std::string> option_names(const CommandText& command) {
  std::vector<std::string> names;
  for (const OptionText& option : command.options)
    if (!option.is_argument) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::vector<std::string> command_names(const ProgramText& program) {
  std::vector<std::string> names;
  for (const CommandText& command : program.commands) names.push_back(command.name);
  return names;
}

// The values of the first argument, if they are few.
std::vector<std::string> argument_choices(const CommandText& command) {
  for (const OptionText& option : command.options)
    if (option.is_argument) return option.choices;
  return {};
}

// In single quotes, which all three shells have.
std::string quoted(const std::string& text, const std::string& escaped_quote) {
  std::string safe = "'";
  for (const char letter : text) safe += letter == '\'' ? escaped_quote : std::string(1, letter);
  return safe + "'";
}

std::string bash_words(const std::vector<std::string>& words) {
  return "COMPREPLY=($(compgen -W '" + joined(words, " ") + "' -- \"$current\"))";
}

constexpr const char* kBashFiles =
    "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$current\"))";

std::string bash_value(const OptionText& option) {
  if (!option.choices.empty()) return bash_words(option.choices) + "; return";
  return option.takes_number ? "return" : std::string(kBashFiles) + "; return";
}

std::string bash_command(const CommandText& command) {
  std::string text = "    " + command.name + ")\n      case \"$previous\" in\n";
  for (const OptionText& option : command.options)
    if (!option.is_argument && option.takes_value)
      text += "        " + joined(option.names, "|") + ") " + bash_value(option) + " ;;\n";
  const std::vector<std::string> choices = argument_choices(command);
  text += "      esac\n      if [[ \"$current\" == -* ]]; then\n        " +
          bash_words(option_names(command)) + "\n      else\n        " +
          (choices.empty() ? std::string(kBashFiles) : bash_words(choices)) + "\n      fi\n      ;;\n";
  return text;
}

std::string bash_script(const ProgramText& program) {
  std::vector<std::string> first = command_names(program);
  for (const std::string& name : option_names(program)) first.push_back(name);
  std::string text = R"(# Completion for bash, made by "skimline completion bash".
_skimline() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" command="" word
  # Bash takes "=" for a word of its own.
  if [[ "$current" == "=" ]]; then
    current=""
  elif [[ "$previous" == "=" ]]; then
    previous="${COMP_WORDS[COMP_CWORD-2]}"
  fi
  COMPREPLY=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ "$word" != -* ]]; then
      command="$word"
      break
    fi
  done
  case "$command" in
)";
  text += "    \"\")\n      " + bash_words(first) + "\n      ;;\n";
  for (const CommandText& command : program.commands) text += bash_command(command);
  return text + "  esac\n}\ncomplete -F _skimline skimline\n";
}

// Brackets and colons end a description in zsh.
std::string zsh_description(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') safe += '\\';
    safe += letter;
  }
  return safe;
}

std::string zsh_values(const OptionText& option) {
  if (!option.choices.empty()) return "(" + joined(option.choices, " ") + ")";
  return option.takes_number ? " " : "_files";
}

std::string zsh_option(const OptionText& option, const std::string& name) {
  const std::string value = option.takes_value ? ":value:" + zsh_values(option) : "";
  return quoted(name + "[" + zsh_description(option.description) + "]" + value, "'\\''");
}

std::string zsh_command(const CommandText& command) {
  std::string text = "    " + command.name + ")\n      _arguments";
  for (const OptionText& option : command.options) {
    if (option.is_argument)
      text += " \\\n        " + quoted(std::string(option.is_list ? "*" : "") + ":" + option.names.front() +
                                           ":" + zsh_values(option),
                                       "'\\''");
    else
      for (const std::string& name : option.names) text += " \\\n        " + zsh_option(option, name);
  }
  return text + "\n      ;;\n";
}

std::string zsh_script(const ProgramText& program) {
  std::string text = R"(#compdef skimline
# Completion for zsh, made by "skimline completion zsh".
_skimline() {
  local -a commands
  commands=(
)";
  for (const CommandText& command : program.commands)
    text += "    " + quoted(command.name + ":" + zsh_description(command.description), "'\\''") + "\n";
  text += R"(  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$command" in
)";
  for (const CommandText& command : program.commands) text += zsh_command(command);
  return text +
         "  esac\n}\nif [[ \"$funcstack[1]\" == _skimline ]]; then\n  _skimline \"$@\"\nelse\n  compdef "
         "_skimline skimline\nfi\n";
}

std::string fish_option(const std::string& condition, const OptionText& option) {
  std::string text = "complete -c skimline -n " + condition;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.takes_value) text += " -r";
  if (option.takes_value && (!option.choices.empty() || option.takes_number)) text += " -f";
  if (option.takes_value && !option.choices.empty())
    text += " -a " + quoted(joined(option.choices, " "), "\\'");
  return text + " -d " + quoted(option.description, "\\'") + "\n";
}

std::string fish_script(const ProgramText& program) {
  std::string text = "# Completion for fish, made by \"skimline completion fish\".\n";
  for (const OptionText& option : program.options) text += fish_option("__fish_use_subcommand", option);
  for (const CommandText& command : program.commands) {
    text += "complete -c skimline -n __fish_use_subcommand -f -a " + command.name + " -d " +
            quoted(command.description, "\\'") + "\n";
    const std::string condition = "'__fish_seen_subcommand_from " + command.name + "'";
    for (const OptionText& option : command.options)
      if (!option.is_argument)
        text += fish_option(condition, option);
      else if (!option.choices.empty())
        text += "complete -c skimline -n " + condition + " -f -a " +
                quoted(joined(option.choices, " "), "\\'") + "\n";
  }
  return text;
}

}  // namespace

std::string completion_script(const ProgramText& program, const std::string& shell) {
  if (shell == "bash") return bash_script(program);
  if (shell == "zsh") return zsh_script(program);
  if (shell == "fish") return fish_script(program);
  throw ConfigError("there is no completion for \"" + shell + "\"");
}

}  // namespace skimline::skims
