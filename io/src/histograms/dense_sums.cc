// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/dense_sums.h"

#include "histograms/bin_statistics.h"

#include "skimline/framework/number_text.h"

#include <algorithm>
#include <string>

namespace skimline::io {
namespace {

std::string error_kind(const ProfileSettings& profile) {
  constexpr std::array kKinds{"those of the mean", "the spread", "those of integers (\"i\")",
                              "those of weights (\"g\")"};
  const auto kind = static_cast<std::size_t>(profile.error_kind);
  return kind < kKinds.size() ? kKinds[kind] : "of the unknown kind " + std::to_string(profile.error_kind);
}

std::string limits(const ProfileSettings& profile) {
  if (profile.lowest == profile.highest) return "without limits";
  return "from " + significant_digits(profile.lowest, 15) + " to " + significant_digits(profile.highest, 15);
}

}  // namespace

void check_addable(const HistogramLayout& layout) {
  if (layout.is_average) throw Mismatch("histograms that are marked as averages cannot be added");
  if (layout.has_buffered_fills)
    throw Mismatch(
        "it still has its fills in a buffer, as a histogram with automatic limits has its first ones: call "
        "BufferEmpty() before it is written");
}

void check_same_profiles(const ProfileSettings& first, const ProfileSettings& other) {
  if (first == other) return;
  if (first.error_kind != other.error_kind)
    throw Mismatch("the errors are " + error_kind(first) + " in one, and " + error_kind(other) +
                   " in the other (TProfile::SetErrorOption)");
  throw Mismatch("values count " + limits(first) + " in one, and " + limits(other) + " in the other");
}

bool keeps_errors(const HistogramLayout& layout, std::span<const std::byte> payload) {
  return layout.kind.is_dense_array ? read_real(payload, layout.sums[2]) >= 0
                                    : layout.arrays[kSumw2].count != 0;
}

DenseSums::DenseSums(const HistogramLayout& layout, Payload payload)
    : kind_(layout.kind), sums_(layout.sums.size()) {
  add_sums(layout, payload);
  for (std::size_t which = 0; which < kNumCellArrays; ++which)
    cells_[which].set(layout.arrays[which], payload);
  if (cells_[kSumw2].is_empty() && has_negative(layout.arrays[kContents], payload)) begin_magnitudes();
}

void DenseSums::add(const HistogramLayout& layout, Payload payload) {
  for (std::size_t which = 0; which < kNumCellArrays; ++which)
    if (cells_[which].is_empty() && layout.arrays[which].count != 0)
      begin_array(CellArray(which), layout.arrays[which]);
  // A THnT without entries has neither array, but tells whether it keeps errors.
  const bool has_one_kind = keeps_errors(layout, payload) == (squared_weights_ >= 0);
  if (kind_.is_dense_array && !has_one_kind && cells_[kSumw2].is_empty() && !cells_[kContents].is_empty())
    begin_array(kSumw2, {NumberType::kDouble, 0, cells_[kContents].size()});
  add_sums(layout, payload);
  add_missing_errors(layout, payload);
  for (std::size_t which = 0; which < kNumCellArrays; ++which)
    if (layout.arrays[which].count != 0) cells_[which].add(layout.arrays[which], payload);
}

bool DenseSums::needs_room(const HistogramLayout& layout) const {
  for (std::size_t which = 0; which < kNumCellArrays; ++which)
    if (size_of(CellArray(which)) != layout.arrays[which].count) return true;
  return false;
}

void DenseSums::make_room(const HistogramLayout& layout, PayloadCopy& copy) const {
  for (std::size_t which = 0; which < kNumCellArrays; ++which) {
    const NumberArray& array = layout.arrays[which];
    const std::size_t size = size_of(CellArray(which));
    if (size == array.count) continue;
    if (array.offset == 0)  // it has not even the number of its elements
      throw Mismatch("it is a profile of an early version of ROOT, and others have squared weights");
    copy.replace({array.offset - sizeof(std::int32_t), array.end()},
                 [size, type = array.type](ByteWriter& out, PointerWriter&) {
                   out.big<std::int32_t>(static_cast<std::int32_t>(size));
                   out.zeros(size * skimline::io::size_of(type));
                 });
  }
}

bool DenseSums::spread(std::span<const std::uint32_t> cells, std::size_t num_cells) {
  const auto spread_one = [&](CellSums& sums) { return sums.is_empty() || sums.spread(cells, num_cells); };
  return std::all_of(cells_.begin(), cells_.end(), spread_one) && spread_one(magnitudes_);
}

void DenseSums::write(const HistogramLayout& layout, std::span<std::byte> payload) const {
  for (std::size_t i = 0; i < sums_.size(); ++i) write_real(payload, layout.sums[i], sums_[i]);
  for (std::size_t which = 0; which < kNumCellArrays; ++which)
    if (layout.arrays[which].count != 0) cells_[which].write(0, layout.arrays[which], payload);
  // What was in the bins already would be taken back when the buffer is filled further.
  if (layout.first_buffered != 0) write_real(payload, layout.first_buffered, 0);
}

// Sums for an array that no object had so far: what those without it count for.
void DenseSums::begin_array(CellArray which, const NumberArray& array) {
  cells_[which].resize(array.type, array.count);
  if (which == kSumw2) cells_[which].add_magnitudes(magnitudes());
  if (which == kBinSumw2) cells_[which].add_magnitudes(cells_[kBinEntries]);
}

void DenseSums::add_sums(const HistogramLayout& layout, Payload payload) {
  if (has_no_statistics(layout, payload)) {
    sums_[0] += read_real(payload, layout.sums[0]);
    const std::vector<double> statistics = bin_statistics(layout, payload);
    for (std::size_t i = 0; i < statistics.size(); ++i) sums_[i + 1] += statistics[i];
    return;
  }
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += read_real(payload, layout.sums[i]);
  if (!kind_.is_dense_array) return;
  if (keeps_errors(layout, payload))
    squared_weights_ = std::max(squared_weights_, 0.0) + read_real(payload, layout.sums[2]);
  sums_[2] = squared_weights_;
}

// What an object without errors adds to them; and what it will, if another one has errors.
void DenseSums::add_missing_errors(const HistogramLayout& layout, Payload payload) {
  const NumberArray& contents = layout.arrays[kContents];
  if (layout.arrays[kBinSumw2].count == 0 && !cells_[kBinSumw2].is_empty())
    cells_[kBinSumw2].add(layout.arrays[kBinEntries], payload);
  if (layout.arrays[kSumw2].count != 0 || contents.count == 0 || kind_.is_profile) return;
  if (!cells_[kSumw2].is_empty())
    add_magnitudes(contents, payload, cells_[kSumw2]);
  else if (!magnitudes_.is_empty() || has_negative(contents, payload))
    keep_magnitudes(contents, payload);
}

void DenseSums::keep_magnitudes(const NumberArray& contents, Payload payload) {
  if (magnitudes_.is_empty()) begin_magnitudes();
  add_magnitudes(contents, payload, magnitudes_);
}

void DenseSums::begin_magnitudes() {
  magnitudes_.resize(NumberType::kDouble, cells_[kContents].size());
  magnitudes_.add_magnitudes(cells_[kContents]);
}

void DenseSums::add_magnitudes(const NumberArray& contents, Payload payload, CellSums& sums) {
  CellSums values;
  values.set(contents, payload);
  sums.add_magnitudes(values);
}

}  // namespace skimline::io
