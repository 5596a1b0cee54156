// SPDX-License-Identifier: BSD-3-Clause
#include "program.h"

#include "command_line.h"
#include "log.h"
#include "parts_elsewhere.h"
#include "progress.h"
#include "standard_output.h"

#include "skimline/framework/runner.h"
#include "skimline/framework/several_problems.h"
#include "skimline/io/arrow_library.h"
#include "skimline/io/unfinished_outputs.h"
#include "skimline/skims/diagnostics.h"
#include "skimline/skims/event_error.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include <semaphore.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

namespace {

using namespace skimline;
using namespace skimline::skims;

std::atomic<bool> stop_requested{false};
sem_t stop_posted;

// Made before any signal comes: in a handler nothing can be.
std::string interrupted_message;
// Whoever sets it first says that the process was interrupted.
std::atomic_flag is_interruption_told;

void write_at_once(std::string_view text) {
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
}

// As long as no output was begun, nothing is left behind. A second signal ends the process at once.
void request_stop(int number) {
  if (!io::has_begun_outputs()) {
    write_at_once(interrupted_message);
    _exit(kInterrupted);
  }
  stop_requested = true;
  std::signal(number, SIG_DFL);
  sem_post(&stop_posted);
}

// A library that compresses a large page does not look whether it should stop: the process does not wait for
// it.
void end_soon() {
  constexpr std::chrono::milliseconds kPatience{700};
  while (sem_wait(&stop_posted) != 0) continue;
  std::this_thread::sleep_for(kPatience);
  if (!io::abandon_outputs() || is_interruption_told.test_and_set()) return;
  write_at_once(interrupted_message);
  _exit(kInterrupted);
}

// Without the thread a run ends too, but later.
void watch_for_stop() {
  sem_init(&stop_posted, 0, 0);
  try {
    std::thread(end_soon).detach();
  } catch (const std::system_error&) {
  }
}

// What writes nothing has nothing to tidy up.
void end_at_once(int) { _exit(kInterrupted); }

constexpr const char* kInterruptedText = "interrupted, no output was written";
constexpr const char* kNoMemory =
    "not enough memory; fewer threads (-j) need less, and \"skimline plan\" estimates how much";

// Libraries end the process where their own threads lack memory, or cannot be started.
[[noreturn]] void end_after_fault() {
  static std::atomic_flag is_ending;
  if (is_ending.test_and_set())
    for (;;) ::pause();
  io::remove_unfinished_outputs();
  write_at_once("skimline: error: ");
  try {
    if (const std::exception_ptr fault = std::current_exception()) std::rethrow_exception(fault);
    write_at_once("a fault of skimline itself");
  } catch (const std::bad_alloc&) {
    write_at_once(kNoMemory);
  } catch (const std::exception& error) {
    write_at_once(error.what());
  } catch (...) {
    write_at_once("a fault of skimline itself");
  }
  write_at_once("\n");
  _exit(kFailed);
}

std::string shown_error(const Error& error) {
  const bool has_lines = dynamic_cast<const HasOwnLines*>(&error) != nullptr;
  return has_lines ? ShownText(error.what()).str() : shown(error.what());
}

void handle_signals(bool writes_outputs) {
  std::set_terminate(end_after_fault);
  if (writes_outputs) watch_for_stop();
  void (*handle)(int) = writes_outputs ? request_stop : end_at_once;
  std::signal(SIGINT, handle);
  std::signal(SIGTERM, handle);
  // nohup has it ignored.
  if (std::signal(SIGHUP, handle) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
  // A file larger than the shell allows becomes an error, after which nothing is left behind.
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace

int skimline::skims::run_program(int argc, char** argv, const PythonPackage& python) {
  keep_standard_streams();
  CommandLine line;
  parse(line, argc, argv);
  if (line.exit_code) return *line.exit_code;
  start_log(line.log, Progress::clear_line);
  interrupted_message = error_line(line.log, kInterruptedText);
  handle_signals(line.command->writes_outputs);
  try {
    const Outcome outcome = line.action({line.log, &stop_requested, python});
    if (!line.log.is_quiet || outcome.is_result || outcome.code == kFailed)
      if (const std::string reason = print(outcome.text.str()); !reason.empty()) {
        spdlog::error("{}{}", unprinted(reason),
                      line.command->writes_outputs ? "; output files are complete" : "");
        return kFailed;
      }
    return outcome.code;
  } catch (const Interrupted&) {
    while (is_interruption_told.test_and_set()) ::pause();  // the process is about to end
    spdlog::error(kInterruptedText);
    return kInterrupted;
  } catch (const MarkedError& error) {
    log_marked(spdlog::level::err, error.what());
    return kWrongUsage;
  } catch (const ConfigError& error) {
    log_marked(spdlog::level::err, shown_error(error));
    return kWrongUsage;
  } catch (const LostParts& error) {
    spdlog::error("{}", error.what());
    return kIncomplete;
  } catch (const FileError& error) {
    spdlog::error("{}{}", shown_error(error), io::hint_at_copy(error));
  } catch (const EventError& error) {
    log_marked(spdlog::level::err, error.what());
  } catch (const Error& error) {
    spdlog::error("{}", shown_error(error));
  } catch (const std::bad_alloc&) {
    spdlog::error(kNoMemory);
  } catch (const std::filesystem::filesystem_error& error) {
    const std::string path = error.path1().empty() ? "the working folder" : error.path1().string();
    spdlog::error("{}: {}", shown(path), error.code().message());
  } catch (const std::exception& error) {
    spdlog::critical("a fault of skimline itself: {}", error.what());
  }
  return kFailed;
}
