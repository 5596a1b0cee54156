// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/united_axes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace skimline::io {
namespace {

// How far edges may be from each other to coincide, in bins.
constexpr double kEdgeTolerance = 1e-8;
// Limits that lie far from each other must not make histograms huge.
constexpr std::uint64_t kMostCells = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostGrowth = 64;

// One axis of the whole, and the bins of each part on it, flows included.
struct UnitedAxis {
  StoredAxis axis;
  std::vector<std::uint32_t> left, right;
};

std::vector<std::uint32_t> same_bins(const StoredAxis& axis) {
  std::vector<std::uint32_t> bins(axis.num_cells());
  for (std::uint32_t bin = 0; bin < bins.size(); ++bin) bins[bin] = bin;
  return bins;
}

std::uint32_t overflow_of(const StoredAxis& axis) { return static_cast<std::uint32_t>(axis.num_bins) + 1; }

// Nothing but the flows has a place yet.
std::vector<std::uint32_t> only_flows(const StoredAxis& axis, const StoredAxis& whole) {
  std::vector<std::uint32_t> bins(axis.num_cells(), kNowhere);
  bins.front() = 0;
  bins.back() = overflow_of(whole);
  return bins;
}

using BinsOfLabels = std::map<std::string, std::uint32_t>;

BinsOfLabels bins_of_labels(const StoredAxis& axis) {
  BinsOfLabels bins;
  for (const auto& [bin, label] : axis.labels) {
    if (bin == 0 || bin >= overflow_of(axis))
      throw Mismatch("label \"" + label + "\" of bin " + std::to_string(bin) + " of " +
                     std::to_string(axis.num_bins));
    if (!bins.emplace(label, bin).second) throw Mismatch("two bins with the label \"" + label + "\"");
  }
  return bins;
}

// An axis that can be extended doubles its bins until there are enough, as it does while it is filled.
void make_room(StoredAxis& axis, std::uint32_t num_bins) {
  const auto old = static_cast<std::uint32_t>(axis.num_bins);
  if (num_bins <= old) return;
  if (!axis.edges.empty()) throw Mismatch("more labels than the bins of an axis with given edges");
  const double width = axis.width();
  std::uint64_t grown = axis.can_extend() ? old : num_bins;
  while (grown < num_bins) grown *= 2;
  axis.num_bins = static_cast<std::int32_t>(grown);
  axis.high = axis.low + static_cast<double>(grown) * width;
}

UnitedAxis unite_labels(const StoredAxis& left, const StoredAxis& right) {
  UnitedAxis united{left, {}, {}};
  const BinsOfLabels of_right = bins_of_labels(right);
  BinsOfLabels bins = bins_of_labels(left);
  std::vector<bool> taken(left.num_cells() + right.num_cells());
  for (const auto& [label, bin] : bins) taken[bin] = true;
  std::uint32_t next = 1, last = 0;
  for (const auto& [bin, label] : right.labels) {
    if (bins.contains(label)) continue;
    while (taken[next]) ++next;
    last = next;
    bins.emplace(label, next);
    united.axis.labels.emplace_back(next, label);
    taken[next] = true;
  }
  std::sort(united.axis.labels.begin(), united.axis.labels.end());
  make_room(united.axis, last);
  united.left = only_flows(left, united.axis);
  united.right = only_flows(right, united.axis);
  for (const auto& [bin, label] : left.labels) united.left[bin] = bin;
  for (const auto& [label, bin] : of_right) united.right[bin] = bins.at(label);
  return united;
}

// A histogram without labels among others that have some can only be empty.
UnitedAxis keep_labels(const StoredAxis& left, const StoredAxis& right) {
  UnitedAxis united{left.has_labels() ? left : right, {}, {}};
  bins_of_labels(united.axis);
  united.left = left.has_labels() ? same_bins(left) : only_flows(left, united.axis);
  united.right = right.has_labels() ? same_bins(right) : only_flows(right, united.axis);
  return united;
}

// An axis that chooses its limits by its first fills, and had none: ROOT gives it some that do not rise.
bool has_no_limits(const StoredAxis& axis) { return axis.edges.empty() && !(axis.low < axis.high); }

// All bins are those of the part that has limits, in which the other one can have nothing.
UnitedAxis take_limits(const StoredAxis& left, const StoredAxis& right) {
  const StoredAxis& known = has_no_limits(left) ? right : left;
  const auto bins_of = [&](const StoredAxis& part) {
    return &part == &known ? same_bins(part) : std::vector<std::uint32_t>(part.num_cells(), kNowhere);
  };
  return {known, bins_of(left), bins_of(right)};
}

bool is_whole(double value) { return std::abs(value - std::round(value)) < kEdgeTolerance; }

// The bins of a part on a whole that has no more of them in the same range.
std::vector<std::uint32_t> bins_within(const StoredAxis& part, const StoredAxis& whole) {
  std::vector<std::uint32_t> bins(part.num_cells(), kNowhere);
  for (std::int32_t bin = 1; bin <= part.num_bins; ++bin) {
    const double centre = part.low + (bin - 0.5) * part.width();
    bins[static_cast<std::size_t>(bin)] =
        1 + static_cast<std::uint32_t>(std::floor((centre - whole.low) / whole.width()));
  }
  const double tolerance = kEdgeTolerance * part.width();
  if (part.low - whole.low < tolerance) bins.front() = 0;
  if (whole.high - part.high < tolerance) bins.back() = overflow_of(whole);
  return bins;
}

bool have_common_bins(const StoredAxis& wide, const StoredAxis& fine) {
  if (!wide.edges.empty() || !fine.edges.empty() || !(fine.width() > 0)) return false;
  const double ratio = wide.width() / fine.width();
  const bool are_equal = std::abs(ratio - 1) * std::max(wide.num_bins, fine.num_bins) < kEdgeTolerance;
  if (!are_equal && !(wide.can_extend() && fine.can_extend() && is_whole(ratio))) return false;
  return is_whole((fine.low - wide.low) / fine.width());
}

// The edge of the grid of `wide` that is nearest outside; the edge itself if it is of the grid.
double outer_edge(double edge, const StoredAxis& wide, double (*round_outwards)(double)) {
  const double bins = (edge - wide.low) / wide.width();
  return is_whole(bins) ? edge : wide.low + round_outwards(bins) * wide.width();
}

UnitedAxis unite_ranges(const StoredAxis& left, const StoredAxis& right, const std::string& difference) {
  const bool is_left_wide = left.width() >= right.width();
  const StoredAxis& wide = is_left_wide ? left : right;
  if (!have_common_bins(wide, is_left_wide ? right : left)) throw Mismatch(difference);
  UnitedAxis united{left, {}, {}};
  StoredAxis& axis = united.axis;
  axis.low = outer_edge(std::min(left.low, right.low), wide, [](double bins) { return std::floor(bins); });
  axis.high = outer_edge(std::max(left.high, right.high), wide, [](double bins) { return std::ceil(bins); });
  const double num_bins = std::round((axis.high - axis.low) / wide.width());
  if (!(num_bins <= static_cast<double>(kMostCells) ||
        num_bins <= static_cast<double>(kMostGrowth) * (left.num_bins + double{1.0} * right.num_bins)))
    throw Mismatch(difference + ", which would be too many bins together");
  axis.num_bins = static_cast<std::int32_t>(num_bins);
  united.left = bins_within(left, axis);
  united.right = bins_within(right, axis);
  return united;
}

UnitedAxis unite(const StoredAxis& left, const StoredAxis& right) {
  const std::string difference = difference_of(left, right);
  if (difference.empty()) return {left, same_bins(left), same_bins(right)};
  if (has_no_limits(left) != has_no_limits(right)) return take_limits(left, right);
  if (left.has_labels() && right.has_labels()) return unite_labels(left, right);
  if (left.has_labels() || right.has_labels()) return keep_labels(left, right);
  return unite_ranges(left, right, difference);
}

// The cells of a part, of the bins of each of its axes.
std::vector<std::uint32_t> cells_of(const std::vector<UnitedAxis>& axes,
                                    std::vector<std::uint32_t> UnitedAxis::*part) {
  std::vector<std::uint32_t> cells{0};
  std::uint32_t stride = 1;
  for (const UnitedAxis& united : axes) {
    std::vector<std::uint32_t> next;
    for (const std::uint32_t bin : united.*part)
      for (const std::uint32_t cell : cells)
        next.push_back(bin == kNowhere || cell == kNowhere ? kNowhere : cell + bin * stride);
    cells = std::move(next);
    stride *= static_cast<std::uint32_t>(united.axis.num_cells());
  }
  return cells;
}

void check_cells(const std::vector<UnitedAxis>& axes) {
  std::uint64_t left = 1, right = 1, whole = 1;
  for (const UnitedAxis& united : axes) {
    left *= united.left.size();
    right *= united.right.size();
    whole *= united.axis.num_cells();
    if (whole > std::max(kMostCells, kMostGrowth * (left + right)))
      throw Mismatch("together they would have too many bins");
  }
}

}  // namespace

UnitedAxes unite(const std::vector<StoredAxis>& left, const std::vector<StoredAxis>& right) {
  if (left.size() != right.size()) throw Mismatch(difference_of(left, right));
  UnitedAxes united;
  std::vector<UnitedAxis> axes;
  for (std::size_t i = 0; i < left.size(); ++i) {
    try {
      axes.push_back(unite(left[i], right[i]));
    } catch (const Mismatch& mismatch) {
      throw Mismatch(axis_name(i, left.size()) + ": " + mismatch.what());
    }
    united.axes.push_back(axes.back().axis);
    united.changes_left |= !difference_of(left[i], axes.back().axis).empty();
  }
  check_cells(axes);
  united.left = cells_of(axes, &UnitedAxis::left);
  united.right = cells_of(axes, &UnitedAxis::right);
  return united;
}

}  // namespace skimline::io
