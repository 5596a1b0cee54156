// SPDX-License-Identifier: BSD-3-Clause
// Invented collision events for trials, tests and benchmarks; made on the fly, in slices, in parallel.
#pragma once

#include "skimline/framework/source.h"
#include "skimline/generate/synthetic_options.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace skimline::generate {

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
