// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/job_parts.h"

#include "parts/sample_parts.h"
#include "plan/event_fault.h"
#include "plan/plan_sample.h"
#include "plan/sample_mistakes.h"
#include "run/parted_run.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/url.h"
#include "skimline/skims/interruptible.h"

#include <filesystem>
#include <utility>

namespace skimline::skims {
namespace {

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
    const auto known = options.samples.find(sample.name.value);
    if (known != options.samples.end()) planning.normalisation_elsewhere = known->second.normalisation;
    return planning;
  }

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

void check_key(const SampleParts& parts, std::size_t number, const PartFacts& part) {
  if (number >= parts.parts().size() || parts.keys_of(number).part() != part.key)
    throw FileError(part.file, "is not the file that the run was planned with, or has other options");
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

  SampleFacts facts(std::size_t number) {
    const OpenedParts& opened = sample(number);
    const bool needs_all = !config_.samples[number].friends.empty() || opened.parts.use_entry_numbers();
    return {opened.planned->normalisation, opened.parts.columns(), needs_all};
  }

  void compute(const PartFacts& part, StopFlag stop) {
    const Interruptible reading(stop);
    RunOptions run;
    run.threads = options_.threads;
    run.stop = stop;
    if (SampleParts* parts = parts_of_file(part)) {
      const std::size_t number = parts->part_at(part.entries);
      check_key(*parts, number, part);
      return compute_part(*parts, number, run);
    }
    const SampleParts& parts = sample(part.sample).parts;
    check_key(parts, part.number, part);
    compute_part(parts, part.number, run);
  }

 private:
  // Null if the part cannot be computed without the other files of its sample.
  SampleParts* parts_of_file(const PartFacts& part) {
    const auto facts = options_.samples.find(config_.samples.at(part.sample).name.value);
    if (facts == options_.samples.end() || facts->second.needs_all_files) return nullptr;
    if (!file_ || file_of_ != std::pair(part.sample, part.path)) {
      file_.reset();
      file_ = std::make_unique<OpenedFile>(config_, part, store_, options_);
      file_of_ = {part.sample, part.path};
    }
    SampleParts& parts = file_->opened.parts;
    return parts.columns() == facts->second.columns ? &parts : nullptr;
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
  std::shared_ptr<const Config> with_inputs_;         // if the config has none
  std::vector<std::unique_ptr<OpenedParts>> opened_;  // by sample, once one asks for it
  std::unique_ptr<OpenedFile> file_;                  // the latest that was opened alone
  std::pair<std::size_t, std::string> file_of_;       // its sample and path
};

JobParts::JobParts(const Config& config, PartOptions options)
    : implementation_(std::make_unique<Implementation>(config, std::move(options))) {}
JobParts::~JobParts() = default;

std::vector<PartFacts> JobParts::parts(StopFlag stop) { return implementation_->parts(stop); }
SampleFacts JobParts::facts(std::size_t sample) { return implementation_->facts(sample); }
void JobParts::compute(const PartFacts& part, StopFlag stop) { implementation_->compute(part, stop); }

}  // namespace skimline::skims
