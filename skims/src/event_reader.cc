// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/event_reader.h"

#include "expression_places.h"
#include "histogram_specs.h"
#include "job_plan.h"
#include "sample_inputs.h"
#include "sample_mistakes.h"
#include "slice_group.h"

#include "skimline/framework/column_collector.h"
#include "skimline/framework/runner.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace skimline::skims {
namespace {

// Memory for so many events is set aside at once, more only when it is needed.
constexpr std::uint64_t kMaxExpected = std::uint64_t{1} << 26;

// Only what decides which events there are, and what their values are.
Config without_products(Config config) {
  config.regions.clear();
  config.histograms.clear();
  config.skims.clear();
  config.output = {};
  return config;
}

void check_names(const std::vector<EventOutput>& outputs) {
  if (outputs.empty()) throw SchemaError("no columns are asked for");
  std::set<std::string> names;
  for (const EventOutput& output : outputs)
    if (!names.insert(output.name).second)
      throw SchemaError("\"" + output.name + "\" is the name of two outputs");
}

// An evaluation error that says where it was met.
class PlacedError : public EvaluationError {
 public:
  PlacedError(const EvaluationError& error, const std::string& output, const std::string& place)
      : EvaluationError(error), text_(output + ": " + error.what() + " (" + place + ")") {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

// "entry 12 of data.root", for the entry numbers of all files in sequence.
std::string place_of(const io::InputSource& source, std::uint64_t entry) {
  for (const io::InputFacts& file : source.files()) {
    if (entry < file.num_entries) return "entry " + std::to_string(entry) + " of " + file.path;
    entry -= file.num_entries;
  }
  return "an unknown entry";
}

}  // namespace

class EventReader::Implementation {
 public:
  Implementation(const Config& config, std::size_t sample, std::vector<EventOutput> outputs, int threads)
      : config_(without_products(config)),
        sample_(config_.samples.at(sample)),
        outputs_(std::move(outputs)),
        threads_(threads > 0 ? threads : default_threads()),
        inputs_(config_, sample_) {
    check_names(outputs_);
    open();
  }

  const std::vector<EventOutput>& outputs() const { return outputs_; }
  const std::vector<EventColumn>& columns() const { return columns_; }

  EventPart read(const PartSize& size, const std::atomic<bool>* stop) {
    if (has_failed_) throw Error("nothing can be read any more after an error or an interruption");
    has_failed_ = true;
    while (!is_enough(size) && next_slice_ < attempt_->source->slices().size()) read_group(size, stop);
    const bool is_last = next_slice_ == attempt_->source->slices().size();
    if (is_last) attempt_->source->check_unchanged();
    EventPart part;
    part.num_events = events_of(size);
    part.columns = attempt_->collector->take(part.num_events);
    has_given_ = has_given_ || part.num_events > 0;
    has_failed_ = false;
    return part;
  }

 private:
  struct Amount {
    std::uint64_t events = 0;
    std::uint64_t bytes = 0;
  };

  // What has to be made anew if an input turns out to be damaged.
  struct Attempt {
    Attempt(const Config& config, const Sample& sample, SampleInputs& inputs, int threads)
        : source(inputs.open()),
          histograms(set_options(config, threads)),
          job(config, {sample, *source, histograms, threads}) {}

    std::unique_ptr<io::InputSource> source;
    histograms::HistogramSet histograms;
    JobPlan job;
    std::unique_ptr<ColumnCollector> collector;
    std::optional<Plan> plan;
  };

  void open() {
    attempt_.reset();
    next_slice_ = last_slices_ = 0;
    while (!attempt_) {
      try {
        attempt_ = std::make_unique<Attempt>(config_, sample_, inputs_, threads_);
      } catch (const FileError& fault) {
        inputs_.leave_out(fault);
      }
    }
    throw_mistakes(config_, {{sample_, attempt_->job.mistakes()}});
    plan_outputs();
  }

  void plan_outputs() {
    columns_.clear();
    std::vector<std::string> expressions;
    std::vector<Type> types;
    const auto add = [&](std::size_t output, const std::string& member, const std::string& expression) {
      columns_.push_back({output, member, attempt_->job.type_of(expression)});
      types.push_back(columns_.back().type);
      expressions.push_back(expression);
    };
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const std::string& expression = outputs_[i].expression;
      if (attempt_->job.type_of(expression).scalar != ScalarType::kLorentzVector)
        add(i, "", expression);
      else
        for (const char* member : {"pt", "eta", "phi", "mass"})
          add(i, member, "(" + expression + ")." + member + "()");
    }
    attempt_->collector = std::make_unique<ColumnCollector>(types);
    attempt_->job.write(expressions, *attempt_->collector);
    attempt_->plan.emplace(attempt_->job.build());
  }

  // Whether what is held is a whole part.
  bool is_enough(const PartSize& size) const {
    const std::uint64_t held = attempt_->collector->num_entries();
    if (size.events && held >= std::max<std::uint64_t>(*size.events, 1)) return true;
    return size.bytes && held > 0 && attempt_->collector->bytes_of(held) > *size.bytes;
  }

  // How many of the events that are held make a part.
  std::uint64_t events_of(const PartSize& size) const {
    const ColumnCollector& collector = *attempt_->collector;
    const std::uint64_t held = collector.num_entries();
    std::uint64_t most = size.events ? std::min(held, std::max<std::uint64_t>(*size.events, 1)) : held;
    if (!size.bytes || most == 0 || collector.bytes_of(most) <= *size.bytes) return most;
    std::uint64_t fit = 1;  // even if it does not
    while (most - fit > 1) {
      const std::uint64_t middle = fit + (most - fit) / 2;
      (collector.bytes_of(middle) <= *size.bytes ? fit : most) = middle;
    }
    return fit;
  }

  void read_group(const PartSize& size, const std::atomic<bool>* stop) {
    ColumnCollector& collector = *attempt_->collector;
    SliceGroup group(*attempt_->source, next_slice_, slices_of_next_group(size));
    const bool is_filtered = !config_.select.empty() || sample_.lumi_mask;
    const Amount before = held();
    collector.expect(is_filtered ? 0 : std::min(group.num_entries(), kMaxExpected));
    try {
      run(group, stop);
    } catch (const FileError& fault) {
      if (has_given_) throw;
      inputs_.leave_out(fault);
      open();
      return;
    }
    next_slice_ += group.slices().size();
    last_slices_ = group.slices().size();
    last_ = {held().events - before.events, held().bytes - before.bytes};
  }

  void run(SliceGroup& group, const std::atomic<bool>* stop) {
    RunOptions options;
    options.threads = threads_;
    options.stop = stop;
    try {
      skimline::run(*attempt_->plan, group, options);
    } catch (const EvaluationError& error) {
      throw PlacedError(error, name_of(error), place_of(*attempt_->source, error.entry()));
    }
  }

  Amount held() const {
    const std::uint64_t events = attempt_->collector->num_entries();
    return {events, attempt_->collector->bytes_of(events)};
  }

  // As many as the part probably needs, judged by the last group, but one for each thread at least; at most
  // twice as many as in the last group, since filters may pass more of the next. Parts do not depend on it.
  std::size_t slices_of_next_group(const PartSize& size) const {
    const std::size_t left = attempt_->source->slices().size() - next_slice_;
    if (!size.events && !size.bytes) return left;
    const auto least = static_cast<std::size_t>(threads_);
    const std::size_t most = std::max(least, 2 * last_slices_);
    const auto slices_for = [&](const std::optional<std::uint64_t>& wanted, std::uint64_t held,
                                std::uint64_t last) {
      if (!wanted || last == 0) return most;
      const double slices = static_cast<double>(*wanted - std::min(held, *wanted)) *
                            static_cast<double>(last_slices_) / static_cast<double>(last);
      return static_cast<std::size_t>(std::min(std::ceil(slices), static_cast<double>(most)));
    };
    const Amount now = held();
    const std::size_t needed = std::min(slices_for(size.events, now.events, last_.events),
                                        slices_for(size.bytes, now.bytes, last_.bytes));
    return std::min(left, std::clamp(needed, least, most));
  }

  std::string name_of(const EvaluationError& error) const {
    for (const EventOutput& output : outputs_)
      if (output.expression.find(error.expression()) != std::string::npos) return "\"" + output.name + "\"";
    return place_in(config_, error.expression());
  }

  const Config config_;
  const Sample& sample_;
  const std::vector<EventOutput> outputs_;
  const int threads_;
  SampleInputs inputs_;
  std::vector<EventColumn> columns_;
  std::unique_ptr<Attempt> attempt_;
  std::size_t next_slice_ = 0;
  std::size_t last_slices_ = 0;  // of the last group
  Amount last_;                  // that it gave
  bool has_given_ = false;
  bool has_failed_ = false;
};

EventReader::EventReader(const Config& config, std::size_t sample, std::vector<EventOutput> outputs,
                         int threads)
    : implementation_(std::make_unique<Implementation>(config, sample, std::move(outputs), threads)) {}

EventReader::~EventReader() = default;

const std::vector<EventOutput>& EventReader::outputs() const { return implementation_->outputs(); }
const std::vector<EventColumn>& EventReader::columns() const { return implementation_->columns(); }

EventPart EventReader::read(const PartSize& size, const std::atomic<bool>* stop) {
  return implementation_->read(size, stop);
}

}  // namespace skimline::skims
