// SPDX-License-Identifier: BSD-3-Clause
#include "run_command.h"

#include "log.h"
#include "progress.h"
#include "report_file.h"
#include "stage_names.h"
#include "trace_writer.h"
#include "validate_command.h"

#include "skimline/skims/config_reader.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include <malloc.h>
#include <spdlog/spdlog.h>

namespace skimline::skims {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What the C library keeps for later counts as memory of the process, too.
void give_memory_back_early() {
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
  mallopt(M_ARENA_MAX, 2);
}

Config read_logged(const CommandLine& line) {
  const Clock::time_point start = Clock::now();
  Config config = read_config(line.config, line.options);
  if (config.memory_limit) give_memory_back_early();
  for (const Sample& sample : config.samples)
    spdlog::debug("sample \"{}\": {} input(s)", sample.name.value, sample.inputs.size());
  spdlog::debug("read {}: {} sample(s), {} histogram(s), {} skim(s), in {:.3f} s", line.config,
                config.samples.size(), config.histograms.size(), config.skims.size(), seconds_since(start));
  for (const std::string& warning : config.warnings) log_marked(spdlog::level::warn, warning);
  return config;
}

void log_report(const JobReport& report, const ReportFile& file) {
  for (std::size_t stage = 0; stage < kNumStages; ++stage)
    spdlog::debug("{}: {:.3f} s of all threads", kStageNames[stage], report.stage_seconds[stage]);
  for (const SampleReport& sample : report.samples)
    spdlog::debug("sample \"{}\": {} event(s) in {:.3f} s", sample.name, sample.num_entries, sample.seconds);
  for (const OutputFile& output : report.outputs)
    spdlog::debug("wrote {}: {}, {} bytes", output.path, output.content, output.bytes);
  if (!file.path().empty()) spdlog::debug("wrote {}: report", file.path());
}

// The timeline of a run, asked for or not, which is worth most when the run fails.
class Trace {
 public:
  Trace(const std::string& path, const ReportFile& report, const Config& config) : writer_(Clock::now()) {
    if (path.empty()) return;
    if (!report.path().empty() && is_same_file(path, report.path()))
      throw ConfigError("--trace: \"" + path + "\" is also the report");
    file_.emplace("--trace", path, config);
  }
  void observe(JobOptions& options) {
    if (file_)
      options.observe = [this](std::string_view sample, const StageSpan& span) { writer_.add(sample, span); };
  }
  void write() {
    if (!file_) return;
    file_->write(writer_.to_json());
    spdlog::debug("wrote {}: trace", file_->path());
  }
  void write_after_fault() {
    try {
      write();
    } catch (const Error& error) {
      spdlog::error("{}", error.what());
    }
  }

 private:
  TraceWriter writer_;
  std::optional<SideFile> file_;
};

JobReport run_traced(const Config& config, const JobOptions& options, Trace& trace) {
  try {
    return run_job(config, options);
  } catch (...) {
    trace.write_after_fault();
    throw;
  }
}

}  // namespace

Outcome run(const CommandLine& line, const std::atomic<bool>& stop) {
  if (line.is_dry_run) return dry_run(line);
  const Config config = read_logged(line);
  ReportFile file(line.report, config);
  Trace trace(line.trace, file, config);
  Progress progress(progress_style(line.progress, line.log.is_quiet), "events");
  JobOptions options;
  options.threads = line.threads;
  options.stop = &stop;
  options.progress = [&](const JobProgress& job) { progress.show(job); };
  const std::vector<std::string>& known = config.warnings;
  options.warn = [&](const std::string& warning) {
    if (std::find(known.begin(), known.end(), warning) == known.end())
      log_marked(spdlog::level::warn, warning);
  };
  trace.observe(options);
  const JobReport report = run_traced(config, options, trace);
  progress.finish();
  file.write(report);
  log_report(report, file);
  try {
    trace.write();
  } catch (const FileError& error) {
    throw Error(std::string(error.what()) + "; output files are complete");
  }
  return {file.is_standard_output() ? to_json(report) : to_text(report),
          report.is_complete() ? kDone : kIncomplete};
}

}  // namespace skimline::skims
