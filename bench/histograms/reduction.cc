// SPDX-License-Identifier: BSD-3-Clause
// Sums up a large set of histograms that several slots filled, beside a loop that adds plain numbers:
//
//   reduction ROUNDS THREADS private|placed
//
// The set has 12,000 histograms: 10,500 of one axis with 50 to 1000 bins, 1,400 of two axes with 40 to 232,
// 100 of three axes with 25 to 100; 72 % of each are counts, the others weighted. Eight slots fill them so
// that 91, 46 and 24 % of the bins are not zero. `private` gives each slot a copy of everything, `placed`
// lets the set decide for eight threads. The loop adds eight arrays of 128 MiB into one.
//
// Prints a line with cells, filled bins and bytes of cells of all copies; then for each round the seconds of
// HistogramSet::reduce and the bytes per second that the loop reads.
#include "skimline/histograms/histogram_set.h"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

namespace {

using namespace skimline::histograms;
using skimline::ColumnView;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kSlots = 8;
constexpr std::size_t kPool = std::size_t{1} << 21;

// Histograms with so many axes. Their axes have between `least` and `most` bins: least (most /
// least)^(u^power) for u between 0 and 1, but for one axis, where it is linear in u.
struct Group {
  int axes, number, least, most;
  double power, fills_per_bin;
};

// The powers give the numbers of cells that such a collection has: 57 M, 20 M of them filled.
constexpr Group kGroups[] = {
    {1, 10'500, 50, 1000, 1, 2.4}, {2, 1'400, 40, 232, 2.5, 0.62}, {3, 100, 25, 100, 0.4, 0.27}};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Collection {
  HistogramSet set;
  std::vector<std::uint64_t> fills;  // of each histogram in each slot
  std::uint64_t cells = 0, bytes = 0;

  explicit Collection(int threads) : set({.threads = threads, .memory_limit = std::uint64_t{1} << 36}) {
    for (const Group& group : kGroups)
      for (int i = 0; i < group.number; ++i) book(group, i);
    for (const Placement& placement : set.placements())
      bytes += placement.cell_bytes * (placement.is_shared ? 1 : kSlots);
  }

  void book(const Group& group, int i) {
    const double u = (i + 0.5) / group.number, range = static_cast<double>(group.most) / group.least;
    const double bins = group.axes == 1 ? group.least + u * (group.most - group.least)
                                        : group.least * std::pow(range, std::pow(u, group.power));
    const Axis axis = Axis::regular(static_cast<int>(bins), 0, 1);
    HistogramSpec spec{.name = std::to_string(group.axes) + "d_" + std::to_string(i),
                       .title = "",
                       .axes = std::vector<Axis>(static_cast<std::size_t>(group.axes), axis),
                       .storage = i % 25 < 18 ? Storage::kCount : Storage::kWeighted};
    const double num_bins = std::pow(axis.num_bins(), group.axes);
    fills.push_back(static_cast<std::uint64_t>(group.fills_per_bin * num_bins));
    cells += num_cells(spec.axes);
    set.add(std::move(spec));
  }

  // Positions and weights are stretches of one pool of numbers between 0 and 1.
  void fill() {
    std::vector<double> pool(kPool);
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> uniform;
    for (double& value : pool) value = uniform(random);
    for (std::size_t slot = 0; slot < kSlots; ++slot)
      for (std::size_t id = 0; id < set.size(); ++id) {
        const std::size_t columns =
            set.spec(id).axes.size() + (set.spec(id).storage == Storage::kWeighted ? 1 : 0);
        const std::vector<std::size_t> ids{id};
        for (std::uint64_t left = fills[id]; left > 0;) {
          const std::size_t length = std::min<std::uint64_t>(left, 4096);
          std::vector<ColumnView> views(columns);
          for (ColumnView& view : views)
            view = {.type = skimline::flat(skimline::ScalarType::kDouble),
                    .length = length,
                    .values = pool.data() + random() % (kPool - length)};
          if (set.fill(slot, ids, views)) throw std::runtime_error("a fill was refused");
          left -= length;
        }
      }
  }
};

// Counts and entries follow from the fills; weights are between 0 and 1.
std::uint64_t check(const Collection& collection, const std::vector<Histogram>& results) {
  std::uint64_t filled = 0;
  for (std::size_t id = 0; id < results.size(); ++id) {
    const Histogram& result = results[id];
    const auto fills = static_cast<double>(kSlots * collection.fills[id]);
    const double sum = std::accumulate(result.contents().begin(), result.contents().end(), 0.0);
    const bool is_right =
        result.storage == Storage::kCount ? sum == fills : std::fabs(sum / fills - 0.5) < 0.1;
    if (!is_right || static_cast<double>(result.entries) != fills)
      throw std::runtime_error("wrong sum of " + result.name);
    for (const double content : result.contents()) filled += content != 0 ? 1 : 0;
  }
  return filled;
}

// Eight arrays of integers, added into a ninth by blocks that stay in the cache.
class PlainAddition {
 public:
  PlainAddition() : sources_(kSlots, std::vector<std::int64_t>(kLength, 1)), sums_(kLength) {}

  // Returns bytes read per second.
  double run() {
    const auto start = Clock::now();
    oneapi::tbb::parallel_for(std::size_t{0}, kLength / kBlock,
                              [&](std::size_t block) { add(block * kBlock); });
    const double seconds = seconds_since(start);
    if (sums_.front() != static_cast<std::int64_t>(kSlots) || sums_ != std::vector(kLength, sums_.front()))
      throw std::runtime_error("wrong plain sum");
    return static_cast<double>(kSlots * kLength * sizeof(std::int64_t)) / seconds;
  }

 private:
  static constexpr std::size_t kLength = std::size_t{1} << 24, kBlock = 1024;

  void add(std::size_t first) {
    std::int64_t sums[kBlock] = {};
    for (const std::vector<std::int64_t>& source : sources_) {
      const std::int64_t* const in = source.data() + first;
      for (std::size_t i = 0; i < kBlock; ++i) sums[i] += in[i];
    }
    std::copy_n(sums, kBlock, sums_.data() + first);
  }

  std::vector<std::vector<std::int64_t>> sources_;
  std::vector<std::int64_t> sums_;
};

void measure(int rounds, int threads, bool is_placed) {
  Collection collection(is_placed ? static_cast<int>(kSlots) : 1);
  collection.fill();
  const oneapi::tbb::global_control control(oneapi::tbb::global_control::max_allowed_parallelism,
                                            static_cast<std::size_t>(threads));
  PlainAddition plain;
  std::cout << collection.cells << ' ' << check(collection, collection.set.reduce()) << ' '
            << collection.bytes << std::endl;
  for (int round = 0; round < rounds; ++round) {
    const auto start = Clock::now();
    const std::vector<Histogram> results = collection.set.reduce();
    const double seconds = seconds_since(start);
    check(collection, results);
    std::cout << seconds << ' ' << plain.run() << std::endl;
  }
}

}  // namespace

int main(int count, char** arguments) try {
  const std::string placing = count == 4 ? arguments[3] : "";
  if (placing != "private" && placing != "placed") {
    std::cerr << "usage: reduction ROUNDS THREADS private|placed\n";
    return 2;
  }
  measure(std::stoi(arguments[1]), std::stoi(arguments[2]), placing == "placed");
} catch (const std::exception& error) {
  std::cerr << "reduction: " << error.what() << '\n';
  return 1;
}
