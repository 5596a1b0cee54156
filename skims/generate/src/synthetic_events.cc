// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/generate/synthetic_events.h"

#include "synthetic_model.h"

#include "skimline/framework/error.h"
#include "skimline/generate/agc_samples.h"

#include <algorithm>

namespace skimline::generate {
namespace {

// Events of model agc are larger than those of others.
std::uint64_t slice_entries(SyntheticModel model) { return model == SyntheticModel::kAgc ? 8192 : 65536; }

SyntheticLayout layout_of(const SyntheticOptions& options) {
  switch (options.model) {
    case SyntheticModel::kDimuon:
      return dimuon_layout();
    case SyntheticModel::kDijet:
      return dijet_layout();
    case SyntheticModel::kAdl:
      return adl_layout();
    case SyntheticModel::kAgc:
      return agc_layout(find_agc_sample(options.sample));
    case SyntheticModel::kLhcb:
      return lhcb_layout();
  }
  throw InternalError("a model without a layout");
}

const std::byte* at(const void* values, ScalarType scalar, std::size_t index) {
  return static_cast<const std::byte*>(values) + index * size_of(scalar);
}

// The part `range` of a column; offsets of lists begin with 0 again.
ColumnView part_of(const ColumnView& whole, EntryRange range, ColumnBuffer& scratch) {
  ColumnView part = whole;
  part.length = range.count;
  if (!whole.type.is_jagged()) {
    part.values = at(whole.values, whole.type.scalar, range.first);
    return part;
  }
  const std::uint32_t first = whole.offsets[range.first];
  auto* offsets = scratch.offsets.reserve<std::uint32_t>(range.count + 1);
  for (std::size_t i = 0; i <= range.count; ++i) offsets[i] = whole.offsets[range.first + i] - first;
  part.offsets = offsets;
  part.values = at(whole.values, whole.type.scalar, first);
  return part;
}

class SyntheticSliceReader : public SliceReader {
 public:
  SyntheticSliceReader(std::shared_ptr<const SyntheticLayout> layout, std::uint64_t seed, EntryRange range)
      : layout_(std::move(layout)), seed_(seed), range_(range) {}

  // Columns of one event depend on each other: the first column asked for makes all of them.
  void load(std::span<const std::size_t> columns) override {
    if (is_generated_ || columns.empty()) return;
    layout_->generate(seed_, range_, block_);
    is_generated_ = true;
  }

  ColumnView view(std::size_t column, EntryRange range, ColumnBuffer& scratch) override {
    return part_of(layout_->columns[column].view(block_), range, scratch);
  }

  std::string_view file() const override { return {}; }

 private:
  std::shared_ptr<const SyntheticLayout> layout_;
  std::uint64_t seed_;
  EntryRange range_;
  EventBlock block_;
  bool is_generated_ = false;
};

}  // namespace

SyntheticModel parse_synthetic_model(std::string_view name) {
  if (name == "dimuon") return SyntheticModel::kDimuon;
  if (name == "dijet") return SyntheticModel::kDijet;
  if (name == "adl") return SyntheticModel::kAdl;
  if (name == "agc") return SyntheticModel::kAgc;
  if (name == "lhcb") return SyntheticModel::kLhcb;
  throw ConfigError("unknown model \"" + std::string(name) + "\"" +
                    did_you_mean(name, {"dimuon", "dijet", "adl", "agc", "lhcb"}) +
                    ": there are \"dimuon\", \"dijet\", \"adl\", \"agc\" and \"lhcb\"");
}

SyntheticEvents::SyntheticEvents(const SyntheticOptions& options)
    : options_(options), layout_(std::make_shared<SyntheticLayout>(layout_of(options))) {
  for (const SyntheticColumn& column : layout_->columns) schema_.add(column.info);
  const std::uint64_t step = slice_entries(options.model);
  for (std::uint64_t first = 0; first < options.num_events; first += step)
    slices_.push_back({first, std::min(step, options.num_events - first)});
}

SyntheticEvents::~SyntheticEvents() = default;

std::unique_ptr<SliceReader> SyntheticEvents::open_slice(std::size_t slice) {
  return std::make_unique<SyntheticSliceReader>(layout_, options_.seed, slices_[slice]);
}

}  // namespace skimline::generate
