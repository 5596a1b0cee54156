// SPDX-License-Identifier: BSD-3-Clause
#include "sample_job.h"

#include "expression_places.h"
#include "histogram_specs.h"
#include "normalisation.h"
#include "steps_before.h"
#include "text_table.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

namespace skimline::skims {
namespace {

std::string point_name(const Config& config, std::optional<std::size_t> num_cuts) {
  const std::size_t count = num_cuts.value_or(config.select.size());
  return count == 0 ? kAllEvents : config.select[count - 1].name.value;
}

std::vector<RegionCount> regions_of(const Config& config, const JobPlan& job,
                                    const PlannedVariation& variation, const RunReport& run) {
  if (config.regions.empty()) return {};
  std::vector<CountedStep> selections;
  for (std::size_t i = 0; i < config.regions.size(); ++i)
    selections.push_back({config.regions[i].name.value, variation.regions[i]});
  const std::vector<CutflowStep> steps = steps_of(cutflow_of(selections, run, job.weights()));
  std::vector<RegionCount> counts;
  for (std::size_t i = 0; i < config.regions.size(); ++i) {
    const Region& region = config.regions[i];
    counts.push_back({steps[i], point_name(config, region.num_cuts),
                      run.entries_kept[job.point_before(region, variation).index]});
  }
  return counts;
}

RunOptions run_options(const JobOptions& options, const Sample& sample,
                       const std::function<void(std::uint64_t)>& progress) {
  RunOptions run;
  run.threads = options.threads;
  run.stop = options.stop;
  run.max_slices_in_flight = options.max_slices_in_flight;
  run.progress = progress;
  if (options.observe)
    run.observe = [&options, &sample](const StageSpan& span) { options.observe(sample.name.value, span); };
  return run;
}

// The first step of a cutflow behind those that inputs carry.
constexpr const char* kInputEvents = "events of the inputs";

}  // namespace

// What has to be made anew if an input turns out to be damaged.
struct SampleJob::Attempt {
  Attempt(const Config& config, const Sample& sample, SampleInputs& inputs, int threads)
      : source(inputs.open()),
        before(steps_before(sample, inputs)),
        histograms(set_options(config, threads)),
        normalisation(normalisation_of(config, sample, inputs, before, threads)),
        job(config, {sample, *source, histograms, threads, summed_weight(sample, before), normalisation}) {
    check_cross_section(sample, before, job);
  }

  std::unique_ptr<io::InputSource> source;
  std::optional<CarriedRecord> before;
  histograms::HistogramSet histograms;
  std::optional<double> normalisation;
  JobPlan job;
};

SampleJob::SampleJob(const Config& config, const Sample& sample, int threads)
    : config_(config), sample_(sample), threads_(threads), inputs_(config, sample) {
  plan();
}

SampleJob::~SampleJob() = default;

void SampleJob::plan() {
  skims_.clear();
  attempt_.reset();
  while (!attempt_) {
    try {
      attempt_ = std::make_unique<Attempt>(config_, sample_, inputs_, threads_);
    } catch (const FileError& fault) {
      inputs_.leave_out(fault);
    }
  }
}

const io::InputSource& SampleJob::source() const { return *attempt_->source; }
const Diagnostics& SampleJob::mistakes() const { return attempt_->job.mistakes(); }

std::vector<std::string> SampleJob::warnings() {
  std::vector<std::string> warnings = attempt_->job.warnings();
  if (attempt_->before)
    for (const std::string& warning : attempt_->before->warnings) warnings.push_back(warning);
  return warnings;
}

void SampleJob::create_skims(const JobOptions& options) {
  for (const PlannedSkim& skim : attempt_->job.skims())
    skims_.push_back(std::make_unique<SkimOutput>(sample_, skim, attempt_->job, options));
}

void SampleJob::run(const JobOptions& options, const std::function<void(std::uint64_t)>& progress) {
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    try {
      run_once(options, progress);
      break;
    } catch (const FileError& fault) {
      inputs_.leave_out(fault);
    }
    plan();
    create_skims(options);
  }
  report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void SampleJob::run_once(const JobOptions& options, const std::function<void(std::uint64_t)>& progress) {
  try {
    run_ = skimline::run(attempt_->job.build(), *attempt_->source, run_options(options, sample_, progress));
  } catch (const EvaluationError& error) {
    throw Error(place_in(config_, error.expression()) + ": " + error.what() + " (" + place_of(error.entry()) +
                ")");
  }
  attempt_->source->check_unchanged();
}

// "entry 12 of data.root", for the entry numbers of all files in sequence.
std::string SampleJob::place_of(std::uint64_t entry) const {
  for (const io::InputFacts& file : attempt_->source->files()) {
    if (entry < file.num_entries) return "entry " + std::to_string(entry) + " of " + file.path;
    entry -= file.num_entries;
  }
  return "an unknown entry";
}

void SampleJob::add_histograms(HistogramOutput& output) {
  output.add(sample_, attempt_->job, attempt_->histograms);
}

void SampleJob::finish(const JobOptions& options) {
  for (const std::unique_ptr<SkimOutput>& skim : skims_) {
    if (options.stop && *options.stop) throw Interrupted();
    run_with_threads(options.threads, [&] { skim->finish_events(); });
    skim->carry_beside(first_parts(), options);
  }
  run_.read = attempt_->source->statistics();  // with what completing the outputs took
  describe_inputs();
  count();
  attempt_.reset();
}

// Inputs whose first entry is processed here, not in another part.
std::vector<io::InputLocation> SampleJob::first_parts() const {
  std::vector<io::InputLocation> locations;
  for (std::size_t i = 0; i < inputs_.inputs().size(); ++i)
    if (inputs_.has_first_entry(i)) locations.push_back(inputs_.inputs()[i].location);
  return locations;
}

void SampleJob::describe_inputs() {
  record_.name = report_.name = sample_.name.value;
  for (const NamedValue& value : sample_.metadata)
    record_.metadata.emplace_back(value.name.value, value.value);
  const std::optional<CarriedRecord>& before = attempt_->before;
  record_.cross_section_pb = sample_.cross_section_pb;
  if (before && !record_.cross_section_pb) record_.cross_section_pb = before->cross_section_pb;
  record_.normalisation = attempt_->normalisation;
  record_.weight = summed_weight(sample_, before).value_or(Text{}).value;
  record_.num_carried_steps = before ? before->cutflow.counts.axes.front().names().size() : 0;
  record_.inputs = inputs_.records(*attempt_->source);
  record_.skipped = report_.skipped = inputs_.skipped();
  report_.num_files = inputs_.inputs().size();
  report_.num_entries = run_.num_entries;
  report_.promised_entries = inputs_.promised_entries();
  report_.missing = inputs_.broken_promises();
  report_.differences = attempt_->source->differences();
}

void SampleJob::count() {
  const JobPlan& job = attempt_->job;
  const Cutflow cutflow = with_steps_before(job.cutflow());
  record_.cutflow = cutflow.counts;
  record_.weighted_cutflow = cutflow.weights;
  report_.cutflow = steps_of(cutflow);
  check_normalisation();
  if (!job.n_minus_1().empty())
    report_.n_minus_1 = steps_of(cutflow_of(job.n_minus_1(), run_, job.weights()));
  report_.regions = regions_of(config_, job, job.nominal(), run_);
  for (const PlannedVariation& variation : std::span(job.variations()).subspan(1))
    report_.variations.push_back({variation.config->name.value,
                                  steps_of(with_steps_before(job.cutflow(variation))),
                                  regions_of(config_, job, variation, run_)});
  if (const auto certified = job.certified()) {
    const std::uint64_t accepted = run_.entries_kept[certified->index];
    report_.lumi = LumiCount{accepted, run_.num_entries - accepted};
  }
  for (const std::unique_ptr<SkimOutput>& skim : skims_)
    skim_cutflows_.push_back(with_steps_before(job.cutflow_of(skim->skim())));
}

Cutflow SampleJob::with_steps_before(std::vector<CountedStep> steps) const {
  const JobPlan& job = attempt_->job;
  if (attempt_->before) steps.front().name = kInputEvents;
  const Cutflow own = cutflow_of(steps, run_, job.weights());
  return attempt_->before ? joined(attempt_->before->cutflow, own) : own;
}

void SampleJob::check_normalisation() const {
  const double sum = report_.cutflow.front().sum_weights;
  if (!record_.cross_section_pb || config_.shard || (std::isfinite(sum) && sum > 0)) return;
  throw Error("the sample \"" + sample_.name.value +
              "\" has a cross section, but its sum of weights before any cut is " + format_number(sum) +
              ": it cannot be normalised");
}

std::vector<std::string> SampleJob::skim_warnings() const {
  std::vector<std::string> warnings;
  for (const std::unique_ptr<SkimOutput>& skim : skims_)
    warnings.insert(warnings.end(), skim->warnings().begin(), skim->warnings().end());
  return warnings;
}

std::vector<OutputFile> SampleJob::complete_skims(const std::function<RunRecord(SampleRecord)>& make) {
  std::vector<OutputFile> files;
  for (std::size_t i = 0; i < skims_.size(); ++i) {
    SampleRecord record = record_;
    record.cutflow = skim_cutflows_[i].counts;
    record.weighted_cutflow = skim_cutflows_[i].weights;
    files.push_back(skims_[i]->complete(make(std::move(record))));
  }
  return files;
}

}  // namespace skimline::skims
