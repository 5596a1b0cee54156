// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/job.h"

#include "cutflow_output.h"
#include "file_checksum.h"
#include "interruption.h"
#include "job_progress.h"
#include "job_source.h"
#include "process_facts.h"
#include "sample_job.h"
#include "sample_mistakes.h"
#include "unused_names.h"

#include "skimline/framework/version.h"
#include "skimline/io/output_file.h"
#include "skimline/skims/plan_report.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <span>

namespace skimline::skims {
namespace {

// Devices stay, and links; the files they lead to go.
void remove_all(const std::vector<OutputFile>& files) {
  for (const OutputFile& file : files) {
    std::error_code ignored;
    const std::filesystem::path path = std::filesystem::canonical(file.path, ignored);
    if (std::filesystem::is_regular_file(path, ignored)) std::filesystem::remove(path, ignored);
  }
}

// All samples of a config, one after the other.
class Job {
 public:
  Job(const Config& config, const JobOptions& options) : config_(config), options_(options) {
    if (options_.threads <= 0) options_.threads = default_threads();
    if (config.memory_limit) {
      const PlanReport plan = plan_job(config, options_.threads);
      options_.threads = plan.threads;
      if (options_.max_slices_in_flight == 0) options_.max_slices_in_flight = plan.max_slices_in_flight;
    }
    for (const Sample& sample : config.samples) {
      stop_if_asked(options_.stop);
      samples_.push_back(std::make_unique<SampleJob>(config, sample, options_.threads));
    }
    check();
    for (const std::unique_ptr<SampleJob>& sample : samples_) sample->create_skims(options_);
    find_warnings();
    if (config.output.histograms) histograms_ = std::make_unique<HistogramOutput>(config, options_);
    if (config.output.cutflow) cutflow_ = std::make_unique<io::OutputFile>(config.output.cutflow_path);
  }

  JobReport run() {
    const auto start = std::chrono::steady_clock::now();
    report_.started = std::chrono::system_clock::now();
    const double processor_start = processor_seconds();
    JobProgressCount progress(extents(), options_.progress);
    for (const std::unique_ptr<SampleJob>& sample : samples_) {
      sample->run(options_, progress.next_sample());
      if (histograms_) sample->add_histograms(*histograms_);
      sample->finish(options_);
      add_to_report(*sample);
    }
    complete();
    report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report_.processor_seconds = processor_seconds() - processor_start;
    add_checksums();
    report_.peak_memory = peak_memory();
    report_.threads = options_.threads;
    return std::move(report_);
  }

 private:
  void check() const {
    std::vector<SampleMistakes> mistakes;
    for (const std::unique_ptr<SampleJob>& sample : samples_)
      mistakes.push_back({sample->sample(), sample->mistakes()});
    throw_mistakes(config_, mistakes);
  }

  // What skims keep is used too: they must be connected to the plan before.
  void find_warnings() {
    std::vector<const io::InputSource*> sources;
    for (const std::unique_ptr<SampleJob>& sample : samples_) sources.push_back(&sample->source());
    add_warnings(config_.warnings);
    add_warnings(warnings_of_defaults(config_, sources));
    std::vector<std::vector<std::string>> unused_names;
    for (const std::unique_ptr<SampleJob>& sample : samples_) {
      add_warnings(sample->warnings());
      unused_names.push_back(sample->unused_names());
    }
    add_warnings(warnings_of_unused(config_, unused_names));
  }

  std::vector<SampleExtent> extents() const {
    std::vector<SampleExtent> extents;
    for (const std::unique_ptr<SampleJob>& sample : samples_)
      extents.push_back({sample->sample(), sample->source().num_entries()});
    return extents;
  }

  // Samples mostly warn of the same.
  void add_warnings(const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings) {
      if (std::find(report_.warnings.begin(), report_.warnings.end(), warning) != report_.warnings.end())
        continue;
      report_.warnings.push_back(warning);
      if (options_.warn) options_.warn(warning);
    }
  }

  void add_to_report(const SampleJob& sample) {
    add_warnings(sample.late_warnings());
    report_.samples.push_back(sample.report());
    report_.num_files += sample.report().num_files;
    report_.num_entries += sample.report().num_entries;
    report_.read += sample.read();
    for (std::size_t stage = 0; stage < kNumStages; ++stage)
      report_.stage_seconds[stage] += sample.run_report().stage_seconds[stage];
  }

  RunRecord record_of(std::vector<SampleRecord> samples) const {
    return {.version = std::string(kVersion), .configs = {config_.resolved}, .samples = std::move(samples)};
  }

  // All files are on the storage before the first one gets its name, which then hardly can fail.
  void complete() {
    std::vector<SampleRecord> records;
    for (const std::unique_ptr<SampleJob>& sample : samples_) {
      records.push_back(sample->record());
      for (OutputFile& file :
           sample->complete_skims([&](SampleRecord record) { return record_of({std::move(record)}); }))
        report_.outputs.push_back(std::move(file));
    }
    report_.record = record_of(std::move(records));
    if (histograms_) complete_histograms();
    if (cutflow_) complete_cutflow();
    publish();
  }

  // Either all files appear, or none.
  void publish() {
    std::size_t num_published = 0;
    try {
      const auto publish = [&](auto& output) {
        output.publish();
        ++num_published;
      };
      for (const std::unique_ptr<SampleJob>& sample : samples_)
        for (const std::unique_ptr<SkimOutput>& skim : sample->skims()) publish(*skim);
      if (histograms_ && options_.writes_histograms) publish(*histograms_);
      if (cutflow_) publish(*cutflow_);
    } catch (...) {
      report_.outputs.resize(num_published);
      remove_all(report_.outputs);
      throw;
    }
  }

  void complete_cutflow() {
    const std::string& path = config_.output.cutflow_path;
    const std::string text = cutflow_text(path, report_);
    cutflow_->write(0, std::as_bytes(std::span(text)));
    cutflow_->complete(text.size());
    report_.outputs.push_back({path, "cutflow", text.size(), ""});
  }

  void add_checksums() {
    for (OutputFile& output : report_.outputs) {
      std::error_code ignored;
      if (std::filesystem::is_regular_file(output.path, ignored))
        output.checksum = file_checksum(output.path);
    }
  }

  void complete_histograms() {
    if (auto file = histograms_->complete(report_.record)) report_.outputs.push_back(std::move(*file));
    report_.histograms = histograms_->summary();
    add_warnings(histograms_->warnings());
  }

  const Config& config_;
  JobOptions options_;
  std::vector<std::unique_ptr<SampleJob>> samples_;
  std::unique_ptr<HistogramOutput> histograms_;
  std::unique_ptr<io::OutputFile> cutflow_;
  JobReport report_;
};

}  // namespace

bool JobReport::is_complete() const {
  return std::all_of(samples.begin(), samples.end(), [](const SampleReport& sample) {
    return sample.missing.empty() && sample.skipped.empty();
  });
}

JobReport run_job(const Config& config, const JobOptions& options) { return Job(config, options).run(); }

}  // namespace skimline::skims
