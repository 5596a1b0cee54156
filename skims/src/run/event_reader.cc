// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/event_reader.h"

#include "config/read/used_names.h"
#include "plan/chosen_entries.h"
#include "plan/event_fault.h"
#include "plan/input_checks.h"
#include "plan/job_source.h"
#include "plan/plan_sample.h"
#include "plan/planned_sample.h"
#include "plan/sample_inputs.h"
#include "plan/sample_mistakes.h"
#include "plan/slice_group.h"

#include "skimline/framework/column_collector.h"
#include "skimline/framework/column_name.h"
#include "skimline/framework/evaluation_purpose.h"
#include "skimline/framework/runner.h"

#include <algorithm>
#include <cmath>
#include <map>
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

// The normalisation costs a pass over the weights.
NormalisationUse normalisation_for(const Config& config, const Sample& sample,
                                   const std::vector<EventOutput>& outputs) {
  std::vector<std::string> expressions;
  for (const EventOutput& output : outputs) expressions.push_back(output.expression);
  for (const Cut& cut : config.select) expressions.push_back(cut.where.value);
  return names_needed(config, sample, expressions).contains(kNormalisation) ? NormalisationUse::kComputed
                                                                            : NormalisationUse::kUnread;
}

}  // namespace

class EventReader::Implementation {
 public:
  using Progress = std::function<void(std::uint64_t, std::uint64_t)>;

  Implementation(const Config& config, std::size_t sample, std::vector<EventOutput> outputs, int threads)
      : config_(with_chosen_entries(without_products(config))),
        sample_(config_.samples.at(sample)),
        outputs_(std::move(outputs)),
        threads_(threads > 0 ? threads : default_threads()),
        inputs_(config_, sample_) {
    check_names(outputs_);
    open();
  }

  const std::vector<EventOutput>& outputs() const { return outputs_; }
  const std::vector<EventColumn>& columns() const { return columns_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

  EventPart read(const PartSize& size, StopFlag stop, const Progress& progress) {
    if (has_failed_) throw Error("nothing can be read any more after an error or an interruption");
    has_failed_ = true;
    const io::StoppedReads reads(config_.opened_files->stop(), stop);
    while (!is_enough(size) && next_slice_ < slices_.size()) read_group(size, stop, progress);
    const bool is_last = next_slice_ == slices_.size();
    if (is_last) planned_->source->check_unchanged();
    EventPart part;
    part.num_events = events_of(size);
    part.columns = collector_->take(part.num_events);
    has_given_ = has_given_ || part.num_events > 0;
    has_failed_ = false;
    return part;
  }

 private:
  struct Amount {
    std::uint64_t events = 0;
    std::uint64_t bytes = 0;
  };

  void open() {
    planned_.reset();
    next_slice_ = last_slices_ = 0;
    num_done_ = 0;
    planned_ = plan_sample(config_, sample_, inputs_,
                           {threads_, normalisation_for(config_, sample_, outputs_), false});
    throw_mistakes(config_, {{sample_, planned_->job.mistakes()}});
    plan_outputs();
    find_slices();
  }

  void find_slices() {
    const std::vector<EntryRange>& slices = planned_->source->slices();
    slices_ = slices_to_read(config_, sample_, slices);
    num_all_ = 0;
    for (const std::size_t slice : slices_) num_all_ += slices[slice].count;
  }

  void plan_outputs() {
    columns_.clear();
    std::vector<std::string> expressions;
    std::vector<Type> types;
    const auto add = [&](std::size_t output, const std::string& member, const std::string& expression) {
      columns_.push_back({output, member, planned_->job.type_of(expression)});
      types.push_back(columns_.back().type);
      expressions.push_back(expression);
    };
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const std::string& expression = outputs_[i].expression;
      if (planned_->job.type_of(expression).scalar != ScalarType::kLorentzVector)
        add(i, "", expression);
      else
        for (const char* member : {"pt", "eta", "phi", "mass"})
          add(i, member, "(" + expression + ")." + member + "()");
    }
    find_lists();
    std::vector<std::size_t> lists;
    for (const EventColumn& column : columns_) lists.push_back(column.lists);
    collector_ = std::make_unique<ColumnCollector>(types, std::move(lists));
    planned_->job.write(expressions, *collector_);
    find_warnings();
    plan_.emplace(planned_->job.build());
  }

  // Plain columns of one collection have the same lists.
  void find_lists() {
    std::map<std::string, std::size_t> collections;  // by column in expressions
    const std::vector<io::Collection> equal = planned_->source->lists_of_equal_sizes();
    for (std::size_t i = 0; i < equal.size(); ++i)
      for (const std::string& column : equal[i].columns) collections.emplace(in_expression(column), i);
    std::map<std::size_t, std::size_t> first;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      columns_[i].lists = i;
      const auto found = collections.find(outputs_[columns_[i].output].expression);
      const bool is_list = columns_[i].type.depth == 1 && columns_[i].type.scalar != ScalarType::kString;
      if (found != collections.end() && is_list)
        columns_[i].lists = first.emplace(found->second, i).first->second;
    }
  }

  void find_warnings() {
    const io::InputSource& source = *planned_->source;
    warnings_ = warnings_of_inputs(config_, {{sample_, inputs_.inputs(), source}});
    const auto add = [&](const std::vector<std::string>& more) {
      warnings_.insert(warnings_.end(), more.begin(), more.end());
    };
    add(warnings_of_defaults(config_, {&source}));
    add(planned_->warnings());
    for (const SkippedInput& input : inputs_.skipped()) warnings_.push_back("left out: " + input.problem);
    for (const std::string& broken : inputs_.broken_promises()) warnings_.push_back("missing: " + broken);
  }

  // Whether what is held is a whole part.
  bool is_enough(const PartSize& size) const {
    const std::uint64_t held = collector_->num_entries();
    if (size.events && held >= std::max<std::uint64_t>(*size.events, 1)) return true;
    return size.bytes && held > 0 && collector_->bytes_of(held) > *size.bytes;
  }

  // How many of the events that are held make a part.
  std::uint64_t events_of(const PartSize& size) const {
    const ColumnCollector& collector = *collector_;
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

  void read_group(const PartSize& size, StopFlag stop, const Progress& progress) {
    ColumnCollector& collector = *collector_;
    SliceGroup group(*planned_->source, slices_, next_slice_, slices_of_next_group(size));
    const bool is_filtered = !config_.select.empty() || sample_.lumi_mask || sample_.entry_list;
    const Amount before = held();
    collector.expect(is_filtered ? 0 : std::min(group.num_entries(), kMaxExpected));
    try {
      run(group, stop, progress);
    } catch (const FileError& fault) {
      if (has_given_) throw;
      inputs_.leave_out(fault);
      open();
      return;
    }
    next_slice_ += group.slices().size();
    num_done_ += group.num_entries();
    last_slices_ = group.slices().size();
    last_ = {held().events - before.events, held().bytes - before.bytes};
  }

  void run(SliceGroup& group, StopFlag stop, const Progress& progress) {
    RunOptions options;
    options.threads = threads_;
    options.stop = stop;
    if (progress) options.progress = [&](std::uint64_t done) { progress(num_done_ + done, num_all_); };
    try {
      skimline::run(*plan_, group, options);
    } catch (const EvaluationError& error) {
      throw located(error);
    }
  }

  Amount held() const {
    const std::uint64_t events = collector_->num_entries();
    return {events, collector_->bytes_of(events)};
  }

  // As many as the part probably needs, judged by the last group, but one for each thread at least; at most
  // twice as many as in the last group, since filters may pass more of the next. Parts do not depend on it.
  std::size_t slices_of_next_group(const PartSize& size) const {
    const std::size_t left = slices_.size() - next_slice_;
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

  // Outputs have no place in the config.
  EventError located(const EvaluationError& error) const {
    const auto* fault = dynamic_cast<const PlannedEvaluationError*>(&error);
    if (fault && fault->purpose().kind != EvaluationPurpose::Kind::kWrite)
      return event_error(*planned_, error);
    const std::string hint = hint_text(error, {});
    return {error, "\"" + output_of(error) + "\": " + problem_text(error) + " (" +
                       event_text(*planned_, error.entry()) + ")" + (hint.empty() ? "" : "\nnote: " + hint)};
  }

  // The output that an expression is a part of, or of what it needs.
  std::string output_of(const EvaluationError& error) const {
    for (const EventOutput& output : outputs_)
      if (output.expression.find(error.expression()) != std::string::npos) return output.name;
    for (const EventOutput& output : outputs_) {
      const Text text{output.expression, {}};
      const auto place =
          find_expression(config_, sample_, {"", {&text}, nullptr, std::nullopt}, error.expression());
      if (place && place->text != &text) return output.name;
    }
    return outputs_.front().name;
  }

  const Config config_;
  const Sample& sample_;
  const std::vector<EventOutput> outputs_;
  const int threads_;
  SampleInputs inputs_;
  std::vector<EventColumn> columns_;
  std::vector<std::string> warnings_;
  std::unique_ptr<PlannedSample> planned_;  // with what follows made anew if an input turns out to be damaged
  std::unique_ptr<ColumnCollector> collector_;
  std::optional<Plan> plan_;
  std::vector<std::size_t> slices_;  // those that are read
  std::uint64_t num_all_ = 0;        // their entries
  std::size_t next_slice_ = 0;       // among them
  std::uint64_t num_done_ = 0;       // entries of slices before
  std::size_t last_slices_ = 0;      // of the last group
  Amount last_;                      // that it gave
  bool has_given_ = false;
  bool has_failed_ = false;
};

EventReader::EventReader(const Config& config, std::size_t sample, std::vector<EventOutput> outputs,
                         int threads)
    : implementation_(std::make_unique<Implementation>(config, sample, std::move(outputs), threads)) {}

EventReader::~EventReader() = default;

const std::vector<EventOutput>& EventReader::outputs() const { return implementation_->outputs(); }
const std::vector<EventColumn>& EventReader::columns() const { return implementation_->columns(); }

const std::vector<std::string>& EventReader::warnings() const { return implementation_->warnings(); }

EventPart EventReader::read(const PartSize& size, StopFlag stop,
                            const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  return implementation_->read(size, stop, progress);
}

}  // namespace skimline::skims
