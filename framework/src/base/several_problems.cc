// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/several_problems.h"

namespace skimline {
namespace {

void append_in_one_line(std::string& text, std::string_view part) {
  for (const char letter : part) {
    if (letter == '\n')
      text += "\xE2\x90\x8A";  // U+240A, the picture of an end of line
    else
      text += letter;
  }
}

}  // namespace

std::string in_lines(std::string_view what, const std::vector<std::string>& problems,
                     std::string_view advice) {
  std::string text;
  append_in_one_line(text, what);
  for (const std::string& problem : problems) {
    text += "\n  ";
    append_in_one_line(text, problem);
  }
  if (advice.empty()) return text;
  text += '\n';
  append_in_one_line(text, advice);
  return text;
}

}  // namespace skimline
