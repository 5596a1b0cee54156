// SPDX-License-Identifier: BSD-3-Clause
#include "run_command.h"

#include "log.h"
#include "progress.h"
#include "report/stage_names.h"
#include "trace_writer.h"
#include "validate_command.h"

#include "skimline/framework/error.h"
#include "skimline/io/job_mark.h"
#include "skimline/io/output_file.h"
#include "skimline/skims/config_reader.h"
#include "skimline/skims/job.h"
#include "skimline/skims/replaced_files.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>

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

void log_report(const JobReport& report, const Config& config) {
  for (std::size_t stage = 0; stage < kNumStages; ++stage)
    spdlog::debug("{}: {:.3f} s of all threads", kStageNames[stage], report.stage_seconds[stage]);
  for (const SampleReport& sample : report.samples)
    spdlog::debug("sample \"{}\": {} event(s) in {:.3f} s", sample.name, sample.num_entries, sample.seconds);
  for (const OutputFile& output : report.outputs)
    spdlog::debug("wrote {}: {}, {} bytes", output.path, output.content, output.bytes);
  if (!config.output.report_path.empty()) spdlog::debug("wrote {}: report", config.output.report_path);
}

// The timeline of a run, asked for or not, which is worth most when the run fails.
class Trace {
 public:
  explicit Trace(const Config& config) : config_(config), writer_(Clock::now()) {
    if (config.output.trace) file_ = std::make_unique<io::OutputFile>(config.output.trace->value);
  }
  void observe(JobOptions& options) {
    if (file_)
      options.observe = [this](std::string_view sample, const StageSpan& span) { writer_.add(sample, span); };
  }
  void write() {
    if (!file_) return;
    const std::string text = writer_.to_json();
    file_->write(0, std::as_bytes(std::span(text)));
    file_->complete(text.size());
    io::mark_as_output(file_->current_path(), job_of_run(config_, file_->path()));
    file_->publish();
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
  const Config& config_;
  TraceWriter writer_;
  std::unique_ptr<io::OutputFile> file_;
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
  JobOptions options;
  options.writes_report = true;
  options.overwrites = line.force;
  check_replaced(config, options);
  Trace trace(config);
  Progress progress(progress_style(line.progress, line.log.is_quiet), "events");
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
  log_report(report, config);
  try {
    trace.write();
  } catch (const FileError& error) {
    throw Error(std::string(error.what()) + "; output files are complete");
  }
  return {line.prints_report ? to_json(report) : to_text(report), report.is_complete() ? kDone : kIncomplete};
}

}  // namespace skimline::skims
