// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/job_parts.h"

#include "parts/sample_parts.h"
#include "parts/sum_files.h"
#include "plan/event_fault.h"
#include "plan/plan_sample.h"
#include "plan/result_sizes.h"
#include "plan/sample_mistakes.h"
#include "run/memory_choice.h"
#include "run/parted_run.h"
#include "run/split_of_parts.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/url.h"
#include "skimline/skims/interruptible.h"
#include "skimline/skims/result_block.h"

#include <filesystem>
#include <tuple>
#include <utility>

namespace skimline::skims {
namespace {

using histograms::Histogram;

// One sample, opened and planned.
struct OpenedParts {
  OpenedParts(const Config& config, const Sample& sample, const ResultStore& store,
              const PartOptions& options)
      : memory(choice_for(config, sample, options.threads,
                          options.store.empty() ? KeptResults::kOfPartAndTotal : KeptResults::kNever)),
        inputs(config, sample),
        planned(plan_sample(config, sample, inputs, planning_options(sample, options, memory.threads))),
        parts(*planned, inputs, store, {}, memory.threads) {}

  static PlanningOptions planning_options(const Sample& sample, const PartOptions& options, int threads) {
    PlanningOptions planning{.threads = threads};
    planning.is_known = [](const ValueContent&) { return false; };
    const auto known = options.samples.find(sample.name.value);
    if (known != options.samples.end()) planning.normalisation_elsewhere = known->second.normalisation;
    return planning;
  }

  RunOptions run_options(StopFlag stop) const {
    RunOptions run;
    run.threads = memory.threads;
    run.max_slices_in_flight = memory.slices;
    run.stop = stop;
    return run;
  }

  MemoryChoice memory;
  SampleInputs inputs;
  std::unique_ptr<PlannedSample> planned;
  SampleParts parts;
};

// As a process in another folder opens it.
std::string absolute(const std::string& path) {
  return io::is_url(path) ? path : std::filesystem::absolute(path).string();
}

// A config as if the file of a part were all that its sample has.
Config config_of_file(const Config& config, const PartFacts& part) {
  Config own = config;
  own.samples = {config.samples.at(part.sample)};
  own.samples.front().inputs = {{{part.path, part.ntuple}, part.file, std::nullopt, {}}};
  own.entries.reset();
  own.limit_events.reset();
  own.shard.reset();
  own.known_files.clear();  // keys of parts know the file
  own.opened_files = std::make_shared<io::OpenedFiles>();
  return own;
}

// The one file of some parts.
struct OpenedFile {
  OpenedFile(const Config& whole, const PartFacts& part, const ResultStore& store, const PartOptions& options)
      : config(config_of_file(whole, part)), opened(config, config.samples.front(), store, options) {}

  Config config;
  OpenedParts opened;
};

// A part among the parts that are open here, which need not be all of its sample.
struct OpenedPart {
  OpenedParts& opened;
  std::size_t number;
};

OpenedPart checked(OpenedParts& opened, std::size_t number, const PartFacts& part) {
  if (number >= opened.parts.parts().size() || opened.parts.keys_of(number).part() != part.key)
    throw FileError(part.file, "is not the file that the run was planned with, or has other options");
  return {opened, number};
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
    refuse_split_of_parts(config_);
    std::vector<SampleMistakes> mistakes;
    for (std::size_t i = 0; i < opened_.size(); ++i)
      mistakes.push_back({config_.samples[i], sample(i).planned->job.mistakes()});
    throw_mistakes(config_, mistakes);
    std::vector<PartFacts> facts;
    for (std::size_t i = 0; i < opened_.size(); ++i) add_parts(i, facts);
    return facts;
  }

  SampleFacts facts(std::size_t number) {
    const OpenedParts& opened = sample(number);
    return {opened.planned->normalisation, opened.parts.computed(), opened.parts.need_all_files()};
  }

  bool compute(const PartFacts& part, StopFlag stop) {
    const Interruptible reading(stop);
    const auto [opened, number] = opened_part(part);
    return compute_part(opened.parts, number, opened.run_options(stop));
  }

  std::optional<SumFacts> sum_facts(std::size_t number) {
    const SampleParts& parts = sample(number).parts;
    std::optional<std::string> digest = parts.digest();
    if (!digest) return std::nullopt;
    SumFacts facts{.digest = std::move(*digest)};
    for (const Histogram& each : parts.empty_in_order()) {
      facts.cells += each.num_cells();
      facts.bytes += packed_bytes(each);
    }
    return facts;
  }

  bool make_skims() {
    for (std::size_t i = 0; i < opened_.size(); ++i)
      if (sample(i).parts.make_skims()) return true;
    return false;
  }

  // A block has the number of the part among all parts of the sample.
  std::vector<std::string> compute_blocks(const PartFacts& part, const SumFacts& sum,
                                          std::uint32_t num_blocks, StopFlag stop) {
    const Interruptible reading(stop);
    const auto [opened, number] = opened_part(part);
    const auto results = results_of_part(opened.parts, number, opened.run_options(stop));
    if (!results) return {};
    std::vector<const Histogram*> all;
    for (const Histogram& each : *results) all.push_back(&each);
    return blocks_of(all, {sum.digest, {0, num_blocks}, {{part.number, part.number + 1}}});
  }

  std::vector<std::pair<std::size_t, Histogram>> read_sum(std::size_t number,
                                                          std::span<const std::string_view> blocks) {
    std::vector<Histogram> results = sample(number).parts.empty_in_order();
    std::vector<std::pair<std::size_t, Histogram>> read;
    for (const std::size_t each : read_blocks(blocks, results))
      read.emplace_back(each, std::move(results[each]));
    return read;
  }

  SumContents sum_contents(std::size_t number) {
    const SampleParts& parts = sample(number).parts;
    SumContents contents;
    const std::optional<std::string> digest = parts.digest();
    if (!digest) return contents;
    for (const std::vector<std::string>& blocks : find_blocks(store_.folder(), *digest)) {
      const std::vector<std::string_view> views(blocks.begin(), blocks.end());
      parts.add_contents(read_sum(number, views), contents);
    }
    return contents;
  }

 private:
  OpenedPart opened_part(const PartFacts& part) {
    if (OpenedParts* alone = opened_alone(part))
      return checked(*alone, alone->parts.part_at(part.entries), part);
    return checked(sample(part.sample), part.number, part);
  }

  // Null if the part cannot be computed without the other files of its sample.
  OpenedParts* opened_alone(const PartFacts& part) {
    const auto facts = options_.samples.find(config_.samples.at(part.sample).name.value);
    if (facts == options_.samples.end() || facts->second.needs_all_files) return nullptr;
    const std::tuple wanted(part.sample, part.path, part.ntuple);
    if (!file_ || file_of_ != wanted) {
      file_.reset();
      file_ = std::make_unique<OpenedFile>(config_, part, store_, options_);
      file_of_ = wanted;
    }
    OpenedParts& opened = file_->opened;
    return opened.parts.computed() == facts->second.computed ? &opened : nullptr;
  }

  const Config& config_with_inputs() {
    if (options_.read_with_inputs && !with_inputs_) with_inputs_ = options_.read_with_inputs();
    return with_inputs_ ? *with_inputs_ : config_;
  }

  OpenedParts& sample(std::size_t number) {
    std::unique_ptr<OpenedParts>& opened = opened_.at(number);
    const Config& config = opened ? config_ : config_with_inputs();
    if (!opened) opened = std::make_unique<OpenedParts>(config, config.samples.at(number), store_, options_);
    return *opened;
  }

  void add_parts(std::size_t number, std::vector<PartFacts>& facts) {
    const OpenedParts& opened = sample(number);
    const std::vector<Part>& parts = opened.parts.parts();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Input& input = opened.inputs.inputs()[parts[i].file];
      facts.push_back({number, i, input.name, absolute(input.location.path), input.location.name,
                       parts[i].entries_of_file(), parts[i].bytes, opened.parts.keys_of(i).part(),
                       opened.parts.is_known(i)});
    }
  }

  const Config& config_;
  PartOptions options_;
  const ResultStore store_;
  std::shared_ptr<const Config> with_inputs_;                  // if the config has none
  std::vector<std::unique_ptr<OpenedParts>> opened_;           // by sample, once one asks for it
  std::unique_ptr<OpenedFile> file_;                           // the latest that was opened alone
  std::tuple<std::size_t, std::string, std::string> file_of_;  // its sample, path and name in the file
};

JobParts::JobParts(const Config& config, PartOptions options)
    : implementation_(std::make_unique<Implementation>(config, std::move(options))) {}
JobParts::~JobParts() = default;

std::vector<PartFacts> JobParts::parts(StopFlag stop) { return implementation_->parts(stop); }
SampleFacts JobParts::facts(std::size_t sample) { return implementation_->facts(sample); }
bool JobParts::compute(const PartFacts& part, StopFlag stop) { return implementation_->compute(part, stop); }
std::optional<SumFacts> JobParts::sum_facts(std::size_t sample) { return implementation_->sum_facts(sample); }
bool JobParts::make_skims() { return implementation_->make_skims(); }
std::vector<std::string> JobParts::compute_blocks(const PartFacts& part, const SumFacts& sum,
                                                  std::uint32_t num_blocks, StopFlag stop) {
  return implementation_->compute_blocks(part, sum, num_blocks, stop);
}
std::vector<std::pair<std::size_t, Histogram>> JobParts::read_sum(std::size_t sample,
                                                                  std::span<const std::string_view> blocks) {
  return implementation_->read_sum(sample, blocks);
}
SumContents JobParts::sum_contents(std::size_t sample) { return implementation_->sum_contents(sample); }

}  // namespace skimline::skims
