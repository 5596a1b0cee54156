// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/job_parts.h"

#include "parts/sample_parts.h"
#include "plan/event_fault.h"
#include "plan/plan_sample.h"
#include "plan/sample_mistakes.h"
#include "run/parted_run.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/skims/interruptible.h"
#include "skimline/skims/result_block.h"

#include <utility>

namespace skimline::skims {
namespace {

using histograms::Histogram;

// One sample, opened and planned.
struct OpenedParts {
  OpenedParts(const Config& config, const Sample& sample, const ResultStore& store,
              const PartOptions& options)
      : inputs(config, sample),
        planned(plan_sample(config, sample, inputs, planning_options(sample, options))),
        parts(*planned, inputs, store, {}, options.threads) {}

  static PlanningOptions planning_options(const Sample& sample, const PartOptions& options) {
    PlanningOptions planning{.threads = options.threads};
    planning.is_known = [](const ValueContent&) { return false; };
    const auto known = options.normalisations.find(sample.name.value);
    if (known != options.normalisations.end()) planning.normalisation_elsewhere = known->second;
    return planning;
  }

  SampleInputs inputs;
  std::unique_ptr<PlannedSample> planned;
  SampleParts parts;
};

// A cell of a histogram that few fills are in takes less.
std::uint64_t bytes_of(const Histogram& histogram) {
  constexpr std::uint64_t kBytesOfCount = 4, kBytesOfSum = 12;
  const bool counts = !histograms::has_weights(histogram.storage);
  return histogram.num_cells() *
         (counts ? kBytesOfCount : kBytesOfSum * histograms::num_sums(histogram.storage));
}

}  // namespace

class JobParts::Implementation {
 public:
  Implementation(const Config& config, PartOptions options)
      : config_(config),
        options_(std::move(options)),
        store_(options_.store),
        opened_(config.samples.size()) {
    if (options_.threads <= 0) options_.threads = default_threads();
  }

  std::vector<PartFacts> parts(StopFlag stop) {
    const Interruptible planning(stop);
    std::vector<SampleMistakes> mistakes;
    for (std::size_t i = 0; i < opened_.size(); ++i)
      mistakes.push_back({config_.samples[i], sample(i).planned->job.mistakes()});
    throw_mistakes(config_, mistakes);
    std::vector<PartFacts> facts;
    for (std::size_t i = 0; i < opened_.size(); ++i) add_parts(i, facts);
    return facts;
  }

  std::optional<double> normalisation(std::size_t number) { return sample(number).planned->normalisation; }

  void compute(const PartFacts& part, StopFlag stop) {
    const Interruptible reading(stop);
    compute_part(parts_with(part), part.number, run_options(stop));
  }

  std::optional<SumFacts> sum_facts(std::size_t number) {
    const SampleParts& parts = sample(number).parts;
    std::optional<std::string> digest = parts.digest();
    if (!digest) return std::nullopt;
    SumFacts facts{.digest = std::move(*digest)};
    for (const Histogram& each : parts.empty_in_order()) {
      facts.cells += each.num_cells();
      facts.bytes += bytes_of(each);
    }
    return facts;
  }

  std::vector<std::string> compute_blocks(const PartFacts& part, const SumFacts& sum,
                                          std::uint32_t num_blocks, StopFlag stop) {
    const Interruptible reading(stop);
    const auto results = results_of_part(parts_with(part), part.number, run_options(stop));
    if (!results) return {};
    return blocks_of(*results, {sum.digest, {0, num_blocks}, {{part.number, part.number + 1}}});
  }

  std::vector<std::pair<std::size_t, Histogram>> read_sum(std::size_t number,
                                                          std::span<const std::string_view> blocks) {
    std::vector<Histogram> results = sample(number).parts.empty_in_order();
    std::vector<std::pair<std::size_t, Histogram>> read;
    for (const std::size_t each : read_blocks(blocks, results))
      read.emplace_back(each, std::move(results[each]));
    return read;
  }

 private:
  const SampleParts& parts_with(const PartFacts& part) {
    const SampleParts& parts = sample(part.sample).parts;
    if (part.number >= parts.parts().size() || parts.keys_of(part.number).part() != part.key)
      throw FileError(part.file, "is not the file that the run was planned with, or has other options");
    return parts;
  }

  RunOptions run_options(StopFlag stop) const {
    RunOptions run;
    run.threads = options_.threads;
    run.stop = stop;
    return run;
  }

  OpenedParts& sample(std::size_t number) {
    std::unique_ptr<OpenedParts>& opened = opened_.at(number);
    if (!opened) opened = std::make_unique<OpenedParts>(config_, config_.samples[number], store_, options_);
    return *opened;
  }

  void add_parts(std::size_t number, std::vector<PartFacts>& facts) {
    const OpenedParts& opened = sample(number);
    const std::vector<Part>& parts = opened.parts.parts();
    for (std::size_t i = 0; i < parts.size(); ++i)
      facts.push_back({number, i, opened.inputs.inputs()[parts[i].file].name, parts[i].entries_of_file(),
                       parts[i].bytes, opened.parts.keys_of(i).part(), opened.parts.is_known(i)});
  }

  const Config& config_;
  PartOptions options_;
  const ResultStore store_;
  std::vector<std::unique_ptr<OpenedParts>> opened_;  // by sample, once one asks for it
};

JobParts::JobParts(const Config& config, PartOptions options)
    : implementation_(std::make_unique<Implementation>(config, std::move(options))) {}
JobParts::~JobParts() = default;

std::vector<PartFacts> JobParts::parts(StopFlag stop) { return implementation_->parts(stop); }
std::optional<double> JobParts::normalisation(std::size_t sample) {
  return implementation_->normalisation(sample);
}
void JobParts::compute(const PartFacts& part, StopFlag stop) { implementation_->compute(part, stop); }
std::optional<SumFacts> JobParts::sum_facts(std::size_t sample) { return implementation_->sum_facts(sample); }
std::vector<std::string> JobParts::compute_blocks(const PartFacts& part, const SumFacts& sum,
                                                  std::uint32_t num_blocks, StopFlag stop) {
  return implementation_->compute_blocks(part, sum, num_blocks, stop);
}
std::vector<std::pair<std::size_t, Histogram>> JobParts::read_sum(std::size_t sample,
                                                                  std::span<const std::string_view> blocks) {
  return implementation_->read_sum(sample, blocks);
}

}  // namespace skimline::skims
