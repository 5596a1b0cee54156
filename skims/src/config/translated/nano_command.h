// SPDX-License-Identifier: BSD-3-Clause
// Command lines of nanoAOD-tools' nano_postproc.py.
#pragma once

#include <string>
#include <vector>

namespace skimline::skims {

/// What another tool was told, one part for each of the things that configs say.
struct NanoCommand {
  std::string folder;               ///< of the outputs
  std::vector<std::string> inputs;  ///< each with friends behind commas
  std::string postfix = "_Skim";
  std::string cut, json;
  std::string compression = "lzma:9";   ///< as configs name it
  std::vector<std::string> selections;  ///< files of branches, in the order in which they apply
  std::vector<std::string> left_out;    ///< options that no config has, a sentence for each
};

/// Reads a command line. Throws ConfigError for options that nano_postproc.py does not know, or lacks values
/// of, and for those that make no skim, with what to write instead.
NanoCommand parse_nano_command(const std::string& line);

/// Whether it is one.
bool is_nano_command(const std::string& line);

}  // namespace skimline::skims
