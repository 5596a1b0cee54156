// SPDX-License-Identifier: BSD-3-Clause
// A sample part by part: what is known of each, the plan for what is not, and the whole again.
#pragma once

#include "parts/part_division.h"
#include "parts/part_inputs.h"
#include "parts/result_store.h"
#include "parts/sample_contents.h"
#include "plan/sample_inputs.h"

#include "skimline/framework/run_report.h"
#include "skimline/skims/result_block.h"
#include "skimline/skims/sum_contents.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace skimline::skims {

/// One part, before it is computed.
struct PlannedPart {
  std::size_t number = 0;
  PartKeys keys;
  PartResults known;
  std::vector<std::string> missing_skims{};  ///< by skim, the path of what the store lacks, else empty
  bool is_known = false;                     ///< whether nothing is missing
  std::unique_ptr<PlannedSample> missing{};  ///< null until it is planned
};

/// What all parts of a sample add up to.
struct SampleTotals {
  std::vector<histograms::Histogram> histograms;  ///< by their numbers in the plan
  std::vector<std::uint64_t> entries_kept;        ///< by selection, of those that are counted
};

/// The parts of a sample that is planned as a whole.
class SampleParts {
 public:
  /// `whole` must have been planned so that contents are noted, and nothing of its source read; it, the
  /// inputs and the store must outlive this.
  SampleParts(PlannedSample& whole, SampleInputs& inputs, const ResultStore& store,
              std::set<std::size_t> uncounted, int threads);

  const std::vector<Part>& parts() const { return parts_; }
  /// The number of the part that has these entries of the first file, which need not be one that the files
  /// alone make.
  std::size_t part_at(EntryRange entries_of_file);

  /// All that is computed of the files, as a digest. Parts of files that show something else, columns for
  /// instance, have other results.
  std::string computed() const;
  /// Whether a part cannot be computed without all files: friends are found by their entries, or a result
  /// depends on the number of an entry among those of all.
  bool need_all_files() const;
  /// Whether skims are made part by part.
  bool make_skims() const { return !contents_.skims().empty(); }

  PartKeys keys_of(std::size_t number) const;
  /// The files with the events of a part that skims take, by skim; none if skims are not made part by part.
  std::vector<std::string> skim_paths(std::size_t number) const;
  /// Whether the store has all of a part, by the names of what it has.
  bool is_known(std::size_t number) const;
  /// Looks a part up in the store.
  PlannedPart look_up(std::size_t number) const;
  /// Plans what the store has not of some parts. Throws as plan_sample().
  void plan(std::span<PlannedPart> parts);
  /// Looks one part up, and plans what the store has not.
  PlannedPart planned(std::size_t number);
  /// Whether some parts, and one more, may wait for their storage together: it is slow, and what they read
  /// and fill takes little memory.
  bool may_wait_together(std::span<const PlannedPart> parts) const;

  /// What a run of a part has come to, in the store too. Unless they are kept, histograms are in the store
  /// alone.
  PartResults results_of(const PlannedPart& part, const RunReport& run, bool are_kept) const;

  /// All results of a part, in the order that those of all parts have: histograms, then counts, then weights
  /// if there are any.
  std::vector<histograms::Histogram> in_order(const PlannedPart& part, PartResults results) const;
  /// The same without fills.
  std::vector<histograms::Histogram> empty_in_order() const;
  /// Tells sums of all of these results apart from all others. Nothing if not all is known that they depend
  /// on.
  std::optional<std::string> digest() const;
  /// Results of one part.
  std::size_t num_results() const { return contents_.num_results(); }
  /// Adds results of a sum, by their numbers in that order, to what is told of it.
  void add_contents(std::vector<std::pair<std::size_t, histograms::Histogram>>&& results,
                    SumContents& contents) const;
  /// Adds the sum of some parts that lies in the store, if there is one; weights are added to the plan of the
  /// whole. Returns the numbers of the parts: none if a skim of any of them is not in the store.
  std::set<std::size_t> add_sum(SampleTotals& totals) const;

  /// Nothing so far.
  SampleTotals empty_totals() const;
  /// Adds what was computed of a part, and what was known of it. Weights are added to the plan of the whole.
  /// Throws InternalError if that is not all.
  void add(const PlannedPart& part, PartResults results, SampleTotals& totals) const;

 private:
  // By their keys.
  struct HistogramsToMake {
    std::map<std::string, std::size_t> stored, others;
  };

  HistogramsToMake missing_histograms(const PlannedPart& part) const;
  void make_results(const PlannedPart& part, const std::map<std::string, std::size_t>& ids, ResultFile* file,
                    PartResults* kept) const;
  std::unique_ptr<PlannedSample> plan_missing(const PlannedPart& part);
  std::unique_ptr<PlannedSample> plan_from(std::unique_ptr<io::InputSource> source, const IsKnown& is_known);
  bool has_all_skims(const PartKeys& keys) const;
  bool has_sound_skims(std::size_t number) const;
  void fetch_skims(const PartKeys& keys) const;
  std::vector<std::string> skim_paths(const PartKeys& keys) const;
  bool read_sum(const std::string& digest, std::vector<histograms::Histogram>& sum, PartRanges& ranges) const;
  void add_in_order(const std::vector<histograms::Histogram>& sum, SampleTotals& totals) const;

  PlannedSample& whole_;
  const ResultStore& store_;
  std::set<std::size_t> uncounted_;
  int threads_;
  PartInputs part_inputs_;
  std::vector<Part> parts_;
  SampleContents contents_;
  std::string text_;  // of the contents
};

}  // namespace skimline::skims
