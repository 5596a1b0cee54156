// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/histogram_reader.h"

#include "histograms/bin_statistics.h"
#include "histograms/cell_sums.h"
#include "histograms/histogram_check.h"
#include "histograms/labelled_bins.h"
#include "histograms/record_reader.h"
#include "histograms/sparse_layout.h"
#include "root/file_seal.h"
#include "root/named_objects.h"

#include "skimline/framework/error.h"
#include "skimline/io/exact_sums_record.h"
#include "skimline/io/unread_histogram.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace skimline::io {
namespace {

using histograms::Axis;
using histograms::Histogram;
using histograms::Storage;

using Payload = std::span<const std::byte>;

// Nothing is wrong with what is stored.
class Unreadable : public FormatError {
 public:
  using FormatError::FormatError;
};

// A sparse histogram may have so many cells for each that is filled, and these if it has few.
constexpr std::size_t kCellsPerBin = 4096;
constexpr std::size_t kFewCells = std::size_t{1} << 22;
constexpr double kLargestCount = 0x1p53;

bool has_categories(const StoredAxis& axis) {
  if (axis.labels.size() != static_cast<std::size_t>(axis.num_bins)) return false;
  std::set<std::string_view> names;
  std::uint32_t bin = 0;
  for (const auto& [number, name] : axis.labels)
    if (number != ++bin || !names.insert(name).second) return false;
  return true;
}

Axis axis_of(const StoredAxis& stored) {
  const auto make = [&] {
    if (has_categories(stored)) {
      std::vector<std::string> names;
      for (const auto& [bin, name] : stored.labels) names.push_back(name);
      return Axis::categories(std::move(names));
    }
    if (!stored.edges.empty()) return Axis::variable(stored.edges);
    return Axis::regular(stored.num_bins, stored.low, stored.high);
  };
  Axis axis = make();
  axis.label = stored.title;
  return axis;
}

// Some writers, uproot among them, note the sum of weights. ROOT, too, takes the magnitude where it computes
// with them.
std::uint64_t entries_of(double entries) {
  const double number = std::abs(entries);
  if (!(number < 0x1p63)) throw FormatError("an impossible number of entries");
  return static_cast<std::uint64_t>(std::llround(number));
}

bool are_counts(const std::vector<double>& contents) {
  return std::all_of(contents.begin(), contents.end(), [](double content) {
    return content >= 0 && content <= kLargestCount && content == std::floor(content);
  });
}

// Contents and squared errors of a histogram that is no profile; no errors mean that none are kept.
void set_sums(Histogram& histogram, std::vector<double> contents, std::vector<double> errors) {
  histogram.storage = errors.empty() && are_counts(contents) ? Storage::kCount : Storage::kWeighted;
  if (has_weights(histogram.storage)) {
    if (errors.empty())
      for (const double content : contents) errors.push_back(std::abs(content));
    histogram.sums[histograms::kWeightSquared] = std::move(errors);
  }
  histogram.sums[histograms::kWeight] = std::move(contents);
}

// Sums in the order of HistogramLayout::sums.
class SumReader {
 public:
  SumReader(const std::vector<std::size_t>& offsets, Payload payload) {
    for (const std::size_t offset : offsets) sums_.push_back(read_real(payload, offset));
  }

  // As ROOT takes them from the bins where there are none.
  SumReader(const HistogramLayout& layout, Payload payload) : SumReader(layout.sums, payload) {
    if (!has_no_statistics(layout, payload)) return;
    const std::vector<double> statistics = bin_statistics(layout, payload);
    std::copy(statistics.begin(), statistics.end(), sums_.begin() + 1);
  }

  double next() { return sums_[next_++]; }
  bool has_more() const { return next_ < sums_.size(); }

  void read_axis(std::size_t axis, histograms::Statistics& statistics) {
    statistics.position[axis] = next();
    statistics.position_squared[axis] = next();
  }

 private:
  std::vector<double> sums_;
  std::size_t next_ = 0;
};

void begin_statistics(SumReader& sums, Histogram& histogram) {
  const std::size_t num_axes = histogram.axes.size();
  histograms::Statistics& statistics = histogram.statistics;
  statistics.position.assign(num_axes, 0);
  statistics.position_squared.assign(num_axes, 0);
  statistics.position_product.assign(num_axes == 2 ? 1 : num_axes == 3 ? 3 : 0, 0);
  histogram.entries = entries_of(sums.next());
  statistics.weight = sums.next();
  statistics.weight_squared = std::max(0.0, sums.next());
}

void read_statistics(const HistogramLayout& layout, Payload payload, Histogram& histogram) {
  SumReader sums(layout, payload);
  begin_statistics(sums, histogram);
  histograms::Statistics& statistics = histogram.statistics;
  const std::size_t num_axes = histogram.axes.size();
  sums.read_axis(0, statistics);
  if (num_axes >= 2) {
    sums.read_axis(1, statistics);
    statistics.position_product[0] = sums.next();
  }
  if (num_axes == 3) {
    sums.read_axis(2, statistics);
    statistics.position_product[1] = sums.next();
    statistics.position_product[2] = sums.next();
  }
  if (!layout.kind.is_profile) return;
  statistics.weighted_value = sums.next();
  statistics.weighted_value_squared = sums.next();
}

// Of histograms with any number of axes: all w x, then all w x^2, or none of either.
void read_many_statistics(const std::vector<std::size_t>& offsets, Payload payload, Histogram& histogram) {
  SumReader sums(offsets, payload);
  begin_statistics(sums, histogram);
  if (!sums.has_more()) return;
  for (double& position : histogram.statistics.position) position = sums.next();
  for (double& position : histogram.statistics.position_squared) position = sums.next();
}

void read_cells(const HistogramLayout& layout, Payload payload, Histogram& histogram) {
  std::vector<double> contents = read_reals(layout.arrays[kContents], payload);
  std::vector<double> errors = read_reals(layout.arrays[kSumw2], payload);
  if (!layout.kind.is_profile) return set_sums(histogram, std::move(contents), std::move(errors));
  if (errors.empty()) throw FormatError("a profile without sums of squared values");
  histogram.storage = Storage::kProfile;
  std::vector<double> entries = read_reals(layout.arrays[kBinEntries], payload);
  std::vector<double> squares = read_reals(layout.arrays[kBinSumw2], payload);
  histogram.sums[histograms::kWeightSquared] = squares.empty() ? entries : std::move(squares);
  histogram.sums[histograms::kWeight] = std::move(entries);
  histogram.sums[histograms::kWeightedValue] = std::move(contents);
  histogram.sums[histograms::kWeightedValueSquared] = std::move(errors);
}

// The last axis of a THnT runs fastest, the first one of our histograms.
std::vector<double> in_our_order(const std::vector<double>& stored, const std::vector<Axis>& axes,
                                 std::size_t num_cells) {
  std::vector<double> values(num_cells);
  if (stored.empty()) return values;
  std::vector<std::size_t> cell(axes.size());
  for (const double value : stored) {
    std::size_t number = 0;
    for (std::size_t axis = axes.size(); axis-- > 0;) number = number * axes[axis].num_cells() + cell[axis];
    values[number] = value;
    for (std::size_t axis = axes.size(); axis-- > 0;) {
      if (++cell[axis] < axes[axis].num_cells()) break;
      cell[axis] = 0;
    }
  }
  return values;
}

void read_dense(const HistogramClass& kind, Payload payload, std::size_t key_size, Histogram& histogram) {
  const HistogramLayout layout = read_layout(kind, payload, key_size);
  if (layout.has_buffered_fills) throw Unreadable("its fills are in a buffer: their bins are not known yet");
  histogram.title = layout.title;
  histogram.value_title = layout.content_title;
  for (const StoredAxis& axis : layout.axes) histogram.axes.push_back(axis_of(axis));
  if (!kind.is_dense_array) {
    read_cells(layout, payload, histogram);
    drop_bins_without_labels(layout.axes, histogram);
    return read_statistics(layout, payload, histogram);
  }
  if (layout.num_cells() > kFewCells && layout.arrays[kContents].count == 0)
    throw Unreadable("an empty histogram with too many cells");
  const std::vector<double> errors = read_reals(layout.arrays[kSumw2], payload);
  set_sums(histogram,
           in_our_order(read_reals(layout.arrays[kContents], payload), histogram.axes, layout.num_cells()),
           errors.empty() ? errors : in_our_order(errors, histogram.axes, layout.num_cells()));
  read_many_statistics(layout.sums, payload, histogram);
}

class SparseCells {
 public:
  SparseCells(const SparseLayout& layout, Payload payload)
      : layout_(layout), payload_(payload), bits_(coordinate_bits(layout.axes)) {}

  void read(Histogram& histogram) {
    const std::size_t num_cells = checked_cells();
    contents_.assign(num_cells, 0);
    for (const SparseChunk& chunk : layout_.chunks) has_errors_ |= chunk.sumw2.count != 0;
    if (has_errors_) errors_.assign(num_cells, 0);
    for (const SparseChunk& chunk : layout_.chunks) read(chunk);
    set_sums(histogram, std::move(contents_), std::move(errors_));
  }

 private:
  std::size_t checked_cells() const {
    std::size_t filled = 0;
    for (const SparseChunk& chunk : layout_.chunks) filled += chunk.num_bins;
    const std::size_t limit = std::max(kFewCells, filled * kCellsPerBin);
    std::size_t cells = 1;
    for (const StoredAxis& axis : layout_.axes) {
      if (axis.num_cells() > limit / cells)
        throw Unreadable(std::to_string(filled) + " filled bins in too many cells to keep in memory");
      cells *= axis.num_cells();
    }
    return cells;
  }

  void read(const SparseChunk& chunk) {
    const std::vector<double> contents = read_reals(chunk.contents, payload_);
    const std::vector<double> errors = read_reals(chunk.sumw2, payload_);
    for (std::size_t bin = 0; bin < chunk.num_bins; ++bin) {
      const std::size_t cell = cell_at(chunk.coordinates.begin + bin * layout_.coordinate_size);
      contents_[cell] += contents[bin];
      if (has_errors_) errors_[cell] += errors.empty() ? std::abs(contents[bin]) : errors[bin];
    }
  }

  std::size_t cell_at(std::size_t place) const {
    std::size_t cell = 0, stride = 1, bit = 0;
    for (std::size_t axis = 0; axis < bits_.size(); ++axis) {
      std::size_t bin = 0;
      for (int i = 0; i < bits_[axis]; ++i, ++bit)
        bin |= (std::to_integer<std::size_t>(payload_[place + bit / 8]) >> bit % 8 & 1) << i;
      const std::size_t num_cells = layout_.axes[axis].num_cells();
      if (bin >= num_cells) throw FormatError("a filled bin that its axis does not have");
      cell += bin * stride;
      stride *= num_cells;
    }
    return cell;
  }

  const SparseLayout& layout_;
  Payload payload_;
  std::vector<int> bits_;
  std::vector<double> contents_, errors_;
  bool has_errors_ = false;
};

void read_sparse(const HistogramClass& kind, Payload payload, std::size_t key_size, Histogram& histogram) {
  const SparseLayout layout = read_sparse_layout(kind, payload, key_size);
  histogram.title = layout.title;
  for (const StoredAxis& axis : layout.axes) histogram.axes.push_back(axis_of(axis));
  SparseCells(layout, payload).read(histogram);
  read_many_statistics(layout.sums, payload, histogram);
}

// What stands behind the record, if it is exact sums of the object as it is stored.
std::optional<Histogram> exact_histogram(const RootFile& file, const RootKey& key, Payload stored) {
  const InputFile& input = file.input();
  const std::uint64_t end = key.offset + key.record_size;
  const std::uint64_t known_size = file.seal() ? file.seal()->at(key.offset).size_behind : 0;
  std::vector<std::byte> record(std::min<std::uint64_t>(input.size() - end, kExactSumsFront));
  input.read(end, record);
  const std::uint64_t size = exact_sums_record_size(record);
  if (size != known_size && file.seal()) throw FormatError(kNoExactSums);
  if (size == 0 || size > input.size() - end) return std::nullopt;
  record.resize(static_cast<std::size_t>(size));
  input.read(end, record);
  std::optional<Histogram> exact = read_exact_sums(record, stored);
  if (!exact && file.changed() == ChangedRecords::kRefused) throw FormatError(kChangedObject);
  return exact;
}

HistogramClass class_of(const RootKey& key) {
  const std::optional<HistogramClass> kind = histogram_class(key.class_name);
  if (!kind) throw FormatError("is a " + key.class_name + ", not a histogram");
  return *kind;
}

Histogram read_checked(const RootFile& file, const RootKey& key) {
  if (file.has_namesake(key)) throw Unreadable(kTwoOfOnePath);
  const HistogramClass kind = class_of(key);
  const std::vector<std::byte> record = file.read_record(key);
  const Payload stored = Payload(record).subspan(key.key_size);
  if (std::optional<Histogram> exact = exact_histogram(file, key, stored)) return *std::move(exact);
  std::vector<std::byte> object;
  decompress_object(stored, key.object_size, object);
  Histogram histogram;
  const auto read = kind.is_sparse ? read_sparse : read_dense;
  read(kind, object, key.key_size, histogram);
  return histogram;
}

HistogramProof checked(const RootFile& file, const RootKey& key) {
  const HistogramClass kind = class_of(key);
  const std::vector<std::byte> record = file.read_record(key);
  const Payload stored = Payload(record).subspan(key.key_size);
  const bool has_exact_sums = exact_histogram(file, key, stored).has_value();
  if (has_exact_sums || file.seal() != nullptr) return HistogramProof::kChecksum;
  std::vector<std::byte> object;
  decompress_object(stored, key.object_size, object);
  try {
    if (kind.is_sparse)
      read_sparse_layout(kind, object, key.key_size);
    else
      read_layout(kind, object, key.key_size);
  } catch (const UnknownVersion&) {
    return HistogramProof::kUnknownVersion;
  }
  return HistogramProof::kReadable;
}

std::string located(const RootKey& key, const Error& error) {
  return "histogram \"" + key.path + "\" at byte " + std::to_string(key.offset) + ": " + error.what();
}

// Says of what is wrong with a histogram where it is.
template <typename Read>
auto read_named(const RootFile& file, const RootKey& key, Read read) {
  try {
    return read(file, key);
  } catch (const FileError&) {
    throw;
  } catch (const UnknownVersion& error) {
    throw UnreadHistogram(file.path(), located(key, error));
  } catch (const Unreadable& error) {
    throw UnreadHistogram(file.path(), located(key, error));
  } catch (const Error& error) {
    throw FileError(file.path(), located(key, error));
  }
}

}  // namespace

bool is_histogram_class(std::string_view class_name) { return histogram_class(class_name).has_value(); }

Histogram read_histogram(const RootFile& file, const RootKey& key) {
  Histogram histogram = read_named(file, key, read_checked);
  histogram.name = key.path;
  return histogram;
}

HistogramProof check_histogram(const RootFile& file, const RootKey& key) {
  return read_named(file, key, checked);
}

}  // namespace skimline::io
