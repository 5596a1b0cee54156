// SPDX-License-Identifier: BSD-3-Clause
// The inputs of a sample that a job reads, and which of their entries.
#pragma once

#include "plan/nano_runs.h"

#include "skimline/skims/config.h"
#include "skimline/skims/run_record.h"

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// What shards are parts of.
struct WholeOfShards {
  std::string digest;  ///< of its entries and their files: shards of other wholes do not complete it
  std::uint64_t num_entries = 0;
};

/// Keeps account of what is read and of what is left out. The config must outlive it.
class SampleInputs {
 public:
  SampleInputs(const Config& config, const Sample& sample);

  /// Opens the inputs, without damaged ones if the config allows that. Throws FileError, ConfigError if some
  /// are copies of each other, and what io::InputSource throws.
  std::unique_ptr<io::InputSource> open();

  /// Opens some of the inputs that open() has opened, by their numbers. Throws what io::InputSource throws.
  std::unique_ptr<io::InputSource> open_some(const std::vector<std::size_t>& numbers) const;

  /// To be called before some are opened again, which then takes few requests where the storage is slow.
  void expect_to_open(const std::vector<std::size_t>& numbers) const;
  /// Whether the storage is slow to answer.
  bool are_slow() const;

  /// To be called while a fault is handled that was met later: leaves that input out of what open() opens
  /// next, or throws the fault again if the config does not allow that.
  void leave_out(const FileError& fault);

  const Config& config() const { return config_; }
  /// Those that are not left out.
  const std::vector<Input>& inputs() const { return inputs_; }
  const std::vector<SkippedInput>& skipped() const { return skipped_; }

  /// All that follows is known once they have been opened.
  std::vector<InputRecord> records(const io::InputSource& source) const;
  /// Entries that the inputs promise, those left out included where they are known, within the limits.
  std::uint64_t promised_entries() const;
  /// Where inputs hold other numbers of entries than was promised.
  std::vector<std::string> broken_promises() const;
  /// By input, whether what is known only for all of its file, or of its folder there, is counted with it:
  /// for the part that has its first entry, so that those of all parts add up, and with the first of several
  /// trees that it lies beside.
  std::vector<bool> counted_beside(Beside where) const;
  /// Whether no limit cuts an input in two; shards are no limits.
  bool has_whole_files() const;
  std::uint64_t num_entries(std::size_t input) const {
    return first_entries_.at(input + 1) - first_entries_.at(input);
  }
  /// The limit of events of all parts together, without those that were left out later and not made up for.
  std::optional<std::uint64_t> limit_events() const { return limit_events_; }
  /// As all inputs were opened first; what is left out later leaves it as it is.
  const WholeOfShards& whole() const { return whole_; }
  /// What was read of an input, counted from its own first entry.
  EntryRange range_of(std::size_t input) const;

 private:
  bool has_first_entry(std::size_t input) const;
  void leave_out_each(const std::vector<std::exception_ptr>& faults);
  bool may_leave_out(const FileError& fault) const;
  std::string reason_to_keep(bool is_input) const;
  std::string too_many(std::size_t num_bad) const;
  void erase(std::size_t input);

  const Config& config_;
  const Sample& sample_;
  std::vector<Input> inputs_;
  std::vector<std::uint64_t> first_entries_;  // by input, among those of all, and the end; once known
  std::optional<EntryRange> range_;           // of the entries of all inputs
  std::uint64_t end_of_parts_ = 0;            // of all shards
  std::optional<std::uint64_t> limit_events_;
  WholeOfShards whole_;
  std::uint64_t promised_elsewhere_ = 0;
  std::vector<SkippedInput> skipped_;
};

/// Returns the part of `num_entries` entries that the limits of a config leave.
EntryRange limited_range(const Config& config, std::uint64_t num_entries);

}  // namespace skimline::skims
