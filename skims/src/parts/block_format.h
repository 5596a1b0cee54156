// SPDX-License-Identifier: BSD-3-Clause
// How a block of results lies in memory: what is read of it is checked against its length, and refers to it.
#pragma once

#include "skimline/histograms/axis.h"
#include "skimline/histograms/exact_sum.h"
#include "skimline/histograms/packed_numbers.h"
#include "skimline/histograms/storage.h"
#include "skimline/skims/block_facts.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::skims {

/// The parts of one of the sums of some cells, in as many places of the window.
struct PieceSum {
  histograms::SumWindow window;
  std::vector<histograms::PackedNumbers> low, high;
};

/// What a histogram has but once.
struct PieceHead {
  std::uint64_t entries = 0, num_nan = 0, num_bad_weights = 0;
  std::vector<histograms::ExactSum> positions;
};

/// Consecutive cells of one histogram.
struct Piece {
  std::uint32_t histogram = 0;
  histograms::Storage storage = histograms::Storage::kCount;
  std::uint64_t first = 0, count = 0;
  std::optional<PieceHead> head{};       ///< with the first cell
  std::vector<histograms::Axis> axes{};  ///< of one with growing axes: these, and others with as many cells
  std::vector<PieceSum> sums{};          ///< counts have one, of which only the first `low` may be there

  bool is_growing() const { return !axes.empty(); }
};

/// All of a block.
struct Block {
  BlockFacts facts;
  std::vector<Piece> pieces;
};

/// Largest number of cells of a histogram with growing axes in a block.
inline constexpr std::uint64_t kMaxGrowingCells = 1 << 24;

/// Refers to the bytes. Throws Error saying what is wrong with them.
Block parse_block(std::string_view bytes, BlockChecksum checksum);

/// The bytes of a block, piece by piece.
class BlockWriter {
 public:
  /// `num_bytes` is about what the block will take.
  BlockWriter(const BlockFacts& facts, std::size_t num_bytes);

  /// All of a piece but its sums, which must follow.
  void begin(const Piece& piece);
  /// Numbers by place, as many places of both; none if all are zero.
  using Places = std::vector<std::span<const std::int64_t>>;
  void add_sum(histograms::SumWindow window, const Places& low, const Places& high);
  /// The same bytes again, with the checksum.
  std::string finish() &&;

 private:
  void number(std::uint64_t value);
  void text(std::string_view value);
  void write(const PieceHead& head);
  void write(const histograms::Axis& axis);

  std::string bytes_;
};

}  // namespace skimline::skims
