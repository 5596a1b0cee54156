// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/exact_sums_record.h"

#include "compression/byte_planes.h"
#include "root/record_key.h"
#include "storage/byte_reader.h"
#include "storage/byte_writer.h"
#include "storage/xxh3.h"

#include "skimline/histograms/axis_kinds.h"
#include "skimline/io/compression.h"
#include "skimline/io/format_error.h"

#include <algorithm>
#include <bit>
#include <string_view>

namespace skimline::io {
namespace {

using histograms::Axis;
using histograms::AxisDefinition;
using histograms::AxisFlow;
using histograms::BinsBy;
using histograms::ExactCells;
using histograms::ExactSum;
using histograms::Histogram;
using histograms::Integer128;
using histograms::Storage;
using histograms::SumParts;
using histograms::SumWindow;

constexpr std::string_view kMagic = "skl-sums";
// The second says of each sum how many places it has, where one has more than SumWindow::kPlaces.
constexpr std::uint32_t kRecordVersion = 1, kVersionOfPlaces = 2;
constexpr std::size_t kHeader = 32;
constexpr std::size_t kChecksum = 8;
constexpr std::uint64_t kMaxCells = std::uint64_t{1} << 31;
// 2^64 fills of parts of 50 bits are less than these.
constexpr std::int64_t kMaxHighOfSum = std::int64_t{1} << 50;
constexpr std::int64_t kMaxHighOfCell = std::int64_t{1} << 54;

enum AxisFlag : std::uint8_t { kUnderflow = 1, kOverflow = 2, kCircular = 4, kGrowing = 8 };

// Zigzag: the sign goes into the lowest bit, so that the high bytes of small numbers are 0.
std::uint64_t folded(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unfolded(std::uint64_t value) { return static_cast<std::int64_t>(value >> 1 ^ -(value & 1)); }

int num_places(const ExactSum& sum) { return sum.window().places_to(sum.parts().lowest()); }

std::uint32_t version_of(const Histogram& histogram) {
  int most = SumWindow::kPlaces;
  for (const ExactSum& sum : histogram.exact_positions) most = std::max(most, num_places(sum));
  for (const ExactCells& cells : histogram.exact_cells) most = std::max(most, cells.num_places());
  return most > SumWindow::kPlaces ? kVersionOfPlaces : kRecordVersion;
}

class BodyWriter {
 public:
  explicit BodyWriter(std::uint32_t version) : has_places_(version == kVersionOfPlaces) {}

  std::vector<std::byte> write(const Histogram& histogram) {
    num_cells_ = histogram.num_cells();
    out_.little<std::uint8_t>(static_cast<std::uint8_t>(histogram.storage));
    out_.envelope_string(histogram.title);
    out_.envelope_string(histogram.value_title);
    for (const std::uint64_t count : {histogram.entries, histogram.num_nan, histogram.num_bad_weights})
      out_.little<std::uint64_t>(count);
    out_.little<std::uint32_t>(static_cast<std::uint32_t>(histogram.axes.size()));
    for (const Axis& axis : histogram.axes) write_axis(axis);
    for (const ExactSum& sum : histogram.exact_positions) write_sum(sum);
    if (!has_weights(histogram.storage)) write_counts(histogram.contents());
    for (const ExactCells& cells : histogram.exact_cells) write_cells(cells);
    return std::move(out_).take();
  }

 private:
  void write_axis(const Axis& axis) {
    const AxisFlow& flow = axis.flow();
    out_.little<std::uint8_t>(static_cast<std::uint8_t>(axis.kind()));
    out_.little<std::uint8_t>(
        static_cast<std::uint8_t>((flow.underflow ? kUnderflow : 0) | (flow.overflow ? kOverflow : 0) |
                                  (flow.circular ? kCircular : 0) | (axis.is_growing() ? kGrowing : 0)));
    out_.envelope_string(axis.label);
    out_.envelope_string(axis.unit);
    out_.little<std::int32_t>(axis.num_bins());
    if (traits_of(axis.kind()).bins_by == BinsBy::kLimits) {
      out_.little<double>(axis.low());
      out_.little<double>(axis.high());
    }
    out_.raw(std::as_bytes(std::span(axis.edges())));
    out_.raw(std::as_bytes(std::span(axis.numbers())));
    for (const std::string& name : axis.names()) out_.envelope_string(name);
  }

  void write_sum(const ExactSum& sum) {
    out_.little<std::int32_t>(sum.window().number());
    out_.little<std::uint8_t>(sum.is_infinite() ? 1 : 0);
    const int places = num_places(sum);
    write_num_places(places);
    for (int place = 0; place < places; ++place) {
      const Integer128 part = sum.parts().of(sum.window().number() - place);
      out_.little<std::uint64_t>(static_cast<std::uint64_t>(part));
      out_.little<std::int64_t>(static_cast<std::int64_t>(part >> 64));
    }
  }

  void write_counts(const std::vector<double>& counts) {
    folded_.resize(counts.size());
    std::transform(counts.begin(), counts.end(), folded_.begin(),
                   [](double count) { return static_cast<std::uint64_t>(count); });
    write_folded();
  }

  void write_cells(const ExactCells& cells) {
    out_.little<std::int32_t>(cells.window().number());
    write_num_places(cells.num_places());
    for (int place = 0; place < cells.num_places(); ++place) {
      write_numbers(cells.low(place));
      write_numbers(cells.high(place));
    }
  }

  void write_num_places(int places) {
    if (has_places_) out_.little<std::uint8_t>(static_cast<std::uint8_t>(places));
  }

  void write_numbers(const std::vector<std::int64_t>& numbers) {
    folded_.resize(numbers.size());
    std::transform(numbers.begin(), numbers.end(), folded_.begin(), folded);
    write_folded();
  }

  // Which bytes of the numbers are not all zero, then those, each for all numbers. The first array is never
  // left out, so that no small record can stand for many cells.
  void write_folded() {
    if (is_first_array_) folded_.resize(num_cells_);
    std::uint64_t used = is_first_array_ ? 1 : 0;
    is_first_array_ = false;
    for (const std::uint64_t number : folded_) used |= number;
    std::uint8_t mask = 0;
    for (unsigned b = 0; b < 8; ++b)
      if ((used >> 8 * b & 0xFF) != 0) mask = static_cast<std::uint8_t>(mask | 1U << b);
    out_.little<std::uint8_t>(mask);
    if (mask == 0) return;
    const std::size_t count = folded_.size();
    planes_.resize(8 * count);
    split_planes(folded_.data(), count, count, planes_.data());
    for (std::size_t b = 0; b < 8; ++b)
      if ((mask >> b & 1) != 0) out_.raw(std::span(planes_).subspan(b * count, count));
  }

  bool has_places_;
  ByteWriter out_;
  std::size_t num_cells_ = 0;
  bool is_first_array_ = true;
  std::vector<std::uint64_t> folded_;
  std::vector<std::byte> planes_;
};

class BodyReader {
 public:
  BodyReader(std::span<const std::byte> body, std::uint32_t version)
      : in_(body), has_places_(version == kVersionOfPlaces) {}

  Histogram read() {
    Histogram histogram;
    const auto storage = in_.little<std::uint8_t>();
    if (storage >= histograms::storages().size()) throw FormatError("have an unknown storage");
    histogram.storage = static_cast<Storage>(storage);
    histogram.title = in_.envelope_string();
    histogram.value_title = in_.envelope_string();
    histogram.entries = in_.little<std::uint64_t>();
    histogram.num_nan = in_.little<std::uint64_t>();
    histogram.num_bad_weights = in_.little<std::uint64_t>();
    read_axes(histogram);
    histogram.has_exact_sums = true;
    for (std::size_t i = histograms::num_position_sums(histogram.axes.size()); i > 0; --i)
      histogram.exact_positions.push_back(read_sum());
    if (!has_weights(histogram.storage))
      read_counts(histogram);
    else
      for (std::size_t i = num_sums(histogram.storage); i > 0; --i)
        histogram.exact_cells.push_back(read_cells());
    if (in_.remaining() > 0) throw FormatError("have bytes left over");
    return histogram;
  }

 private:
  void read_axes(Histogram& histogram) {
    const auto count = in_.little<std::uint32_t>();
    if (count == 0) throw FormatError("have no axis");
    num_cells_ = 1;
    for (std::uint32_t i = 0; i < count; ++i) {
      histogram.axes.push_back(read_axis());
      num_cells_ *= histogram.axes.back().num_cells();
      if (num_cells_ >= kMaxCells) throw FormatError("have too many cells");
    }
  }

  Axis read_axis() {
    const auto kind = in_.little<std::uint8_t>();
    const auto flags = in_.little<std::uint8_t>();
    std::string label = in_.envelope_string();
    std::string unit = in_.envelope_string();
    Axis axis = read_bins(kind, flags);
    axis.label = std::move(label);
    axis.unit = std::move(unit);
    return axis;
  }

  Axis read_bins(std::uint8_t kind, std::uint8_t flags) {
    AxisDefinition bins;
    bins.flow = {(flags & kUnderflow) != 0, (flags & kOverflow) != 0, (flags & kCircular) != 0};
    bins.is_growing = (flags & kGrowing) != 0;
    bins.num_bins = in_.little<std::int32_t>();
    if (bins.num_bins < 0) throw FormatError("have an axis with a negative number of bins");
    if (kind >= histograms::axis_kinds().size()) throw FormatError("have an axis of an unknown kind");
    const histograms::AxisKindTraits& traits = histograms::axis_kinds()[kind];
    read_definition(traits.bins_by, bins);
    return traits.make(bins);
  }

  void read_definition(BinsBy bins_by, AxisDefinition& bins) {
    const auto count = static_cast<std::size_t>(bins.num_bins);
    switch (bins_by) {
      case BinsBy::kLimits:
        bins.low = in_.little<double>();
        bins.high = in_.little<double>();
        break;
      case BinsBy::kEdges:
        bins.edges = read_vector<double>(count + 1);
        break;
      case BinsBy::kNames:
        bins.names = read_names(count);
        break;
      case BinsBy::kNumbers:
        bins.numbers = read_vector<std::int64_t>(count);
    }
  }

  template <typename T>
  std::vector<T> read_vector(std::size_t count) {
    const std::span<const std::byte> bytes = in_.take(count * sizeof(T));
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  std::vector<std::string> read_names(std::size_t count) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) names.push_back(in_.envelope_string());
    return names;
  }

  ExactSum read_sum() {
    const SumWindow window = SumWindow::numbered(in_.little<std::int32_t>());
    const bool is_infinite = in_.little<std::uint8_t>() != 0;
    SumParts parts;
    const int places = read_num_places();
    for (int place = 0; place < places; ++place) {
      const auto low = in_.little<std::uint64_t>();
      const auto high = in_.little<std::int64_t>();
      if (high >= kMaxHighOfSum || high < -kMaxHighOfSum) throw FormatError("have an impossible sum");
      parts.add(window.number() - place,
                static_cast<Integer128>(high) * (Integer128{1} << 64) + static_cast<Integer128>(low));
    }
    return {window, parts, is_infinite};
  }

  int read_num_places() {
    if (!has_places_) return SumWindow::kPlaces;
    const int places = in_.little<std::uint8_t>();
    if (places < SumWindow::kPlaces || places > SumParts::kHighest - SumParts::kLowest + 1)
      throw FormatError("have a sum of " + std::to_string(places) + " places");
    return places;
  }

  // The counts of all cells are no more than the entries, so that they and their sum stay whole numbers.
  void read_counts(Histogram& histogram) {
    const std::vector<std::uint64_t> counts = read_folded();
    std::uint64_t left = histogram.entries;
    for (const std::uint64_t count : counts) {
      if (count > left) throw FormatError("count more fills than there were");
      left -= count;
    }
    histogram.sums[histograms::kWeight].assign(num_cells_, 0);
    std::transform(counts.begin(), counts.end(), histogram.sums[histograms::kWeight].begin(),
                   [](std::uint64_t count) { return static_cast<double>(count); });
  }

  ExactCells read_cells() {
    ExactCells cells(num_cells_);
    cells.set_window(SumWindow::numbered(in_.little<std::int32_t>()));
    const int places = read_num_places();
    for (int place = 0; place < places; ++place) {
      std::vector<std::int64_t> low = read_numbers();
      std::vector<std::int64_t> high = read_numbers();
      if (std::any_of(high.begin(), high.end(), [](std::int64_t number) {
            return number >= kMaxHighOfCell || number < -kMaxHighOfCell;
          }))
        throw FormatError("have an impossible sum");
      cells.assign(place, std::move(low), std::move(high));
    }
    return cells;
  }

  std::vector<std::int64_t> read_numbers() {
    const std::vector<std::uint64_t> read = read_folded();
    std::vector<std::int64_t> numbers(read.size());
    std::transform(read.begin(), read.end(), numbers.begin(), unfolded);
    return numbers;
  }

  // One number per cell, or none if all are zero.
  std::vector<std::uint64_t> read_folded() {
    const auto mask = in_.little<std::uint8_t>();
    if (is_first_array_ && (mask & 1) == 0) throw FormatError("lack the first array");
    is_first_array_ = false;
    if (mask == 0) return {};
    const std::size_t count = num_cells_;
    const auto used = static_cast<std::size_t>(std::popcount(mask));
    std::span<const std::byte> stored = in_.take(used * count);
    planes_.assign(8 * count, std::byte{0});
    for (std::size_t b = 0; b < 8; ++b) {
      if ((mask >> b & 1) == 0) continue;
      std::memcpy(planes_.data() + b * count, stored.data(), count);
      stored = stored.subspan(count);
    }
    std::vector<std::uint64_t> numbers(count);
    join_planes(planes_.data(), count, count, numbers.data());
    const bool has_numbers =
        std::any_of(numbers.begin(), numbers.end(), [](auto number) { return number != 0; });
    return has_numbers ? numbers : std::vector<std::uint64_t>();
  }

  ByteReader in_;
  bool has_places_;
  std::size_t num_cells_ = 0;
  bool is_first_array_ = true;
  std::vector<std::byte> planes_;
};

// The payload of a record whose key is known to be right.
struct CheckedPayload {
  std::uint32_t version = 0;
  std::uint64_t object_hash = 0;
  std::uint64_t body_size = 0;
  std::span<const std::byte> body;
};

CheckedPayload checked_payload(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeader + kChecksum) throw FormatError("data end too early");
  ByteReader checksum(bytes.last(kChecksum));
  if (checksum.little<std::uint64_t>() != xxh3_64(bytes.first(bytes.size() - kChecksum)))
    throw FormatError("have a wrong checksum");
  ByteReader header(bytes);
  header.take(kMagic.size());
  CheckedPayload payload;
  payload.version = header.little<std::uint32_t>();
  if (payload.version != kRecordVersion && payload.version != kVersionOfPlaces)
    throw FormatError("have the unknown version " + std::to_string(payload.version));
  header.take(4);
  payload.object_hash = header.little<std::uint64_t>();
  payload.body_size = header.little<std::uint64_t>();
  payload.body = bytes.subspan(kHeader, bytes.size() - kHeader - kChecksum);
  if (payload.body_size > payload.body.size() * kMaxExpansion) throw FormatError("have an impossible size");
  return payload;
}

Histogram read_body(const CheckedPayload& payload) {
  std::vector<std::byte> body(static_cast<std::size_t>(payload.body_size));
  decompress_block(payload.body, body);
  Histogram histogram = BodyReader(body, payload.version).read();
  round_exact_sums(histogram);
  return histogram;
}

}  // namespace

std::vector<std::byte> exact_sums_payload(const Histogram& histogram,
                                          std::span<const std::byte> stored_object,
                                          CompressionSetting compression) {
  const std::uint32_t version = version_of(histogram);
  const std::vector<std::byte> body = BodyWriter(version).write(histogram);
  ByteWriter header;
  header.raw(std::as_bytes(std::span(kMagic)));
  header.little<std::uint32_t>(version);
  header.zeros(4);
  header.little<std::uint64_t>(xxh3_64(stored_object));
  header.little<std::uint64_t>(body.size());
  std::vector<std::byte> payload = std::move(header).take();
  compress_block(body, compression, payload, BlockChecksum::kElsewhere);
  const std::uint64_t checksum = xxh3_64(payload);
  const auto bytes = std::as_bytes(std::span(&checksum, 1));
  payload.insert(payload.end(), bytes.begin(), bytes.end());
  return payload;
}

std::uint64_t exact_sums_record_size(std::span<const std::byte> bytes) {
  const RecordKey expected = blob_key(0);
  if (bytes.size() < expected.size() + kMagic.size()) return 0;
  ByteReader reader(bytes);
  const auto record_size = reader.big<std::uint32_t>();
  RecordKey key = blob_key(0);
  reader.take(2);
  key.object_size = reader.big<std::uint32_t>();
  reader.take(8);
  key.offset = reader.big<std::uint64_t>();
  ByteWriter same;
  key.write(same);
  const bool is_blob = std::equal(same.bytes().begin(), same.bytes().end(), bytes.begin());
  const std::span<const std::byte> magic = bytes.subspan(expected.size(), kMagic.size());
  const bool has_magic = std::memcmp(magic.data(), kMagic.data(), kMagic.size()) == 0;
  return is_blob && has_magic ? record_size : 0;
}

namespace {

// Calls `read` with the payload of a whole record; says of what is wrong what it is wrong with.
template <typename Read>
auto read_payload(std::span<const std::byte> record, Read read) {
  try {
    const std::uint64_t size = exact_sums_record_size(record);
    if (size == 0 || size != record.size()) throw FormatError("are no whole record");
    return read(checked_payload(record.subspan(blob_key(0).size())));
  } catch (const Error& error) {
    throw FormatError(std::string("exact sums ") + error.what());
  }
}

}  // namespace

bool exact_sums_fit(std::span<const std::byte> record, std::span<const std::byte> stored_object) {
  return read_payload(
      record, [&](const CheckedPayload& payload) { return payload.object_hash == xxh3_64(stored_object); });
}

std::optional<Histogram> read_exact_sums(std::span<const std::byte> record,
                                         std::span<const std::byte> stored_object) {
  return read_payload(record, [&](const CheckedPayload& payload) -> std::optional<Histogram> {
    if (payload.object_hash != xxh3_64(stored_object)) return std::nullopt;
    return read_body(payload);
  });
}

}  // namespace skimline::io
