// SPDX-License-Identifier: BSD-3-Clause
// Invented collision events for trials, tests and benchmarks; made on the fly, in slices, in parallel.
#pragma once

#include "skimline/framework/source.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::generate {

/// What the events look like; columns are named and stored as in CMS NanoAOD (GeV, rad, cm).
enum class SyntheticModel {
  /// 25 columns. Z and J/psi decays to two muons over a continuum, W-like single muons, jets, missing
  /// momentum.
  kDimuon,
  /// 14 columns. Two leading jets with a falling mass spectrum, drawn flat in the logarithm of the mass; the
  /// weights `genWeight` make up for it and span twelve orders of magnitude.
  kDijet,
  /// 86 columns: the events of the IRIS-HEP ADL benchmark, CMS's NanoAOD of 2012. Muons from W and Z,
  /// electrons, taus with NaN among their isolations, photons, and up to 57 jets, 3.2 on average; floats are
  /// not rounded.
  kAdl,
  /// 127 columns: events of the samples of the analysis grand challenge (AGC), some of CMS's NanoAOD of 2015.
  /// Top
  /// pairs, single tops and W bosons with jets; floats are rounded as in NanoAOD.
  kAgc,
};

/// Returns the model called "dimuon", "dijet", "adl" or "agc". Throws ConfigError with the nearest name.
SyntheticModel parse_synthetic_model(std::string_view name);

struct SyntheticOptions {
  SyntheticModel model = SyntheticModel::kDimuon;
  std::uint64_t num_events = 0;
  std::uint64_t seed = 1;
  std::string sample{};  ///< of kAgc: one of agc_sample_names()
};

struct SyntheticLayout;

/// Event n is a function of the model, the sample, the seed and n alone: a longer source begins with a
/// shorter one's events. Slices have 65536 entries, those of model agc 8192. Thread-safe as Source says.
class SyntheticEvents : public Source {
 public:
  explicit SyntheticEvents(const SyntheticOptions& options);
  ~SyntheticEvents() override;

  const Schema& schema() const override { return schema_; }
  std::uint64_t num_entries() const override { return options_.num_events; }
  const std::vector<EntryRange>& slices() const override { return slices_; }
  std::unique_ptr<SliceReader> open_slice(std::size_t slice) override;
  /// Nothing is stored, nothing is read.
  std::uint64_t stored_bytes(std::size_t) const override { return 0; }
  ReadStatistics statistics() const override { return {}; }

 private:
  SyntheticOptions options_;
  std::shared_ptr<const SyntheticLayout> layout_;
  Schema schema_;
  std::vector<EntryRange> slices_;
};

}  // namespace skimline::generate
