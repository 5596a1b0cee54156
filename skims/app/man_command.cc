// SPDX-License-Identifier: BSD-3-Clause
// `skimline man`: the manual page.
#include "command_line.h"
#include "commands.h"

#include "skimline/framework/version.h"

#include <string>

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kManFooter = R"help(
Examples:
  skimline man | man -l -
  skimline man > ~/.local/share/man/man1/skimline.1)help";

Action add_man_options(CLI::App&) {
  return [](const Session&) { return Outcome{man_page(program_text(), std::string(kVersion))}; };
}

}  // namespace

const Command kManCommand{"man", "Print the manual page", kManFooter, false, add_man_options};

}  // namespace skimline::skims
