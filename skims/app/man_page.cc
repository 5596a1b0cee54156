// SPDX-License-Identifier: BSD-3-Clause
// The manual page, in the language of roff.
#include "program_text.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace skimline::skims {
namespace {

// What roff would take for its own is escaped.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '\\')
      safe += "\\e";
    else if (letter == '-')
      safe += "\\-";
    else
      safe += letter;
  }
  return safe;
}

std::string escaped_line(const std::string& line) {
  const bool is_request = !line.empty() && (line.front() == '.' || line.front() == '\'');
  return (is_request ? "\\&" : "") + escaped(line) + "\n";
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return text;
}

// A line that ends with a colon heads the lines up to the next empty one.
bool is_heading(const std::string& line) {
  return line.size() > 1 && line.back() == ':' && line.front() != ' ' && line.find(' ') == std::string::npos;
}

// Lines stay as they are: most of them are commands.
std::string paragraphs(const std::string& text) {
  std::string roff;
  bool is_open = false;
  const auto close = [&] {
    if (is_open) roff += ".fi\n.RE\n";
    is_open = false;
  };
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      close();
    } else if (is_heading(line) || line == "Exit codes:") {
      close();
      roff += ".PP\n.B " + escaped_line(line);
    } else {
      if (!is_open) roff += ".PP\n.RS 4\n.nf\n";
      is_open = true;
      roff += escaped_line(line);
    }
  }
  close();
  return roff;
}

std::string option_heading(const OptionText& option) {
  std::string heading;
  for (const std::string& name : option.names)
    heading += (heading.empty() ? "" : ", ") + ("\\fB" + escaped(name) + "\\fR");
  if (option.is_argument || !option.takes_value) return heading;
  if (option.choices.empty())
    return heading + " " + (option.takes_number ? "\\fInumber\\fR" : "\\fItext\\fR");
  std::string choices;
  for (const std::string& choice : option.choices)
    choices += (choices.empty() ? "" : "|") + ("\\fI" + escaped(choice) + "\\fR");
  return heading + " " + choices;
}

std::string options_roff(const std::vector<OptionText>& options) {
  std::string roff;
  for (const OptionText& option : options) {
    roff += ".TP\n" + option_heading(option) + "\n" + escaped_line(option.description);
    if (!option.default_value.empty()) roff += "(default: " + escaped(option.default_value) + ")\n";
  }
  return roff;
}

std::string synopsis(const CommandText& command) {
  std::string text = "\\fBskimline " + escaped(command.name) + "\\fR [\\fIoptions\\fR]";
  for (const OptionText& option : command.options)
    if (option.is_argument)
      text += " \\fI" + escaped(option.names.front()) + "\\fR" + (option.is_list ? " ..." : "");
  return text + "\n";
}

}  // namespace

std::string man_page(const ProgramText& program, const std::string& version) {
  std::string roff = ".\\\" Made by \"skimline man\".\n.TH " + upper(program.name) + " 1 \"\" \"" +
                     program.name + " " + version + "\" \"User Commands\"\n";
  roff += ".SH NAME\n" + program.name + " \\- " + escaped(program.description) + "\n.SH SYNOPSIS\n";
  for (const CommandText& command : program.commands) roff += synopsis(command) + ".br\n";
  roff += "\\fBskimline \\-\\-version\\fR\n.SH OPTIONS\n" + options_roff(program.options);
  roff += ".SH COMMANDS\n";
  for (const CommandText& command : program.commands)
    roff += ".SS " + program.name + " " + escaped(command.name) + "\n" +
            escaped_line(command.description + ".") + options_roff(command.options) +
            paragraphs(command.footer);
  return roff + ".SH NOTES\n" + paragraphs(program.footer);
}

}  // namespace skimline::skims
