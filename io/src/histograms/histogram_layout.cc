// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/histogram_layout.h"

#include "histograms/many_axes.h"

#include <algorithm>
#include <iterator>

namespace skimline::io {
namespace {

constexpr std::uint32_t kIsAverage = 1u << 18;
// Versions of TH1, by what they have more than those before.
constexpr std::uint16_t kFirstVersion = 3;
constexpr std::uint16_t kWithBuffer = 4;
constexpr std::uint16_t kWithErrorKind = 7;
constexpr std::uint16_t kWithOverflowKind = 8;
constexpr std::int32_t kConsider = 1;       // of TH1::EStatOverflows
constexpr std::uint16_t kWithBinSumw2 = 6;  // of TProfile
// Sums that TH1 keeps, and those that TH2 and TH3 keep besides.
constexpr std::size_t kSums1 = 5;
constexpr std::size_t kSums2 = 3;
constexpr std::size_t kSums3 = 7;

struct NamedType {
  std::string_view name;
  NumberType type;
};

constexpr NamedType kSuffixes[] = {{"C", NumberType::kChar},  {"S", NumberType::kShort},
                                   {"I", NumberType::kInt},   {"L", NumberType::kLong},
                                   {"F", NumberType::kFloat}, {"D", NumberType::kDouble}};
constexpr NamedType kSparseTypes[] = {{"TArrayC", NumberType::kChar},   {"TArrayS", NumberType::kShort},
                                      {"TArrayI", NumberType::kInt},    {"TArrayL", NumberType::kLong},
                                      {"TArrayL64", NumberType::kLong}, {"TArrayF", NumberType::kFloat},
                                      {"TArrayD", NumberType::kDouble}};
constexpr NamedType kDenseTypes[] = {{"char", NumberType::kChar},    {"short", NumberType::kShort},
                                     {"int", NumberType::kInt},      {"Long64_t", NumberType::kLong},
                                     {"long", NumberType::kLong},    {"float", NumberType::kFloat},
                                     {"double", NumberType::kDouble}};

template <std::size_t kCount>
std::optional<NumberType> type_named(const NamedType (&types)[kCount], std::string_view name) {
  const auto* found = std::find_if(std::begin(types), std::end(types),
                                   [&](const NamedType& type) { return type.name == name; });
  if (found == std::end(types)) return std::nullopt;
  return found->type;
}

char letter_of(NumberType type) { return std::begin(kSuffixes)[static_cast<std::size_t>(type)].name.front(); }

// What stands between `front` and ">".
std::string_view parameter_of(std::string_view name, std::string_view front) {
  if (!name.starts_with(front) || !name.ends_with(">")) return {};
  return name.substr(front.size(), name.size() - front.size() - 1);
}

class LayoutReader {
 public:
  LayoutReader(const HistogramClass& kind, ObjectCursor& cursor, std::size_t key_size)
      : cursor_(cursor), key_size_(key_size) {
    layout_.kind = kind;
  }

  HistogramLayout read() && {
    if (layout_.kind.is_dense_array)
      read_dense_array();
    else if (layout_.kind.is_profile)
      read_profile();
    else
      read_binned();
    check();
    return std::move(layout_);
  }

 private:
  std::size_t num_axes() const { return static_cast<std::size_t>(layout_.kind.num_axes); }

  void sums(std::size_t count) {
    layout_.changing.push_back({cursor_.position(), cursor_.position() + count * sizeof(double)});
    for (std::size_t i = 0; i < count; ++i) {
      layout_.sums.push_back(cursor_.position());
      cursor_.skip(sizeof(double));
    }
  }

  void cells(CellArray which, NumberType type) {
    layout_.arrays[which] = cursor_.array(type);
    layout_.changing.push_back({layout_.arrays[which].offset, layout_.arrays[which].end()});
  }

  StoredAxis axis() { return read_axis(cursor_, key_size_, layout_.has_opaque); }

  void read_axes() {
    for (std::size_t i = 0; i < 3; ++i) {
      StoredAxis read = axis();
      layout_.has_other_labels |= i >= num_axes() && read.has_labels();
      if (i < num_axes())
        layout_.axes.push_back(std::move(read));
      else if (i == num_axes())
        layout_.content_title = std::move(read.title);
    }
  }

  // Three objects of drawing attributes.
  void skip_attributes() {
    for (int i = 0; i < 3; ++i) cursor_.skip_object();
  }

  void read_th1() {
    const ObjectFrame frame =
        cursor_.begin("TH1", {kFirstVersion, kWithBuffer, 5, 6, kWithErrorKind, kWithOverflowKind});
    ObjectCursor::Named named = cursor_.named();
    layout_.name = std::move(named.name);
    layout_.title = std::move(named.title);
    layout_.is_average = (named.bits & kIsAverage) != 0;
    skip_attributes();
    layout_.num_cells_place = cursor_.position();
    num_cells_ = cursor_.number<std::int32_t>();
    read_axes();
    cursor_.skip(2 + 2);  // offset and width of bars
    sums(kSums1);
    cursor_.skip(3 * sizeof(double));    // maximum, minimum, normalisation
    cursor_.array(NumberType::kDouble);  // contours
    cells(kSumw2, NumberType::kDouble);
    cursor_.skip_text();  // drawing option
    read_functions();
    if (frame.version >= kWithBuffer) read_buffer();
    if (frame.version >= kWithErrorKind) cursor_.skip(4);
    if (frame.version >= kWithOverflowKind)
      layout_.has_flow_statistics = cursor_.number<std::int32_t>() == kConsider;
    cursor_.end(frame);
  }

  void read_functions() {
    constexpr std::size_t kEmptyList = 2 + 10 + 1 + 4;
    const std::size_t start = cursor_.position();
    cursor_.skip_object();
    layout_.has_opaque |= cursor_.position() - start > 4 + kEmptyList;
  }

  // Fills whose bins are not known yet: their number, then their weights and positions. A number that is
  // negative says that they are in the bins already.
  void read_buffer() {
    const auto size = cursor_.number<std::int32_t>();
    const bool is_there = cursor_.number<std::uint8_t>() != 0;
    if (!is_there) return;
    if (size < 1) throw FormatError("a buffer of fills with an impossible size");
    layout_.first_buffered = cursor_.position();
    layout_.has_buffered_fills = cursor_.real() > 0;
    layout_.changing.push_back({layout_.first_buffered, cursor_.position()});
    cursor_.skip((static_cast<std::uint64_t>(size) - 1) * sizeof(double));
  }

  void read_th2() {
    const ObjectFrame frame = cursor_.begin("TH2", {3, 4, 5});
    read_th1();
    cursor_.skip(sizeof(double));  // scale
    sums(kSums2);
    cursor_.end(frame);
  }

  void read_th3() {
    const ObjectFrame frame = cursor_.begin("TH3", {4, 5, 6});
    read_th1();
    cursor_.skip_object();
    sums(kSums3);
    cursor_.end(frame);
  }

  // TH1D and its like.
  void read_binned() {
    const std::string name = "TH" + std::to_string(num_axes()) + letter_of(layout_.kind.cells);
    const ObjectFrame frame = begin_binned(name.c_str());
    num_axes() == 1 ? read_th1() : num_axes() == 2 ? read_th2() : read_th3();
    cells(kContents, layout_.kind.cells);
    cursor_.end(frame);
  }

  // Their versions are laid out alike. Those of long integers were never given one.
  ObjectFrame begin_binned(const char* class_name) {
    if (layout_.kind.cells == NumberType::kLong) return cursor_.begin(class_name, 0);
    return num_axes() == 1 ? cursor_.begin(class_name, {1, 2, 3}) : cursor_.begin(class_name, {3, 4});
  }

  void read_profile() {
    const ObjectFrame frame = num_axes() == 1 ? cursor_.begin("TProfile", {4, 5, kWithBinSumw2, 7})
                                              : cursor_.begin("TProfile", {5, kWithBinSumw2, 7, 8});
    read_binned();
    cells(kBinEntries, NumberType::kDouble);
    layout_.profile.error_kind = cursor_.number<std::int32_t>();
    layout_.profile.lowest = cursor_.real();
    layout_.profile.highest = cursor_.real();
    sums(2);
    const bool has_more = frame.end != 0 ? cursor_.position() < frame.end : frame.version >= kWithBinSumw2;
    if (has_more) cells(kBinSumw2, NumberType::kDouble);
    cursor_.end(frame);
  }

  void read_dense_array() {
    const ObjectFrame frame = cursor_.begin("THnT", 1);
    const ObjectFrame thn = cursor_.begin("THn", 1);
    read_thn_base();
    array_of_cells(kSumw2, NumberType::kDouble);
    cursor_.end(thn);
    array_of_cells(kContents, layout_.kind.cells);
    cursor_.end(frame);
  }

  void read_thn_base() {
    ManyAxes base = read_many_axes(cursor_, key_size_);
    layout_.kind.num_axes = static_cast<int>(base.axes.size());
    layout_.title = std::move(base.title);
    layout_.axes = std::move(base.axes);
    layout_.sums = std::move(base.sums);
    layout_.changing = std::move(base.changing);
    layout_.has_opaque = base.has_opaque;
  }

  void array_of_cells(CellArray which, NumberType type);
  void check() const;

  ObjectCursor& cursor_;
  std::size_t key_size_;
  std::int64_t num_cells_ = -1;
  HistogramLayout layout_;
};

// A TNDArrayT: the sizes of the axes, then the cells, or none if all are zero.
void LayoutReader::array_of_cells(CellArray which, NumberType type) {
  const ObjectFrame frame = cursor_.begin("TNDArrayT", 2);
  const ObjectFrame base = cursor_.begin("TNDArray", 2);
  cursor_.object_base();
  cursor_.skip_object();
  cursor_.end(base);
  const ObjectFrame vector = cursor_.begin();
  cells(which, type);
  cursor_.end(vector);
  cursor_.end(frame);
}

void LayoutReader::check() const {
  const std::size_t num_cells = layout_.num_cells();
  if (num_cells_ >= 0 && static_cast<std::size_t>(num_cells_) != num_cells)
    throw FormatError("a histogram with " + std::to_string(num_cells_) + " cells, and axes for " +
                      std::to_string(num_cells));
  const bool may_be_empty = layout_.kind.is_dense_array;
  for (std::size_t which = 0; which < kNumCellArrays; ++which) {
    const std::size_t count = layout_.arrays[which].count;
    const bool is_needed =
        (which == kContents && !may_be_empty) || (which == kBinEntries && layout_.kind.is_profile);
    if (count != num_cells && (count != 0 || is_needed))
      throw FormatError("an array of " + std::to_string(count) + " numbers for " + std::to_string(num_cells) +
                        " cells");
  }
}

}  // namespace

std::optional<HistogramClass> histogram_class(std::string_view name) {
  if (name == "TProfile") return HistogramClass{.num_axes = 1, .is_profile = true};
  if (name == "TProfile2D") return HistogramClass{.num_axes = 2, .is_profile = true};
  if (name == "TProfile3D") return HistogramClass{.num_axes = 3, .is_profile = true};
  if (name.size() == 4 && name.starts_with("TH") && name[2] >= '1' && name[2] <= '3') {
    const auto type = type_named(kSuffixes, name.substr(3));
    if (type) return HistogramClass{.num_axes = name[2] - '0', .cells = *type};
  }
  if (const auto type = type_named(kSparseTypes, parameter_of(name, "THnSparseT<")))
    return HistogramClass{.cells = *type, .is_sparse = true};
  if (const auto type = type_named(kDenseTypes, parameter_of(name, "THnT<")))
    return HistogramClass{.cells = *type, .is_dense_array = true};
  return std::nullopt;
}

std::size_t HistogramLayout::num_cells() const {
  constexpr std::size_t kLimit = std::size_t{1} << 40;
  std::size_t cells = 1;
  for (const StoredAxis& axis : axes) {
    if (axis.num_cells() > kLimit / cells) throw FormatError("a histogram with too many cells");
    cells *= axis.num_cells();
  }
  return cells;
}

HistogramLayout read_layout(const HistogramClass& kind, ObjectCursor& cursor, std::size_t key_size) {
  return LayoutReader(kind, cursor, key_size).read();
}

HistogramLayout read_layout(const HistogramClass& kind, std::span<const std::byte> payload,
                            std::size_t key_size) {
  ObjectCursor cursor(payload);
  HistogramLayout layout = read_layout(kind, cursor, key_size);
  if (cursor.remaining() != 0) throw FormatError("an object with bytes left over");
  layout.references = cursor.references();
  layout.frames = cursor.frames();
  return layout;
}

}  // namespace skimline::io
