// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/result_block.h"

#include "parts/block_format.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <map>
#include <utility>

namespace skimline::skims {
namespace {

using histograms::Axis;
using histograms::ExactCells;
using histograms::Histogram;
using histograms::PackedNumbers;
using histograms::SumWindow;

using Numbers = std::vector<std::int64_t>;

// Cells that are added up while they are in the cache.
constexpr std::size_t kChunk = 2048;
// Sums of so many numbers of cells are carried before the next are added.
constexpr std::size_t kMostUncarried = 7;
// Of a number of fills.
constexpr double kMaxCount = 0x1p53;

bool is_growing(const Histogram& histogram) {
  return std::any_of(histogram.axes.begin(), histogram.axes.end(),
                     [](const Axis& axis) { return axis.is_growing(); });
}

PieceHead head_of(const Histogram& histogram) {
  return {histogram.entries, histogram.num_nan, histogram.num_bad_weights, histogram.exact_positions};
}

Piece piece_of(const Histogram& histogram, std::size_t number, std::uint64_t first, std::uint64_t count) {
  Piece piece{.histogram = static_cast<std::uint32_t>(number),
              .storage = histogram.storage,
              .first = first,
              .count = count};
  if (first == 0) piece.head = head_of(histogram);
  if (is_growing(histogram)) piece.axes = histogram.axes;
  return piece;
}

std::span<const std::int64_t> part_of(const Numbers& numbers, std::uint64_t first, std::uint64_t count) {
  return numbers.empty() ? std::span<const std::int64_t>() : std::span(numbers).subspan(first, count);
}

void write_counts(const Histogram& histogram, const Piece& piece, BlockWriter& writer) {
  Numbers counts(piece.count);
  for (std::size_t i = 0; i < counts.size(); ++i)
    counts[i] = static_cast<std::int64_t>(histogram.contents()[piece.first + i]);
  writer.add_sum(SumWindow(), {std::span<const std::int64_t>(counts)}, {{}});
}

void write_cells(const Histogram& histogram, const Piece& piece, BlockWriter& writer) {
  writer.begin(piece);
  if (!has_weights(histogram.storage)) return write_counts(histogram, piece, writer);
  for (const ExactCells& cells : histogram.exact_cells) {
    BlockWriter::Places low, high;
    for (int place = 0; place < cells.num_places(); ++place) {
      low.push_back(part_of(cells.low(place), piece.first, piece.count));
      high.push_back(part_of(cells.high(place), piece.first, piece.count));
    }
    writer.add_sum(cells.window(), low, high);
  }
}

// The blocks of a collection, one after the other.
class Cutting {
 public:
  Cutting(std::span<const Histogram* const> results, const BlockFacts& facts)
      : results_(results), facts_(facts) {
    for (const Histogram* each : results) {
      if (!each->has_exact_sums) throw InternalError("results without exact sums were cut into blocks");
      if (is_growing(*each))
        check_growing(*each);
      else
        num_cells_ += each->num_cells();
    }
  }

  std::vector<std::string> blocks() && {
    std::vector<std::string> blocks;
    const std::uint32_t count = facts_.place.count;
    for (facts_.place.number = 0; facts_.place.number < count; ++facts_.place.number) {
      BlockWriter writer(facts_, blocks.empty() ? 0 : blocks.back().size());
      if (facts_.place.number == 0) write_growing(writer);
      write_fixed(num_cells_ * (facts_.place.number + 1) / count, writer);
      blocks.push_back(std::move(writer).finish());
    }
    return blocks;
  }

 private:
  static void check_growing(const Histogram& histogram) {
    if (histogram.num_cells() > kMaxGrowingCells)
      throw Error("a histogram with growing axes has too many cells to be sent in a block: " +
                  std::to_string(histogram.num_cells()));
  }

  void write_growing(BlockWriter& writer) const {
    for (std::size_t i = 0; i < results_.size(); ++i)
      if (const Histogram& each = *results_[i]; is_growing(each))
        write_cells(each, piece_of(each, i, 0, each.num_cells()), writer);
  }

  // All cells before number `end` that are in no block yet.
  void write_fixed(std::uint64_t end, BlockWriter& writer) {
    while (written_ < end) {
      const Histogram& histogram = *results_[at_];
      const std::uint64_t cells = is_growing(histogram) ? 0 : histogram.num_cells();
      const std::uint64_t count = std::min(cells - first_, end - written_);
      if (count > 0) write_cells(histogram, piece_of(histogram, at_, first_, count), writer);
      written_ += count;
      first_ += count;
      if (first_ < cells) continue;
      ++at_;
      first_ = 0;
    }
  }

  std::span<const Histogram* const> results_;
  BlockFacts facts_;
  std::uint64_t num_cells_ = 0, written_ = 0;
  std::size_t at_ = 0;       // histogram that comes next
  std::uint64_t first_ = 0;  // and its cell
};

// What is added up of one sum in one place.
struct PlaceTerms {
  std::vector<PackedNumbers> low, high;

  void add(const PackedNumbers& low_numbers, const PackedNumbers& high_numbers) {
    if (low_numbers.width > 0) low.push_back(low_numbers);
    if (high_numbers.width > 0) high.push_back(high_numbers);
  }
};

class PlaceSum {
 public:
  // No carry if none of the numbers can leave 64 bits, as of counts.
  PlaceSum(const PlaceTerms& terms, std::uint64_t count, bool carries) {
    if (terms.low.empty() && terms.high.empty()) return;
    low_.resize(count);
    if (carries) high_.resize(count);
    for (std::uint64_t first = 0; first < count; first += kChunk)
      add(terms, first, std::min<std::uint64_t>(kChunk, count - first), carries);
  }

  const Numbers& low() const { return low_; }
  const Numbers& high() const { return high_; }

 private:
  void add(const PlaceTerms& terms, std::uint64_t first, std::uint64_t count, bool carries) {
    const auto low = std::span(low_).subspan(first, count);
    const auto high = carries ? std::span(high_).subspan(first, count) : std::span<std::int64_t>();
    for (std::size_t i = 0; i < terms.low.size(); ++i) {
      histograms::add(terms.low[i], first, low);
      if (carries && i % kMostUncarried == kMostUncarried - 1) histograms::carry(low, high);
    }
    if (!carries) return;
    for (const PackedNumbers& each : terms.high) histograms::add(each, first, high);
    histograms::carry(low, high);
  }

  Numbers low_, high_;
};

// Sums to which nothing was added have no numbers, in whatever place.
std::size_t places_below(SumWindow window, SumWindow lower) {
  return lower.is_empty() ? 0 : static_cast<std::size_t>(window.number() - lower.number());
}

// One of the sums of equal cells.
void write_sum(std::span<const PieceSum* const> terms, std::uint64_t count, bool carries,
               BlockWriter& writer) {
  SumWindow window;
  for (const PieceSum* term : terms) window = std::max(window, term->window);
  std::vector<PlaceTerms> by_place;
  for (const PieceSum* term : terms) {
    const std::size_t down = places_below(window, term->window);
    by_place.resize(std::max(by_place.size(), down + term->low.size()));
    for (std::size_t place = 0; place < term->low.size(); ++place)
      by_place[down + place].add(term->low[place], term->high[place]);
  }
  std::vector<PlaceSum> sums;
  for (const PlaceTerms& each : by_place) sums.emplace_back(each, count, carries);
  BlockWriter::Places low, high;
  for (const PlaceSum& sum : sums) {
    low.push_back(sum.low());
    high.push_back(sum.high());
  }
  writer.add_sum(window, low, high);
}

PieceHead sum_of_heads(std::span<const Piece* const> pieces) {
  PieceHead sum = *pieces.front()->head;
  for (const Piece* piece : pieces.subspan(1)) {
    const PieceHead& head = *piece->head;
    sum.entries += head.entries;
    sum.num_nan += head.num_nan;
    sum.num_bad_weights += head.num_bad_weights;
    if (head.positions.size() != sum.positions.size())
      throw Error("blocks of different results cannot be added: a histogram has another number of axes");
    for (std::size_t i = 0; i < sum.positions.size(); ++i) sum.positions[i].add(head.positions[i]);
  }
  return sum;
}

void write_fixed_sum(std::span<const Piece* const> pieces, BlockWriter& writer) {
  Piece sum = *pieces.front();
  if (sum.head) sum.head = sum_of_heads(pieces);
  writer.begin(sum);
  for (std::size_t which = 0; which < sum.sums.size(); ++which) {
    std::vector<const PieceSum*> terms;
    for (const Piece* piece : pieces) terms.push_back(&piece->sums[which]);
    write_sum(terms, sum.count, has_weights(sum.storage), writer);
  }
}

// The numbers of all pieces of a histogram in one place, the first cell in front.
Numbers unpacked(std::span<const Piece* const> pieces, std::size_t which, std::size_t place, bool is_high) {
  Numbers numbers;
  std::uint64_t count = 0;
  for (const Piece* piece : pieces) count += piece->count;
  std::uint64_t first = 0;
  for (const Piece* piece : pieces) {
    const std::vector<PackedNumbers>& places = is_high ? piece->sums[which].high : piece->sums[which].low;
    const PackedNumbers packed = place < places.size() ? places[place] : PackedNumbers();
    if (packed.width > 0) {
      if (numbers.empty()) numbers.resize(count);
      histograms::add(packed, 0, std::span(numbers).subspan(first, piece->count));
    }
    first += piece->count;
  }
  return numbers;
}

void read_counts(std::span<const Piece* const> pieces, Histogram& histogram) {
  const Numbers counts = unpacked(pieces, 0, 0, false);
  std::vector<double>& sums = histogram.sums[histograms::kWeight];
  sums.assign(histogram.num_cells(), 0);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    sums[i] = static_cast<double>(counts[i]);
    if (counts[i] < 0 || sums[i] > kMaxCount) throw Error("a block of results has an impossible count");
  }
}

void check_high(const Numbers& numbers) {
  constexpr std::int64_t kEnd = std::int64_t{1} << 54;
  for (const std::int64_t number : numbers)
    if (number >= kEnd || number < -kEnd) throw Error("a block of results has an impossible sum");
}

void read_cells(std::span<const Piece* const> pieces, std::size_t which, ExactCells& cells) {
  const SumWindow window = pieces.front()->sums[which].window;
  for (const Piece* piece : pieces)
    if (piece->sums[which].window != window)
      throw Error("blocks of one histogram are sums of different parts");
  cells.set_window(window);
  std::size_t num_places = 0;
  for (const Piece* piece : pieces) num_places = std::max(num_places, piece->sums[which].low.size());
  for (std::size_t place = 0; place < num_places; ++place) {
    Numbers high = unpacked(pieces, which, place, true);
    check_high(high);
    cells.assign(static_cast<int>(place), unpacked(pieces, which, place, false), std::move(high));
  }
  cells.drop_zeros();
}

void read_head(const PieceHead& head, Histogram& histogram) {
  if (head.positions.size() != histogram.exact_positions.size())
    throw Error("a block is of other results: a histogram has another number of axes");
  histogram.entries = head.entries;
  histogram.num_nan = head.num_nan;
  histogram.num_bad_weights = head.num_bad_weights;
  histogram.exact_positions = head.positions;
}

// All pieces of a histogram, in order.
void read_histogram(std::span<const Piece* const> pieces, Histogram& histogram) {
  read_head(*pieces.front()->head, histogram);
  if (!has_weights(histogram.storage)) read_counts(pieces, histogram);
  for (std::size_t which = 0; which < histogram.exact_cells.size(); ++which)
    read_cells(pieces, which, histogram.exact_cells[which]);
  histograms::round_exact_sums(histogram);
}

// The axes of results, with the bins that growing ones have come to.
std::vector<Axis> grown_axes(const Piece& piece, const std::vector<Axis>& known) {
  if (piece.axes.size() != known.size()) throw Error("a block is of other results: axes are missing");
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const Axis& own = piece.axes[i];
    const bool fits = known[i].is_growing() ? own.is_growing() && own.values() == known[i].values()
                                            : !own.is_growing() && own.num_cells() == known[i].num_cells();
    if (!fits) throw Error("a block is of other results: axis " + std::to_string(i) + " differs");
    axes.push_back(known[i].is_growing() ? own : known[i]);
    axes.back().label = known[i].label;
    axes.back().unit = known[i].unit;
  }
  return axes;
}

Histogram grown(const Piece& piece, std::vector<Axis> axes) {
  Histogram histogram = histograms::empty_histogram("", "", std::move(axes), piece.storage);
  const Piece* const whole[] = {&piece};
  read_histogram(whole, histogram);
  return histogram;
}

void write_growing_sum(std::span<const Piece* const> pieces, BlockWriter& writer) {
  Histogram sum = grown(*pieces.front(), pieces.front()->axes);
  for (const Piece* piece : pieces.subspan(1)) histograms::add(sum, grown(*piece, piece->axes));
  if (sum.num_cells() > kMaxGrowingCells)
    throw Error("a histogram with growing axes has too many cells to be sent in a block");
  write_cells(sum, piece_of(sum, pieces.front()->histogram, 0, sum.num_cells()), writer);
}

bool have_same_cells(const Piece& left, const Piece& right) {
  return left.histogram == right.histogram && left.storage == right.storage && left.first == right.first &&
         left.is_growing() == right.is_growing() && (left.is_growing() || left.count == right.count);
}

void check_same_place(const Block& left, const Block& right) {
  const bool same = left.facts.digest == right.facts.digest &&
                    left.facts.place.number == right.facts.place.number &&
                    left.facts.place.count == right.facts.place.count;
  if (!same || !std::equal(left.pieces.begin(), left.pieces.end(), right.pieces.begin(), right.pieces.end(),
                           have_same_cells))
    throw Error("blocks of different results cannot be added");
}

std::string shown(const std::pair<std::uint64_t, std::uint64_t>& range) {
  return std::to_string(range.first) + " to " + std::to_string(range.second - 1);
}

PartRanges united_parts(std::span<const Block> blocks) {
  PartRanges all, joined;
  for (const Block& block : blocks) all.insert(all.end(), block.facts.parts.begin(), block.facts.parts.end());
  std::sort(all.begin(), all.end());
  for (const auto& range : all) {
    if (joined.empty() || range.first > joined.back().second) {
      joined.push_back(range);
      continue;
    }
    if (range.first < joined.back().second)
      throw Error("blocks that have the same parts cannot be added: parts " + shown(joined.back()) + " and " +
                  shown(range));
    joined.back().second = range.second;
  }
  return joined;
}

std::vector<Block> parsed(std::span<const std::string_view> bytes, BlockChecksum checksum) {
  std::vector<Block> blocks;
  for (const std::string_view each : bytes) blocks.push_back(parse_block(each, checksum));
  return blocks;
}

// By histogram its pieces, in order.
std::map<std::uint32_t, std::vector<const Piece*>> pieces_of(const std::vector<Block>& blocks,
                                                             const std::vector<Histogram>& results) {
  std::map<std::uint32_t, std::vector<const Piece*>> pieces;
  for (const Block& block : blocks)
    for (const Piece& piece : block.pieces) {
      if (piece.histogram >= results.size() || piece.storage != results[piece.histogram].storage ||
          piece.is_growing() != is_growing(results[piece.histogram]))
        throw Error("a block is of other results");
      pieces[piece.histogram].push_back(&piece);
    }
  for (auto& [histogram, all] : pieces)
    std::sort(all.begin(), all.end(), [](const Piece* a, const Piece* b) { return a->first < b->first; });
  return pieces;
}

// Whether pieces are all cells of a histogram. Throws Error if some are there twice.
bool are_whole(const std::vector<const Piece*>& pieces, std::uint64_t num_cells) {
  std::uint64_t end = 0;
  bool has_gap = false;
  for (const Piece* piece : pieces) {
    if (piece->first < end) throw Error("cells are in two of the blocks");
    has_gap |= piece->first > end;
    end = piece->first + piece->count;
  }
  if (end > num_cells) throw Error("a block is of other results: a histogram has more cells");
  return !has_gap && end == num_cells;
}

}  // namespace

std::vector<std::string> blocks_of(std::span<const Histogram* const> results, const BlockFacts& facts) {
  return Cutting(results, facts).blocks();
}

BlockFacts facts_of_block(std::string_view block, BlockChecksum checksum) {
  return parse_block(block, checksum).facts;
}

std::string sum_of_blocks(std::span<const std::string_view> bytes, BlockChecksum checksum) {
  if (bytes.empty()) throw InternalError("no block was to be added");
  const std::vector<Block> blocks = parsed(bytes, checksum);
  for (const Block& each : blocks) check_same_place(blocks.front(), each);
  BlockFacts facts = blocks.front().facts;
  facts.parts = united_parts(blocks);
  std::size_t largest = 0;
  for (const std::string_view each : bytes) largest = std::max(largest, each.size());
  BlockWriter writer(facts, largest + largest / 16);
  std::vector<const Piece*> pieces(blocks.size());
  for (std::size_t number = 0; number < blocks.front().pieces.size(); ++number) {
    for (std::size_t i = 0; i < blocks.size(); ++i) pieces[i] = &blocks[i].pieces[number];
    if (pieces.front()->is_growing())
      write_growing_sum(pieces, writer);
    else
      write_fixed_sum(pieces, writer);
  }
  return std::move(writer).finish();
}

std::vector<std::size_t> read_blocks(std::span<const std::string_view> bytes,
                                     std::vector<Histogram>& results) {
  const std::vector<Block> blocks = parsed(bytes, BlockChecksum::kUnknown);
  std::vector<std::size_t> whole;
  for (const auto& [number, pieces] : pieces_of(blocks, results)) {
    Histogram& histogram = results[number];
    if (is_growing(histogram)) {
      if (pieces.size() != 1) throw Error("cells are in two of the blocks");
      Histogram read = grown(*pieces.front(), grown_axes(*pieces.front(), histogram.axes));
      read.name = histogram.name;
      read.title = histogram.title;
      read.value_title = histogram.value_title;
      histogram = std::move(read);
    } else if (are_whole(pieces, histogram.num_cells())) {
      read_histogram(pieces, histogram);
    } else {
      continue;
    }
    whole.push_back(number);
  }
  return whole;
}

}  // namespace skimline::skims
