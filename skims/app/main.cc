// SPDX-License-Identifier: BSD-3-Clause
// The program `skimline`: reads the command line, calls the library, prints what it returns.
#include "command_line.h"
#include "exit_code.h"
#include "progress.h"

#include "skimline/framework/runner.h"
#include "skimline/skims/config_reader.h"
#include "skimline/skims/inspection.h"

#include <atomic>
#include <csignal>
#include <exception>
#include <iostream>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace {

using namespace skimline;
using namespace skimline::skims;

std::atomic<bool> stop_requested{false};

void request_stop(int) { stop_requested = true; }

std::string run(const CommandLine& line) {
  Progress progress;
  JobOptions options{.threads = line.threads, .stop = &stop_requested, .progress = {}};
  options.progress = [&](std::uint64_t done, std::uint64_t total) { progress.show(done, total); };
  return to_text(run_job(read_config(line.config), options));
}

std::string inspect(const CommandLine& line) {
  const FileInspection inspection = inspect_file(line.location);
  return line.as_json ? to_json(inspection) : to_text(inspection);
}

std::string generate(const CommandLine& line) {
  Progress progress;
  GenerateOptions options = line.generate;
  options.events.model = parse_synthetic_model(line.model);
  options.compression = io::parse_compression(line.compression);
  options.threads = line.threads;
  options.stop = &stop_requested;
  options.progress = [&](std::uint64_t done) { progress.show(done, options.events.num_events); };
  return to_text(skims::generate(options));
}

std::string execute(const CommandLine& line) {
  switch (line.command) {
    case Command::kRun:
      return run(line);
    case Command::kInspect:
      return inspect(line);
    case Command::kGenerate:
      break;
  }
  return generate(line);
}

}  // namespace

int main(int argc, char** argv) {
  spdlog::set_default_logger(spdlog::stderr_color_st("skimline"));
  spdlog::set_pattern("%n: %^%l%$: %v");
  const auto [line, exit_code] = parse_command_line(argc, argv);
  if (exit_code) return *exit_code;
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
  // A file larger than the shell allows becomes an error, after which nothing is left behind.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    std::cout << execute(line) << std::flush;
    if (std::cout) return kDone;
    spdlog::error("standard output cannot be written; output files are complete");
    return kFailed;
  } catch (const Interrupted&) {
    spdlog::error("interrupted, no output was written");
    return kInterrupted;
  } catch (const ConfigError& error) {
    std::cerr << error.what() << "\n";
    return kWrongUsage;
  } catch (const Error& error) {
    spdlog::error("{}", error.what());
  } catch (const std::exception& error) {
    spdlog::critical("a fault of skimline itself: {}", error.what());
  }
  return kFailed;
}
