// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/job.h"

#include "base/interruption.h"
#include "base/process_facts.h"
#include "config/read/run_files.h"
#include "config/read/split_files.h"
#include "config/read/unused_names.h"
#include "plan/input_checks.h"
#include "plan/job_source.h"
#include "plan/memory_plan.h"
#include "plan/sample_mistakes.h"
#include "record/record_text.h"
#include "report/html_report.h"
#include "report/yields.h"
#include "run/cutflow_output.h"
#include "run/job_progress.h"
#include "run/memory_choice.h"
#include "run/sample_job.h"
#include "run/sample_preview.h"
#include "run/split_of_parts.h"

#include "skimline/framework/slices_in_flight.h"
#include "skimline/framework/threads.h"
#include "skimline/framework/version.h"
#include "skimline/io/job_mark.h"
#include "skimline/io/output_file.h"
#include "skimline/skims/histogram_file.h"
#include "skimline/skims/interruptible.h"
#include "skimline/skims/replaced_files.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

namespace skimline::skims {
namespace {

void write(io::OutputFile& file, const std::string& text) {
  file.write(0, std::as_bytes(std::span(text)));
  file.complete(text.size());
}

PlanReport plan_once(const Config& config, int threads, std::vector<MemoryDemand>& demands) {
  PlanReport report;
  report.threads = threads;
  std::vector<std::unique_ptr<SamplePreview>> previews;
  std::vector<SampleMistakes> mistakes;
  std::vector<const io::InputSource*> sources;
  std::vector<std::vector<std::string>> unused_names;
  std::vector<OpenedSample> opened;
  open_ahead(config);
  for (const Sample& sample : config.samples) {
    previews.push_back(std::make_unique<SamplePreview>(config, sample, report.threads));
    mistakes.push_back(previews.back()->mistakes());
    sources.push_back(&previews.back()->source());
    opened.push_back(previews.back()->opened());
  }
  throw_mistakes(config, mistakes);
  for (const ModelConfig& model : config.models)
    report.models.push_back({model.name.value, model.path, model.checksum, model.evaluator});
  std::unordered_set<std::string> told;
  const auto warn = [&](const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings)
      if (told.insert(warning).second) report.warnings.push_back(warning);
  };
  warn(config.warnings);
  warn(warnings_of_inputs(config, opened));
  warn(warnings_of_defaults(config, sources));
  for (const std::unique_ptr<SamplePreview>& preview : previews) {
    for (const SkippedInput& skipped : preview->skipped()) warn({"warning: left out: " + skipped.problem});
    report.samples.push_back(preview->plan());
    warn(preview->warnings());
    unused_names.push_back(preview->unused_names());
    demands.push_back(preview->demand());
  }
  warn(warnings_of_unused(config, unused_names));
  return report;
}

// Histograms of a sample that begins before the one before has ended: bytes of all threads.
constexpr std::uint64_t kMostOfSamplesTogether = 64 * 1024 * 1024;

// All samples of a config.
class Job {
 public:
  Job(const Config& config, const JobOptions& options) : config_(config), options_(options) {
    if (options_.threads <= 0) options_.threads = default_threads();
    const int wanted = std::exchange(options_.threads, available_threads(options_.threads));
    thread_warning_ = warning_of_threads(wanted, options_.threads);
    if (config.memory_limit) keep_memory_limit();
    if (!options_.store.empty()) refuse_split_of_parts(config);
    if (!options_.store.empty()) store_ = std::make_unique<ResultStore>(options_.store);
    open_ahead(config);
    for (const Sample& sample : config.samples) {
      options_.stop.throw_if_set();
      samples_.push_back(std::make_unique<SampleJob>(config, sample, options_.threads, store_.get()));
    }
    check();
    check_replaced(config_, options_);
    for (const std::unique_ptr<SampleJob>& sample : samples_) sample->create_skims(options_);
    find_warnings();
    if (config.output.histograms) histograms_ = std::make_unique<HistogramOutput>(config, options_);
    const OutputConfig& output = config.output;
    if (output.cutflow) cutflow_ = std::make_unique<io::OutputFile>(output.cutflow_path);
    if (options_.writes_report && !output.report_path.empty())
      report_file_ = std::make_unique<io::OutputFile>(output.report_path);
    if (options_.writes_report && output.html_report)
      html_file_ = std::make_unique<io::OutputFile>(output.html_report_path);
  }

  JobReport run() {
    const auto start = std::chrono::steady_clock::now();
    report_.started = std::chrono::system_clock::now();
    const double processor_start = processor_seconds();
    JobProgressCount progress(extents(), options_.progress);
    if (config_.opened_files->is_slow()) start_threads(options_.threads);
    run_samples(progress);
    complete();
    report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report_.processor_seconds = processor_seconds() - processor_start;
    report_.peak_memory = peak_memory();
    report_.threads = options_.threads;
    write_reports();
    check_replaced(config_, options_);  // what others have put there meanwhile stays too
    io::publish_together(files_, options_.stop);
    remove_left_overs();
    return std::move(report_);
  }

 private:
  void keep_memory_limit() {
    const PlanReport plan = plan_job(config_, options_.threads);
    MemoryChoice choice{plan.threads, plan.max_slices_in_flight};
    if (!options_.store.empty())
      for (const Sample& sample : config_.samples) {
        const MemoryChoice own = choice_for(config_, sample, choice.threads, KeptResults::kOfPartAndTotal);
        choice = {own.threads, std::min(choice.slices, own.slices)};
      }
    options_.threads = choice.threads;
    if (options_.max_slices_in_flight == 0) options_.max_slices_in_flight = choice.slices;
  }

  void check() const {
    std::vector<SampleMistakes> mistakes;
    for (const std::unique_ptr<SampleJob>& sample : samples_)
      mistakes.push_back({sample->sample(), sample->mistakes()});
    throw_mistakes(config_, mistakes);
  }

  // What skims keep is used too: they must be connected to the plan before.
  void find_warnings() {
    std::vector<const io::InputSource*> sources;
    std::vector<OpenedSample> opened;
    for (const std::unique_ptr<SampleJob>& sample : samples_) {
      sources.push_back(&sample->source());
      opened.push_back({sample->sample(), sample->inputs().inputs(), sample->source()});
    }
    add_warnings(config_.warnings);
    if (!thread_warning_.empty()) add_warnings({thread_warning_});
    add_warnings(warnings_of_inputs(config_, opened));
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
    for (const std::unique_ptr<SampleJob>& sample : samples_) {
      extents.push_back({sample->sample(), sample->source().num_entries(), {}});
      for (const io::InputFacts& file : sample->source().files())
        extents.back().file_bytes.push_back(file.file_bytes);
    }
    return extents;
  }

  // Samples mostly warn of the same.
  void add_warnings(const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings) {
      if (!given_warnings_.insert(warning).second) continue;
      report_.warnings.push_back(warning);
      if (options_.warn) options_.warn(warning);
    }
  }

  void run_in_parts(JobProgressCount& progress) {
    report_.store.emplace();
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      SampleJob& sample = *samples_[i];
      const std::function<void(std::uint64_t)> tell = progress.of_sample(i);
      sample.take(sample.run_in_parts(options_, tell), options_, tell);
      report_.store->num_taken += sample.num_taken();
      report_.store->num_computed += sample.num_computed();
      complete_sample(sample);
    }
  }

  void run_samples(JobProgressCount& progress) {
    if (store_) return run_in_parts(progress);
    std::vector<PlannedPass> passes;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const std::function<void(std::uint64_t)> tell = progress.of_sample(i);
      passes.push_back(samples_[i]->pass(options_, tell));
      passes.back().complete = [this, i, tell](PassResult result) {
        samples_[i]->take(std::move(result), options_, tell);
        complete_sample(*samples_[i]);
      };
    }
    if (samples_share_time()) return run_together(std::move(passes), options_.threads);
    for (PlannedPass& pass : passes) run_together({std::move(pass)}, options_.threads);
  }

  // What samples need would add up.
  bool samples_share_time() const {
    std::uint64_t most = 0;
    for (const std::unique_ptr<SampleJob>& sample : samples_)
      most = std::max(most, sample->histogram_bytes());
    return !config_.memory_limit && most <= kMostOfSamplesTogether;
  }

  void complete_sample(SampleJob& sample) {
    if (histograms_) sample.add_histograms(*histograms_);
    sample.finish(options_);
    add_to_report(sample);
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
      std::vector<OutputFile> skims = sample->complete_skims(
          [&](SampleRecord record) { return record_of({std::move(record)}); }, options_.stop);
      const std::vector<io::OutputFile*> files = sample->skim_files();
      for (std::size_t i = 0; i < skims.size(); ++i) add_output(std::move(skims[i]), *files[i]);
    }
    report_.record = record_of(std::move(records));
    if (histograms_) complete_histograms();
    if (cutflow_) complete_cutflow();
  }

  // Of an earlier run that has split a skim into more files.
  void remove_left_overs() const {
    for (const std::unique_ptr<SampleJob>& sample : samples_)
      for (const std::unique_ptr<SkimOutput>& skim : sample->skims()) {
        const SkimConfig& config = *skim->skim().config;
        if (!config.split) continue;
        std::error_code ignored;
        for (const auto& [number, path] : existing_split_files(config, sample->sample())) {
          const WrittenFile file{WrittenKind::kSkim, path, "", {}, &config, &sample->sample()};
          if (number > skim->num_files() && may_replace(file, config_, options_))
            std::filesystem::remove(path, ignored);
        }
      }
  }

  void write_reports() {
    if (report_file_) add_report(*report_file_, to_json(report_));
    if (!html_file_) return;
    const std::string job = std::filesystem::path(config_.source->path).filename().string();
    add_report(*html_file_, to_html(report_, written_.get(), job));
  }

  void add_report(io::OutputFile& file, const std::string& text) {
    write(file, text);
    io::mark_as_output(file.current_path(), job_of_run(config_, file.path()));
    files_.push_back(&file);
  }

  void add_output(OutputFile output, io::OutputFile& file) {
    output.checksum = file.checksum(options_.threads);
    io::mark_as_output(file.current_path(), job_of_run(config_, output.path));
    report_.outputs.push_back(std::move(output));
    files_.push_back(&file);
  }

  void complete_cutflow() {
    const std::string& path = config_.output.cutflow_path;
    const std::string text = cutflow_text(path, report_);
    write(*cutflow_, text);
    add_output({path, "cutflow", text.size(), ""}, *cutflow_);
  }

  void complete_histograms() {
    if (auto output = histograms_->complete(report_.record))
      add_output(std::move(*output), *histograms_->file());
    report_.histograms = histograms_->summary();
    find_yields();
    add_warnings(histograms_->warnings());
  }

  // As those find them who read the outputs: what is printed is what was written. Of the record that is not
  // read again, as the inputs may be thousands.
  void find_yields() {
    io::OutputFile* file = histograms_->file();
    std::error_code ignored;
    if (!file || !std::filesystem::is_regular_file(file->current_path(), ignored)) return;
    written_ = std::make_unique<const HistogramFile>(file->current_path(), is_json(config_.output));
    RunRecord record = report_.record;
    for (SampleRecord& sample : record.samples) sample.inputs.clear();
    make_canonical(record);
    report_.yields = std::make_shared<const Yields>(yields_of(record, written_.get()));
  }

  const Config& config_;
  JobOptions options_;
  std::string thread_warning_;
  std::unique_ptr<const ResultStore> store_;
  std::vector<std::unique_ptr<SampleJob>> samples_;
  std::unique_ptr<HistogramOutput> histograms_;
  std::unique_ptr<io::OutputFile> cutflow_, report_file_, html_file_;
  std::unique_ptr<const HistogramFile> written_;
  std::vector<io::OutputFile*> files_;  // that are complete, to be published
  JobReport report_;
  std::unordered_set<std::string> given_warnings_;
};

}  // namespace

// With fewer threads, more histograms may have a copy for each of them, so that the plan is made anew.
PlanReport plan_job(const Config& config, int threads) {
  int wanted = threads > 0 ? threads : default_threads();
  for (;;) {
    std::vector<MemoryDemand> demands;
    PlanReport report = plan_once(config, wanted, demands);
    MemoryChoice choice{wanted, default_slices_in_flight(static_cast<std::size_t>(wanted))};
    if (config.memory_limit) {
      choice = choice_within(config, demands, wanted);
      report.memory_limit = config.memory_limit->bytes;
    }
    report.max_slices_in_flight = choice.slices;
    for (std::size_t i = 0; i < demands.size(); ++i)
      report.samples[i].memory = estimate_memory(demands[i], choice);
    if (choice.threads == wanted) return report;
    wanted = choice.threads;
  }
}

JobReport run_job(const Config& config, const JobOptions& options) {
  const Interruptible planning(options.stop);
  const io::StoppedReads reads(config.opened_files->stop(), options.stop);
  return Job(config, options).run();
}

}  // namespace skimline::skims
