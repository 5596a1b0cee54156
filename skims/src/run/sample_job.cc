// SPDX-License-Identifier: BSD-3-Clause
#include "run/sample_job.h"

#include "base/text_table.h"
#include "plan/carried_columns.h"
#include "plan/event_fault.h"
#include "plan/job_source.h"
#include "plan/plan_sample.h"
#include "plan/steps_before.h"

#include "skimline/framework/evaluation_purpose.h"
#include "skimline/io/text_digest.h"
#include "skimline/skims/interruptible.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <span>
#include <utility>

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

histograms::Histogram without_entries(const histograms::Histogram& histogram) {
  histograms::Histogram empty =
      histograms::empty_histogram(histogram.name, histogram.title, histogram.axes, histogram.storage);
  empty.value_title = histogram.value_title;
  return empty;
}

// Of a further file of a skim that is split: all is counted once, in the first.
SampleRecord uncounted(SampleRecord record) {
  record.cutflow = without_entries(record.cutflow);
  record.weighted_cutflow = without_entries(record.weighted_cutflow);
  record.skipped.clear();
  for (InputRecord& input : record.inputs) input.processed.clear();
  return record;
}

// The first step of a cutflow behind those that inputs carry.
constexpr const char* kInputEvents = "events of the inputs";

}  // namespace

SampleJob::SampleJob(const Config& config, const Sample& sample, int threads, const ResultStore* store)
    : config_(config), sample_(sample), threads_(threads), store_(store), inputs_(config, sample) {
  plan();
}

SampleJob::~SampleJob() = default;

void SampleJob::plan() {
  skims_.clear();
  planned_.reset();
  PlanningOptions options{.threads = threads_, .uncounted = uncounted_};
  if (store_) options.is_known = [](const ValueContent&) { return false; };  // what results are of is noted
  planned_ = plan_sample(config_, sample_, inputs_, options);
}

const io::InputSource& SampleJob::source() const { return *planned_->source; }
const Diagnostics& SampleJob::mistakes() const { return planned_->job.mistakes(); }

std::vector<std::string> SampleJob::warnings() { return planned_->warnings(); }
std::vector<std::string> SampleJob::unused_names() const { return planned_->job.unused_names(); }

void SampleJob::create_skims(const JobOptions& options) {
  has_parts_ = has_skim_parts();
  for (const PlannedSkim& skim : planned_->job.skims())
    skims_.push_back(std::make_unique<SkimOutput>(sample_, skim, planned_->job, options,
                                                  has_parts_ ? SkimSource::kParts : SkimSource::kEvents));
}

// A skim without a part would have nothing to be made of.
bool SampleJob::has_skim_parts() {
  return store_ && are_parts_alike_ && planned_->source->num_entries() > 0 &&
         !planned_->job.contents_of_skims().empty();
}

// Whether a TTree needs counts of its own for a list shows in its events: for each part in those of it alone.
// Where parts come to different branches the skims are written from the events.
void SampleJob::append_to_skims(const std::vector<std::string>& paths) {
  try {
    for (std::size_t i = 0; i < paths.size() && has_parts_ && are_parts_alike_; ++i)
      run_with_threads(threads_, [&] { skims_.at(i)->append(paths[i]); });
  } catch (const SchemaError&) {
    are_parts_alike_ = false;
  }
}

PlannedPass SampleJob::pass(const JobOptions& options, const std::function<void(std::uint64_t)>& progress) {
  return {planned_->job.build(), *planned_->source, run_options(options, sample_, progress), nullptr};
}

void SampleJob::take(PassResult result, const JobOptions& options,
                     const std::function<void(std::uint64_t)>& progress) {
  while (!is_done(result)) {
    const Interruptible planning(options.stop);
    plan();
    create_skims(options);
    result = store_ ? run_in_parts(options, progress) : run_again(options, progress);
  }
}

PassResult SampleJob::run_again(const JobOptions& options,
                                const std::function<void(std::uint64_t)>& progress) {
  PassResult result;
  PlannedPass again = pass(options, progress);
  again.complete = [&](PassResult found) { result = std::move(found); };
  run_together({std::move(again)}, options.threads);
  return result;
}

PassResult SampleJob::run_in_parts(const JobOptions& options,
                                   const std::function<void(std::uint64_t)>& progress) {
  at_fault_.reset();
  PassResult result;
  try {
    SampleParts parts(*planned_, inputs_, *store_, uncounted_, threads_);
    PartedResult made = run_parts(parts, run_options(options, sample_, progress),
                                  [this](const std::vector<std::string>& paths) { append_to_skims(paths); });
    at_fault_ = std::move(made.at_fault);
    results_ = std::move(made.totals.histograms);
    num_taken_ += made.num_taken;
    num_computed_ += made.num_computed;
    result = std::move(made.result);
  } catch (const FileError&) {
    result.fault = std::current_exception();
  }
  result.report.num_entries = planned_->source->num_entries();
  if (result.fault || skims_.empty() || has_parts_) return result;
  planned_->job.only_write();
  PassResult written = run_again(options, nullptr);
  result.fault = written.fault;
  result.report.seconds += written.report.seconds;
  for (std::size_t stage = 0; stage < kNumStages; ++stage)
    result.report.stage_seconds[stage] += written.report.stage_seconds[stage];
  return result;
}

// Whether the result stands. Throws a fault that another run would find too.
bool SampleJob::is_done(PassResult& result) {
  try {
    if (result.fault) std::rethrow_exception(result.fault);
    planned_->source->check_unchanged();
    if (has_parts_ && !are_parts_alike_) return false;
    run_ = std::move(result.report);
    report_.seconds += run_.seconds;
    return true;
  } catch (const FileError& fault) {
    inputs_.leave_out(fault);
  } catch (const EvaluationError& error) {
    leave_out_count(error);
  }
  return false;
}

// Cuts may rely on earlier ones. Then there is no such thing as the events that pass all but that one, which
// is no reason to lose everything else.
void SampleJob::leave_out_count(const EvaluationError& error) {
  const PlannedSample& planned = at_fault();
  const PlanUser user = user_of(error, planned);
  if (!user.cut_left_out) throw event_error(planned, error);
  uncounted_.insert(*user.cut_left_out);
  const Text& cut = config_.select[*user.cut_left_out].name;
  late_warnings_.push_back(
      marked_message(*config_.source, cut.location, "warning",
                     "the events of the sample \"" + sample_.name.value + "\" that pass all cuts but \"" +
                         cut.value + "\" are not counted: without it there is " + problem_text(error) + " (" +
                         event_text(planned, error.entry()) + ")"));
}

std::uint64_t SampleJob::histogram_bytes() const {
  return histograms::bytes_of(planned_->histograms.placements(), threads_);
}

void SampleJob::add_histograms(HistogramOutput& output) {
  if (store_)
    output.add(sample_, planned_->job, planned_->histograms,
               [&](std::size_t id) { return std::move(results_.at(id)); });
  else
    output.add(sample_, planned_->job, planned_->histograms,
               [&](std::size_t id) { return planned_->histograms.reduce(id); });
}

void SampleJob::finish(const JobOptions& options) {
  for (const std::unique_ptr<SkimOutput>& skim : skims_) {
    options.stop.throw_if_set();
    run_with_threads(options.threads, [&] { skim->finish_events(); });
    check_entries(*skim);
    skim->carry_beside(first_parts(), input_options(config_), options);
    for (const LeftOutOfSkim& each : skim->left_out())
      if (!each.columns.empty()) report_.left_out.push_back(each);
  }
  const ReadStatistics of_parts = store_ ? run_.read : ReadStatistics();
  run_.read = planned_->source->statistics();  // with what completing the outputs took
  run_.read += of_parts;
  describe_inputs();
  count();
  planned_.reset();
}

void SampleJob::check_entries(const SkimOutput& skim) const {
  const SelectionId events = planned_->job.cutflow_of(skim.skim()).back().events;
  const std::uint64_t promised = run_.entries_kept.at(events.index);
  if (skim.num_entries() != promised)
    throw Error(skim.path() + ": the skim has " + std::to_string(skim.num_entries()) + " events, and " +
                std::to_string(promised) + " pass its selection");
}

// Inputs beside which lies what is carried here, not in another part.
std::vector<io::InputLocation> SampleJob::first_parts() const {
  std::vector<io::InputLocation> locations;
  const std::vector<bool> is_counted = inputs_.counted_beside(Beside::kFolder);
  for (std::size_t i = 0; i < is_counted.size(); ++i)
    if (is_counted[i]) locations.push_back(inputs_.inputs()[i].location);
  return locations;
}

void SampleJob::describe_inputs() {
  record_.name = report_.name = sample_.name.value;
  for (const NamedValue& value : sample_.metadata)
    record_.metadata.emplace_back(value.name.value, value.value);
  const std::optional<CarriedRecord>& before = planned_->before;
  record_.cross_section_pb = sample_.cross_section_pb;
  if (before && !record_.cross_section_pb) record_.cross_section_pb = before->cross_section_pb;
  record_.normalisation = planned_->normalisation;
  record_.weight = summed_weight(sample_, before).value_or(Text{}).value;
  record_.num_carried_steps = before ? before->cutflow.counts.axes.front().names().size() : 0;
  record_.counted_by = planned_->job.counting();
  record_.inputs = inputs_.records(*planned_->source);
  record_.skipped = report_.skipped = inputs_.skipped();
  if (config_.shard && config_.shard->count > 1)
    record_.shards[{inputs_.whole().num_entries, inputs_.whole().digest}] = {
        static_cast<std::uint64_t>(config_.shard->count),
        {static_cast<std::uint64_t>(config_.shard->number)}};
  report_.num_files = inputs_.inputs().size();
  report_.num_entries = run_.num_entries;
  report_.promised_entries = inputs_.promised_entries();
  report_.missing = inputs_.broken_promises();
  report_.differences = differences_of(*planned_->source);
}

void SampleJob::count() {
  const JobPlan& job = planned_->job;
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
    const auto listed = job.listed();
    const std::uint64_t all = listed ? run_.entries_kept[listed->index] : run_.num_entries;
    report_.lumi = LumiCount{accepted, all - accepted};
    warn_of_mask(*report_.lumi);
  }
  for (const std::unique_ptr<SkimOutput>& skim : skims_)
    skim_cutflows_.push_back(with_steps_before(job.cutflow_of(skim->skim())));
}

// Of simulation, or of another year, nothing is left.
void SampleJob::warn_of_mask(const LumiCount& lumi) {
  const bool is_part = config_.entries || config_.shard;
  if (is_part || lumi.accepted != 0 || lumi.rejected == 0) return;
  late_warnings_.push_back(marked_message(*config_.source, sample_.lumi_mask->location, "warning",
                                          "the luminosity mask accepts no event of the sample \"" +
                                              sample_.name.value + "\": it is for other runs"));
}

Cutflow SampleJob::with_steps_before(std::vector<CountedStep> steps) const {
  const JobPlan& job = planned_->job;
  if (planned_->before) steps.front().name = kInputEvents;
  const Cutflow own = cutflow_of(steps, run_, job.weights());
  return planned_->before ? joined(planned_->before->cutflow, own) : own;
}

void SampleJob::check_normalisation() const {
  const double sum = report_.cutflow.front().sum_weights;
  const bool is_part = config_.entries || config_.shard;
  if (!record_.cross_section_pb || is_part || (std::isfinite(sum) && sum > 0)) return;
  throw Error("the sample \"" + sample_.name.value +
              "\" has a cross section, but its sum of weights before any cut is " + format_number(sum) +
              ": it cannot be normalised");
}

std::vector<std::string> SampleJob::late_warnings() const {
  std::vector<std::string> warnings = late_warnings_;
  for (const std::unique_ptr<SkimOutput>& skim : skims_)
    warnings.insert(warnings.end(), skim->warnings().begin(), skim->warnings().end());
  return warnings;
}

std::vector<OutputFile> SampleJob::complete_skims(const std::function<RunRecord(SampleRecord)>& make,
                                                  StopFlag stop) {
  std::vector<OutputFile> files;
  for (std::size_t i = 0; i < skims_.size(); ++i) {
    const SkimConfig& skim = *skims_[i]->skim().config;
    const SampleRecord whole = record_of_skim(i);
    if (!skim.split) {
      files.push_back(skims_[i]->complete(0, make(whole), stop));
      continue;
    }
    const std::string identity = io::text_digest(skim.name.value + "\n" + to_json(make(whole)));
    for (std::uint64_t number = 0; number < skims_[i]->num_files(); ++number) {
      SampleRecord record = number == 0 ? whole : uncounted(whole);
      record.files[identity] = {skims_[i]->num_files(), {number + 1}};
      files.push_back(skims_[i]->complete(number, make(std::move(record)), stop));
    }
  }
  return files;
}

SampleRecord SampleJob::record_of_skim(std::size_t skim) const {
  SampleRecord record = record_;
  record.cutflow = skim_cutflows_[skim].counts;
  record.weighted_cutflow = skim_cutflows_[skim].weights;
  return record;
}

std::vector<io::OutputFile*> SampleJob::skim_files() const {
  std::vector<io::OutputFile*> files;
  for (const std::unique_ptr<SkimOutput>& skim : skims_)
    for (std::size_t number = 0; number < skim->num_files(); ++number) files.push_back(&skim->file(number));
  return files;
}

}  // namespace skimline::skims
