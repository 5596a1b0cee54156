// SPDX-License-Identifier: BSD-3-Clause
// `skimline rerun`: does again what made a file, and compares the bytes.
#include "commands.h"
#include "log.h"
#include "progress.h"
#include "shared_options.h"

#include "skimline/skims/rerun.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>

namespace skimline::skims {
namespace {

constexpr const char* kRerunFooter = R"help(
Examples:
  skimline rerun histograms.root                    into the folder rerun
  skimline rerun -o /tmp/again skims/dimuon.root

Runs the config in the record of an output once more, on the same inputs, which must be what they were: those that are
missing or have changed are named, with exit code 1. Exit code 0 if the file has the same bytes as what came of it, 4 if
not; then the differences are printed. 3 if the bytes are the same but the run, as the one before, was incomplete.)help";

struct RerunArguments {
  RerunOptions options;
  std::string progress = "auto";
  bool force = false;
  int threads = 0;
};

Outcome rerun_file(const RerunArguments& arguments, const Session& session) {
  const PreparedRerun prepared = prepare_rerun(arguments.options);
  for (const std::string& warning : prepared.warnings) log_marked(spdlog::level::warn, warning);
  Progress progress(progress_style(arguments.progress, session.log), "events");
  JobOptions job;
  job.threads = arguments.threads;
  job.overwrites = arguments.force;
  job.stop = session.stop;
  job.progress = [&](const JobProgress& done) { progress.show(done); };
  job.warn = [](const std::string& warning) { log_marked(spdlog::level::warn, warning); };
  const RerunReport report = rerun(arguments.options, prepared, job);
  progress.finish();
  const ExitCode if_same = report.job.is_complete() ? kDone : kIncomplete;
  return {to_text(report), report.has_same_bytes ? if_same : kDifferent};
}

Action add_rerun_options(CLI::App& command) {
  const auto arguments = std::make_shared<RerunArguments>();
  RerunOptions& options = arguments->options;
  options.output = "rerun";
  command.add_option("file", options.file, "Output of a run: histograms, or a skim")->required();
  command.add_option("-o,--output", options.output, "Folder for the new outputs, which is made")
      ->capture_default_str();
  command.add_option("--config-folder", options.config_folder,
                     "Folder that paths of the config are relative to, if the file does not know it");
  add_force(command, arguments->force);
  add_cache(command);
  add_progress(command, arguments->progress);
  add_threads(command, arguments->threads);
  return [arguments](const Session& session) { return rerun_file(*arguments, session); };
}

}  // namespace

const Command kRerunCommand{"rerun", "Do again what made a file, and compare the bytes", kRerunFooter, true,
                            add_rerun_options};

}  // namespace skimline::skims
