// SPDX-License-Identifier: BSD-3-Clause
#include "program.h"

#include "commands.h"
#include "log.h"
#include "progress.h"

#include "skimline/framework/runner.h"
#include "skimline/skims/diagnostics.h"
#include "skimline/skims/event_error.h"

#include <atomic>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>

#include <spdlog/spdlog.h>
#include <unistd.h>

namespace {

using namespace skimline;
using namespace skimline::skims;

std::atomic<bool> stop_requested{false};

// A second signal ends the process at once.
void request_stop(int number) {
  stop_requested = true;
  std::signal(number, SIG_DFL);
}

// What writes nothing has nothing to tidy up.
void end_at_once(int) { _exit(kInterrupted); }

bool writes_files(Command command) {
  return command == Command::kRun || command == Command::kGenerate || command == Command::kConvert ||
         command == Command::kMerge;
}

// What was asked for is printed also by a quiet program; what it says of its work only if that failed.
bool is_shown(const CommandLine& line, const Outcome& outcome) {
  const bool reports_work = writes_files(line.command) || line.command == Command::kInit ||
                            line.command == Command::kValidate || line.command == Command::kVerify;
  return !line.log.is_quiet || !reports_work || line.as_json || line.prints_report || outcome.code == kFailed;
}

void handle_signals(Command command) {
  void (*handle)(int) = writes_files(command) ? request_stop : end_at_once;
  std::signal(SIGINT, handle);
  std::signal(SIGTERM, handle);
  // nohup has it ignored.
  if (std::signal(SIGHUP, handle) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
  // A file larger than the shell allows becomes an error, after which nothing is left behind.
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace

int skimline::skims::run_program(int argc, char** argv) {
  const auto [line, exit_code] = parse_command_line(argc, argv);
  if (exit_code) return *exit_code;
  start_log(line.log, Progress::clear_line);
  handle_signals(line.command);
  try {
    const Outcome outcome = execute(line, stop_requested);
    if (is_shown(line, outcome)) std::cout << outcome.text.str() << std::flush;
    if (std::cout) return outcome.code;
    spdlog::error("standard output cannot be written; output files are complete");
    return kFailed;
  } catch (const Interrupted&) {
    spdlog::error("interrupted, no output was written");
    return kInterrupted;
  } catch (const MarkedError& error) {
    log_marked(spdlog::level::err, error.what());
    return kWrongUsage;
  } catch (const ConfigError& error) {
    log_marked(spdlog::level::err, shown(error.what()));
    return kWrongUsage;
  } catch (const EventError& error) {
    log_marked(spdlog::level::err, error.what());
  } catch (const Error& error) {
    spdlog::error("{}", shown(error.what()));
  } catch (const std::bad_alloc&) {
    spdlog::error(
        "not enough memory; fewer threads (-j) need less, and \"skimline plan\" estimates how much");
  } catch (const std::exception& error) {
    spdlog::critical("a fault of skimline itself: {}", error.what());
  }
  return kFailed;
}
