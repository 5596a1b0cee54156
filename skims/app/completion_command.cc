// SPDX-License-Identifier: BSD-3-Clause
// `skimline completion`: scripts that complete commands and options.
#include "command_line.h"
#include "commands.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kCompletionFooter = R"help(
Examples:
  source <(skimline completion bash)
  skimline completion bash > ~/.local/share/bash-completion/completions/skimline
  skimline completion zsh > ~/.zfunc/_skimline                  with ~/.zfunc in fpath
  skimline completion fish > ~/.config/fish/completions/skimline.fish)help";

Action add_completion_options(CLI::App& command) {
  const auto shell = std::make_shared<std::string>();
  command.add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  return [shell](const Session&) { return Outcome{completion_script(program_text(), *shell)}; };
}

}  // namespace

const Command kCompletionCommand{"completion", "Print what makes a shell complete commands and options",
                                 kCompletionFooter, false, add_completion_options};

}  // namespace skimline::skims
