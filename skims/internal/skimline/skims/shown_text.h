// SPDX-License-Identifier: BSD-3-Clause
// Text on its way to a terminal. Names, titles and lines of configs come from files of others: what would
// control the terminal, or look like a line of ours, is shown as a sign instead.
#pragma once

#include <string>
#include <string_view>

namespace skimline::skims {

/// Returns a text of others as part of one line: control characters, ends of lines and tabs included, become
/// their pictures ("␛" for escape, "␊" for an end of line), and "�" stands for controls without one, for
/// marks that change the direction of what follows, and for what is no UTF-8.
std::string shown(std::string_view text);

/// What a command prints: all that controls a terminal is shown as a sign, but for ends of lines and tabs.
/// Parts that come from others have gone through shown() before, so that they begin no line.
class ShownText {
 public:
  ShownText() = default;
  ShownText(std::string_view lines);
  ShownText(const std::string& lines) : ShownText(std::string_view(lines)) {}
  ShownText(const char* lines) : ShownText(std::string_view(lines)) {}

  const std::string& str() const { return text_; }

 private:
  std::string text_;
};

}  // namespace skimline::skims
