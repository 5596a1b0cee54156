// SPDX-License-Identifier: BSD-3-Clause
// A command of the program: how it is called, and what it does.
#pragma once

#include "exit_code.h"
#include "log.h"
#include "python_package.h"

#include "skimline/framework/stop_flag.h"
#include "skimline/skims/shown_text.h"

#include <functional>

namespace CLI {  // NOLINT(readability-identifier-naming): of CLI11
class App;
}

namespace skimline::skims {

/// What a command prints, and how it ended.
struct Outcome {
  ShownText text;
  ExitCode code = kDone;
  /// Whether the text is what was asked for. Else it says what was done: a quiet program does so only if that
  /// failed.
  bool is_result = true;
};

/// What is around a command while it is carried out.
struct Session {
  const LogOptions& log;
  StopFlag stop;
  const PythonPackage& python;
};

/// Carries out a command. Throws what the library throws, Interrupted soon after `stop` is set.
using Action = std::function<Outcome(const Session&)>;

struct Command {
  const char* name;
  const char* description;
  const char* footer;  ///< of its help: examples and further paragraphs
  /// Whether it writes outputs, which are whole or absent: an interrupt then ends it soon, else at once.
  bool writes_outputs;
  /// Adds its options to the program's command, and returns what it does with what they are then set to.
  Action (*add_options)(CLI::App& command);
};

}  // namespace skimline::skims
