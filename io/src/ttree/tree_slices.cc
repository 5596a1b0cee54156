// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/tree_slices.h"

#include "columns/equal_slices.h"

#include <algorithm>

namespace skimline::io {
namespace {

// Neighbouring clusters are read together until they have as many entries.
constexpr std::uint64_t kMinimumSlice = 16384;
// What a byte of a basket stands for, at most, when slices are cut: a tree may claim anything.
constexpr double kLikelyExpansion = 1000;

double stored_bytes(const BranchData& branch) {
  double bytes = 0;
  for (const TreeBasket& basket : branch.baskets) bytes += static_cast<double>(basket.size);
  return bytes;
}

// The bytes in memory of a branch in front of each entry.
class BranchBytes {
 public:
  explicit BranchBytes(const BranchData& branch) : branch_(branch) {
    const double expansion = bytes_in_memory(branch) / std::max(1.0, stored_bytes(branch));
    for (const TreeBasket& basket : branch.baskets)
      before_.push_back(before_.back() + static_cast<double>(basket.size) * expansion);
  }

  double before(std::uint64_t entry) const {
    const auto behind = std::upper_bound(
        branch_.baskets.begin(), branch_.baskets.end(), entry,
        [](std::uint64_t wanted, const TreeBasket& basket) { return wanted < basket.first_entry; });
    if (behind == branch_.baskets.begin()) return 0;
    const auto number = static_cast<std::size_t>(behind - branch_.baskets.begin()) - 1;
    const TreeBasket& basket = branch_.baskets[number];
    const std::uint64_t passed = std::min(entry - basket.first_entry, basket.num_entries);
    const double share = static_cast<double>(passed) / std::max(1.0, static_cast<double>(basket.num_entries));
    return before_[number] + share * (before_[number + 1] - before_[number]);
  }

 private:
  const BranchData& branch_;
  std::vector<double> before_{0};  // by basket
};

class Cutter {
 public:
  Cutter(const TreeDescriptor& tree, const TreeReading& reading, const TreeSliceLimits& limits)
      : limits_(limits), kept_bytes_per_entry_(reading.kept_bytes_per_entry) {
    for (const std::uint32_t branch : reading.read) read_.emplace_back(tree.branch_data[branch]);
    for (const std::uint32_t branch : reading.kept) kept_.emplace_back(tree.branch_data[branch]);
  }

  bool fits(EntryRange range) const {
    return range.count <= 1 ||
           (range.count <= limits_.entries &&
            bytes_of(read_, range) <= static_cast<double>(limits_.read_bytes) &&
            bytes_of(kept_, range) + kept_bytes_per_entry_ * static_cast<double>(range.count) <=
                static_cast<double>(limits_.kept_bytes));
  }

  // Equal parts first, for the entries; halves for the bytes, which need not be spread evenly.
  void add(EntryRange range, std::vector<EntryRange>& slices) const {
    for (const EntryRange& part : cut(range, limits_.entries)) add_halves(part, slices);
  }

 private:
  static double bytes_of(const std::vector<BranchBytes>& branches, EntryRange range) {
    double bytes = 0;
    for (const BranchBytes& branch : branches)
      bytes += branch.before(range.end()) - branch.before(range.first);
    return bytes;
  }

  void add_halves(EntryRange range, std::vector<EntryRange>& slices) const {
    if (fits(range)) {
      slices.push_back(range);
      return;
    }
    const std::uint64_t half = range.count / 2;
    add_halves({range.first, half}, slices);
    add_halves({range.first + half, range.count - half}, slices);
  }

  TreeSliceLimits limits_;
  double kept_bytes_per_entry_;
  std::vector<BranchBytes> read_, kept_;
};

}  // namespace

double bytes_in_memory(const BranchData& branch) {
  const double stored = stored_bytes(branch);
  return std::clamp(static_cast<double>(branch.bytes_unpacked), stored, stored * kLikelyExpansion);
}

std::vector<EntryRange> tree_slices(const TreeDescriptor& tree, const TreeReading& reading,
                                    const TreeSliceLimits& limits, EntryRange wanted,
                                    std::uint64_t num_entries) {
  const Cutter cutter(tree, reading, limits);
  std::vector<EntryRange> slices;
  const auto add = [&](std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t first = std::clamp(wanted.first, begin, end);
    cutter.add({first, std::clamp(wanted.end(), first, end) - first}, slices);
  };
  std::uint64_t begin = 0, end = 0;  // of the clusters that go together
  const auto close_at = [&](std::uint64_t next) {
    const bool is_enough = end - begin >= kMinimumSlice || !cutter.fits({begin, next - begin});
    if (end > begin && is_enough) {
      add(begin, end);
      begin = end;
    }
    end = next;
  };
  for (const std::uint64_t cluster : tree.cluster_begins)
    if (cluster > end && cluster < num_entries) close_at(cluster);
  close_at(num_entries);
  add(begin, end);
  return slices;
}

}  // namespace skimline::io
