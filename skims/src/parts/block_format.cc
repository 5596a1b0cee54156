// SPDX-License-Identifier: BSD-3-Clause
#include "parts/block_format.h"

#include "skimline/framework/error.h"
#include "skimline/io/text_digest.h"

#include <bit>
#include <cstring>
#include <utility>

namespace skimline::skims {
namespace {

using histograms::Axis;
using histograms::ExactSum;
using histograms::Integer128;
using histograms::PackedNumbers;
using histograms::Storage;
using histograms::SumParts;
using histograms::SumWindow;

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "skimline block 2";
constexpr std::size_t kDigest = 32;
constexpr std::size_t kFront = kMagic.size() + kDigest;  // the checksum is of all behind it
// As files of exact sums have them: 2^64 fills of parts of 50 bits are less.
constexpr std::int64_t kMaxHighOfSum = std::int64_t{1} << 50;
constexpr std::uint64_t kMaxCells = std::uint64_t{1} << 40;

enum class AxisForm : std::uint64_t { kFixed, kTexts, kIntegers };

[[noreturn]] void refuse(const std::string& why) { throw Error("a block of results is damaged: " + why); }

// Takes values from the front of what is left.
class BlockReader {
 public:
  explicit BlockReader(std::string_view left) : left_(left) {}

  bool is_at_end() const { return left_.empty(); }

  std::string_view bytes(std::uint64_t size) {
    if (size > left_.size()) refuse("it ends too early");
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes(sizeof value).data(), sizeof value);
    return value;
  }
  // A number of things of which each takes so many bytes at least.
  std::uint64_t count(std::size_t least_bytes) {
    const std::uint64_t value = number();
    if (value > left_.size() / least_bytes) refuse("it ends too early");
    return value;
  }
  std::uint64_t number_up_to(std::uint64_t most, const char* what) {
    const std::uint64_t value = number();
    if (value > most) refuse(std::string("it has an impossible ") + what);
    return value;
  }
  std::string text() { return std::string(bytes(count(1))); }

 private:
  std::string_view left_;
};

PartRanges read_ranges(BlockReader& reader) {
  PartRanges ranges(reader.count(16));
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    ranges[i] = {reader.number(), reader.number()};
    const bool is_behind = i == 0 || ranges[i].first > ranges[i - 1].second;
    if (!is_behind || ranges[i].first >= ranges[i].second) refuse("its parts are in disorder");
  }
  return ranges;
}

BlockFacts read_facts(BlockReader& reader) {
  BlockFacts facts;
  facts.digest = reader.bytes(kDigest);
  facts.place.count = static_cast<std::uint32_t>(reader.number_up_to(kMaxBlocks, "number of blocks"));
  facts.place.number = static_cast<std::uint32_t>(reader.number_up_to(kMaxBlocks, "place"));
  if (facts.place.number >= facts.place.count) refuse("it has an impossible place");
  facts.parts = read_ranges(reader);
  return facts;
}

std::size_t read_num_places(BlockReader& reader) {
  constexpr std::uint64_t kMost = SumParts::kHighest - SumParts::kLowest + 1;
  return reader.number_up_to(kMost, "number of places");
}

SumWindow read_window(BlockReader& reader) {
  return SumWindow::numbered(static_cast<int>(static_cast<std::int64_t>(reader.number())));
}

ExactSum read_sum(BlockReader& reader) {
  const SumWindow window = read_window(reader);
  const bool is_infinite = reader.number_up_to(1, "sum") == 1;
  SumParts parts;
  const auto places = static_cast<int>(read_num_places(reader));
  for (int place = 0; place < places; ++place) {
    const std::uint64_t low = reader.number();
    const auto high = static_cast<std::int64_t>(reader.number());
    if (high >= kMaxHighOfSum || high < -kMaxHighOfSum) refuse("it has an impossible sum");
    parts.add(window.number() - place,
              static_cast<Integer128>(high) * (Integer128{1} << 64) + static_cast<Integer128>(low));
  }
  return {window, parts, is_infinite};
}

PieceHead read_head(BlockReader& reader) {
  PieceHead head;
  head.entries = reader.number();
  head.num_nan = reader.number();
  head.num_bad_weights = reader.number();
  for (std::uint64_t left = reader.count(64); left > 0; --left) head.positions.push_back(read_sum(reader));
  return head;
}

Axis read_axis(BlockReader& reader) {
  const auto form = static_cast<AxisForm>(reader.number_up_to(2, "axis"));
  if (form == AxisForm::kFixed) {
    const std::uint64_t cells = reader.number_up_to(kMaxGrowingCells, "axis");
    if (cells < 3) refuse("it has an axis without bins");
    return Axis::regular(static_cast<int>(cells - 2), 0, 1);
  }
  if (form == AxisForm::kTexts) {
    std::vector<std::string> names(reader.count(8));
    for (std::string& name : names) name = reader.text();
    return Axis::categories(std::move(names), true);
  }
  std::vector<std::int64_t> numbers(reader.count(8));
  for (std::int64_t& number : numbers) number = static_cast<std::int64_t>(reader.number());
  return Axis::categories(std::move(numbers), true);
}

std::uint64_t cells_of(const std::vector<Axis>& axes) {
  std::uint64_t cells = 1;
  for (const Axis& axis : axes) {
    cells *= axis.num_cells();
    if (cells > kMaxGrowingCells) refuse("a histogram with growing axes has too many cells");
  }
  return cells;
}

PackedNumbers read_numbers(BlockReader& reader, std::uint64_t count) {
  const std::uint64_t width = reader.number();
  if (!histograms::is_packed_width(width)) refuse("it has numbers of an impossible width");
  return {width, reader.bytes(width * count)};
}

// Counts have no window; what weights have none has no numbers.
void check_places(const PieceSum& sum) {
  for (std::size_t place = 0; place < sum.low.size(); ++place) {
    const int number = sum.window.number() - static_cast<int>(place);
    if (number < SumParts::kLowest && sum.low[place].width + sum.high[place].width > 0)
      refuse("a sum has parts beyond its range");
  }
}

PieceSum read_piece_sum(BlockReader& reader, std::uint64_t count) {
  PieceSum sum;
  sum.window = read_window(reader);
  for (std::size_t left = read_num_places(reader); left > 0; --left) {
    sum.low.push_back(read_numbers(reader, count));
    sum.high.push_back(read_numbers(reader, count));
  }
  return sum;
}

std::size_t num_piece_sums(Storage storage) { return has_weights(storage) ? num_sums(storage) : 1; }

Piece read_piece(BlockReader& reader) {
  Piece piece;
  piece.histogram = static_cast<std::uint32_t>(reader.number_up_to(~std::uint32_t{0}, "histogram"));
  piece.storage = static_cast<Storage>(reader.number_up_to(histograms::storages().size() - 1, "storage"));
  piece.first = reader.number_up_to(kMaxCells, "cell");
  piece.count = reader.number_up_to(kMaxCells, "number of cells");
  for (std::uint64_t left = reader.count(16); left > 0; --left) piece.axes.push_back(read_axis(reader));
  if (piece.is_growing() && (piece.first != 0 || piece.count != cells_of(piece.axes)))
    refuse("a histogram with growing axes has other cells than these");
  if (piece.first == 0) piece.head = read_head(reader);
  for (std::size_t left = num_piece_sums(piece.storage); left > 0; --left) {
    piece.sums.push_back(read_piece_sum(reader, piece.count));
    if (has_weights(piece.storage)) check_places(piece.sums.back());
  }
  return piece;
}

}  // namespace

Block parse_block(std::string_view bytes, BlockChecksum checksum) try {
  if (!bytes.starts_with(kMagic)) refuse("it is none, or one of another version");
  if (bytes.size() < kFront + kDigest) refuse("it ends too early");
  const std::string_view content = bytes.substr(kFront);
  if (checksum != BlockChecksum::kVerified &&
      bytes.substr(kMagic.size(), kDigest) != io::text_digest(content))
    refuse("its checksum is wrong");
  BlockReader reader(content);
  Block block{read_facts(reader), {}};
  while (!reader.is_at_end()) block.pieces.push_back(read_piece(reader));
  return block;
} catch (const ConfigError& error) {  // of an axis
  refuse(error.what());
}

BlockWriter::BlockWriter(const BlockFacts& facts, std::size_t num_bytes) : bytes_(kMagic) {
  bytes_.reserve(num_bytes);
  if (facts.digest.size() != kDigest) throw InternalError("the results of a block have no digest");
  bytes_.append(kDigest, ' ');
  bytes_ += facts.digest;
  number(facts.place.count);
  number(facts.place.number);
  number(facts.parts.size());
  for (const auto& [first, last] : facts.parts) {
    number(first);
    number(last);
  }
}

void BlockWriter::begin(const Piece& piece) {
  number(piece.histogram);
  number(static_cast<std::uint64_t>(piece.storage));
  number(piece.first);
  number(piece.count);
  number(piece.axes.size());
  for (const Axis& axis : piece.axes) write(axis);
  if (piece.head) write(*piece.head);
}

void BlockWriter::add_sum(SumWindow window, const Places& low, const Places& high) {
  number(static_cast<std::uint64_t>(std::int64_t{window.number()}));
  number(low.size());
  for (std::size_t place = 0; place < low.size(); ++place)
    for (const std::span<const std::int64_t> numbers : {low[place], high[place]}) {
      const std::size_t width = histograms::packed_width(numbers);
      number(width);
      histograms::pack(numbers, width, bytes_);
    }
}

std::string BlockWriter::finish() && {
  const std::string digest = io::text_digest(std::string_view(bytes_).substr(kFront));
  bytes_.replace(kMagic.size(), kDigest, digest);
  return std::move(bytes_);
}

void BlockWriter::number(std::uint64_t value) {
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void BlockWriter::text(std::string_view value) {
  number(value.size());
  bytes_ += value;
}

void BlockWriter::write(const PieceHead& head) {
  number(head.entries);
  number(head.num_nan);
  number(head.num_bad_weights);
  number(head.positions.size());
  for (const ExactSum& sum : head.positions) {
    number(static_cast<std::uint64_t>(std::int64_t{sum.window().number()}));
    number(sum.is_infinite() ? 1 : 0);
    const int places = sum.window().places_to(sum.parts().lowest());
    number(static_cast<std::uint64_t>(places));
    for (int place = 0; place < places; ++place) {
      const Integer128 part = sum.parts().of(sum.window().number() - place);
      number(static_cast<std::uint64_t>(part));
      number(static_cast<std::uint64_t>(static_cast<std::int64_t>(part >> 64)));
    }
  }
}

void BlockWriter::write(const Axis& axis) {
  const bool is_text = axis.values() == histograms::AxisValues::kTexts;
  const AxisForm form = !axis.is_growing() ? AxisForm::kFixed
                        : is_text          ? AxisForm::kTexts
                                           : AxisForm::kIntegers;
  number(static_cast<std::uint64_t>(form));
  if (form == AxisForm::kFixed) return number(axis.num_cells());
  number(is_text ? axis.names().size() : axis.numbers().size());
  for (const std::string& name : axis.names()) text(name);
  for (const std::int64_t each : axis.numbers()) number(static_cast<std::uint64_t>(each));
}

}  // namespace skimline::skims
