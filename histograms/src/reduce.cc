// SPDX-License-Identifier: BSD-3-Clause
#include "reduce.h"

#include "reduce_growing.h"
#include "vector_kernel.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

namespace skimline::histograms {
namespace {

// Cells that are worked on in the first level cache, and such blocks of a task at least.
constexpr std::size_t kBlockCells = 256;
constexpr std::size_t kBlocksPerTask = 64;
// Parts of so many copies add up to less than 63 bits.
constexpr std::size_t kCopiesAtOnce = 16;

using Copies = std::vector<const CellCopy*>;

Copies copies_of(std::span<const Instance* const> instances) {
  Copies copies;
  for (const Instance* instance : instances)
    if (std::find(copies.begin(), copies.end(), instance->cells) == copies.end())
      copies.push_back(instance->cells);
  return copies;
}

// Blocks begin at multiples of their size, as stripes do.
template <typename Sum>
void for_each_block(std::size_t num_cells, Sum sum) {
  const oneapi::tbb::blocked_range<std::size_t> blocks(0, (num_cells + kBlockCells - 1) / kBlockCells,
                                                       kBlocksPerTask);
  oneapi::tbb::parallel_for(blocks, [&](const auto& range) {
    for (std::size_t block = range.begin(); block < range.end(); ++block)
      sum(block * kBlockCells, std::min(kBlockCells, num_cells - block * kBlockCells));
  });
}

template <int kLanes>
struct AddIntegers {
  [[gnu::always_inline]] static inline void run(const std::span<const std::int64_t>& values,
                                                std::int64_t* const& sums) {
    std::int64_t* const __restrict out = sums;
    const std::int64_t* const in = values.data();
    const std::size_t size = values.size();
    for (std::size_t i = 0; i < size; ++i) out[i] += in[i];
  }
};

// Every `width`-th number.
struct Column {
  const std::int64_t* first;
  std::size_t width;
  std::size_t size;
};

// Says whether a sum is beyond the range of ExactCells::low().
template <int kLanes>
struct AddColumn {
  [[gnu::always_inline]] static inline void run(const Column& column, std::int64_t* const& sums,
                                                bool* const& is_beyond) {
    constexpr std::int64_t kEnd = std::int64_t{1} << (ExactCells::kLowBits - 1);
    std::int64_t* const __restrict out = sums;
    const std::int64_t* const in = column.first;
    const std::size_t size = column.size, width = column.width;
    std::uint64_t beyond = 0;
    for (std::size_t i = 0; i < size; ++i) {
      out[i] += in[i * width];
      beyond |= static_cast<std::uint64_t>(out[i] + kEnd) >> ExactCells::kLowBits;
    }
    *is_beyond = beyond != 0;
  }
};

// Counts below 2^51 as doubles, by the low bits of a double that large; `is_small` says whether all are.
template <int kLanes>
struct ConvertCounts {
  [[gnu::always_inline]] static inline void run(const std::span<const std::int64_t>& counts,
                                                double* const& values, bool* const& is_small) {
    constexpr double kAnchor = 0x1p52;
    double* const __restrict out = values;
    const std::int64_t* const in = counts.data();
    const std::size_t size = counts.size();
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const auto count = static_cast<std::uint64_t>(in[i]);
      all |= count;
      out[i] = std::bit_cast<double>(count | std::bit_cast<std::uint64_t>(kAnchor)) - kAnchor;
    }
    *is_small = all >> 51 == 0;
  }
};

void reduce_counts(const Copies& copies, std::vector<double>& contents) {
  for_each_block(contents.size(), [&](std::size_t first, std::size_t size) {
    std::array<std::int64_t, kBlockCells> sums{};
    for (const CellCopy* copy : copies) {
      const auto* const counts = reinterpret_cast<const std::int64_t*>(copy->counts()) + first;
      run_vector_kernel<AddIntegers>(std::span(counts, size), sums.data());
    }
    bool is_small = false;
    run_vector_kernel<ConvertCounts>(std::span<const std::int64_t>(sums.data(), size),
                                     contents.data() + first, &is_small);
    for (std::size_t i = 0; !is_small && i < size; ++i)
      contents[first + i] = static_cast<double>(static_cast<std::uint64_t>(sums[i]));
  });
}

// Sums up the parts in the two higher places of all sums.
class HotReduction {
 public:
  HotReduction(const Copies& copies, std::size_t num_sums) : copies_(copies), num_sums_(num_sums) {
    const std::size_t num_cells = copies.front()->num_cells();
    for (std::size_t sum = 0; sum < num_sums; ++sum) {
      for (const CellCopy* copy : copies)
        for (std::size_t i = 0; i < copy->num_stripes(); ++i)
          windows_[sum] = std::max(windows_[sum], copy->stripe(i).window(sum));
      for (std::size_t place = 0; place < 2; ++place) parts_[place][sum].resize(num_cells);
    }
  }

  void run() {
    const std::size_t num_cells = copies_.front()->num_cells();
    for (std::size_t first = 0; first < copies_.size(); first += kCopiesAtOnce) {
      const std::size_t count = std::min(kCopiesAtOnce, copies_.size() - first);
      for_each_block(num_cells, [&](std::size_t cell, std::size_t size) {
        add_copies({first, count}, cell, size);
      });
      carry();
    }
  }

  // The sums, and what lies in lower places.
  std::vector<ExactCells> results() && {
    std::vector<ExactCells> results;
    for (std::size_t sum = 0; sum < num_sums_; ++sum) {
      ExactCells& cells = results.emplace_back(copies_.front()->num_cells());
      cells.set_window(windows_[sum]);
      if (windows_[sum].is_empty()) continue;  // all are zero
      for (int place = 0; place < 2; ++place)
        cells.assign(place, std::move(parts_[place][sum]), std::move(carried_[place][sum]));
    }
    add_moved_and_cold(results);
    for (ExactCells& cells : results) cells.drop_zeros();
    return results;
  }

 private:
  struct CopyRange {
    std::size_t first, count;
  };

  bool is_moved(const SumCells& stripe) const {
    for (std::size_t sum = 0; sum < num_sums_; ++sum)
      if (!stripe.window(sum).is_empty() && stripe.window(sum) != windows_[sum]) return true;
    return false;
  }

  // Blocks are shorter than stripes, and lie in one.
  void add_copies(CopyRange range, std::size_t first, std::size_t size) {
    const std::size_t width = 2 * num_sums_;
    std::array<std::int64_t, kBlockCells * 2 * kMaxCellSums> sums;
    std::fill_n(sums.begin(), size * width, 0);
    for (std::size_t i = range.first; i < range.first + range.count; ++i) {
      const CellCopy& copy = *copies_[i];
      const SumCells& stripe = copy.stripe(first / copy.stripe_cells());
      if (is_moved(stripe)) continue;
      const std::int64_t* const hot = stripe.hot() + first % copy.stripe_cells() * width;
      run_vector_kernel<AddIntegers>(std::span(hot, size * width), sums.data());
    }
    for (std::size_t place = 0; place < 2; ++place)
      for (std::size_t sum = 0; sum < num_sums_; ++sum) {
        bool is_beyond = false;
        run_vector_kernel<AddColumn>(Column{sums.data() + place * num_sums_ + sum, width, size},
                                     parts_[place][sum].data() + first, &is_beyond);
        if (is_beyond) is_beyond_ = true;
      }
  }

  void carry() {
    if (!is_beyond_) return;
    is_beyond_ = false;
    for (std::size_t place = 0; place < 2; ++place)
      for (std::size_t sum = 0; sum < num_sums_; ++sum) {
        std::vector<std::int64_t>& parts = parts_[place][sum];
        std::vector<std::int64_t>& carried = carried_[place][sum];
        carried.resize(parts.size());
        for (std::size_t cell = 0; cell < parts.size(); ++cell) {
          const std::int64_t high =
              (parts[cell] >> ExactCells::kLowBits) + ((parts[cell] >> (ExactCells::kLowBits - 1)) & 1);
          parts[cell] -= high * 2 * kLowEnd;
          carried[cell] += high;
        }
      }
  }

  void add_moved_and_cold(std::vector<ExactCells>& results) const {
    for (const CellCopy* copy : copies_)
      for (std::size_t i = 0; i < copy->num_stripes(); ++i) {
        const SumCells& stripe = copy->stripe(i);
        const bool moved = is_moved(stripe);
        if (!moved && !stripe.has_any_cold()) continue;
        for (std::size_t cell = 0; cell < stripe.num_cells(); ++cell)
          if (moved || stripe.has_cold(cell))
            add_slowly(stripe, cell, moved, i * copy->stripe_cells() + cell, results);
      }
  }

  void add_slowly(const SumCells& stripe, std::size_t cell, bool moved, std::size_t target,
                  std::vector<ExactCells>& results) const {
    for (std::size_t sum = 0; sum < num_sums_; ++sum) {
      const SumParts parts = moved ? stripe.parts(cell, sum) : stripe.cold(cell, sum);
      if (!parts.are_zero()) results[sum].add_parts(target, parts);
    }
  }

  static constexpr std::int64_t kLowEnd = std::int64_t{1} << (ExactCells::kLowBits - 1);

  const Copies& copies_;
  std::size_t num_sums_;
  std::array<SumWindow, kMaxCellSums> windows_;
  std::array<std::array<std::vector<std::int64_t>, kMaxCellSums>, 2> parts_, carried_;
  std::atomic<bool> is_beyond_ = false;
};

void reduce_sums(const Copies& copies, Histogram& result) {
  HotReduction reduction(copies, num_sums(result.storage));
  reduction.run();
  result.exact_cells = std::move(reduction).results();
}

void clear_cell(Histogram& histogram, std::size_t cell) {
  if (!has_weights(histogram.storage)) histogram.sums[kWeight][cell] = 0;
  for (ExactCells& cells : histogram.exact_cells) cells.set_parts(cell, {});
}

// Empties the flow cells that an axis does not have.
void clear_flow(Histogram& histogram) {
  std::size_t stride = 1;
  for (const Axis& axis : histogram.axes) {
    const std::size_t extent = axis.num_cells(), length = stride * extent;
    for (std::size_t cell = 0; cell < histogram.num_cells(); ++cell) {
      const std::size_t on_axis = cell % length / stride;
      const bool is_missing =
          (on_axis == 0 && !axis.flow().underflow) || (on_axis + 1 == extent && !axis.flow().overflow);
      if (is_missing && !axis.is_growing()) clear_cell(histogram, cell);
    }
    stride = length;
  }
  for (ExactCells& cells : histogram.exact_cells) cells.drop_zeros();
}

bool lacks_flow(const Axis& axis) {
  return !axis.is_category() && !(axis.flow().underflow && axis.flow().overflow);
}

}  // namespace

Histogram reduced(const HistogramSpec& spec, std::span<const Instance* const> instances) {
  Histogram result =
      empty_histogram(spec.name, spec.title, axes_with_categories(spec, instances), spec.storage);
  result.value_title = spec.value_title;
  if (instances.empty()) return result;
  for (const Instance* instance : instances) {
    result.entries += instance->entries;
    result.num_nan += instance->num_nan;
    result.num_bad_weights += instance->num_bad_weights;
    for (std::size_t i = 0; i < instance->positions.size(); ++i)
      result.exact_positions[i].add(instance->positions[i]);
  }
  const Copies copies = copies_of(instances);
  if (!instances.front()->growing.empty())
    reduce_growing(instances, result);
  else if (!has_weights(spec.storage))
    reduce_counts(copies, result.sums[kWeight]);
  else
    reduce_sums(copies, result);
  if (std::any_of(spec.axes.begin(), spec.axes.end(), lacks_flow)) clear_flow(result);
  round_exact_sums(result);
  return result;
}

}  // namespace skimline::histograms
