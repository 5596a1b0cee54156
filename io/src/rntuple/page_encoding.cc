// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/page_encoding.h"

#include "compression/byte_planes.h"
#include "rntuple/reduced_reals.h"

#include "skimline/io/format_error.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace skimline::io {
namespace {

static_assert(std::endian::native == std::endian::little, "pages are little-endian");

// Elements that are joined before they are transformed in place: they stay in the L1 cache.
constexpr std::size_t kBlock = 1024;

enum class Transform { kPlain, kSplit, kSplitZigzag, kSplitDelta };

// What most column types are: a width, and how the bytes are arranged.
struct Layout {
  Transform transform;
  ScalarType scalar;  // of the stored integers or reals
};

[[noreturn]] void throw_unreadable(ColumnType type) {
  throw FormatError("column type " + column_type_name(type) + " holds no numbers");
}

Layout layout_of(ColumnType type) {
  using enum ColumnType;
  switch (type) {
    case kBit:
      return {Transform::kPlain, ScalarType::kBool};
    case kByte:
    case kUInt8:
      return {Transform::kPlain, ScalarType::kUInt8};
    case kChar:
    case kInt8:
      return {Transform::kPlain, ScalarType::kInt8};
    case kInt16:
      return {Transform::kPlain, ScalarType::kInt16};
    case kUInt16:
      return {Transform::kPlain, ScalarType::kUInt16};
    case kInt32:
      return {Transform::kPlain, ScalarType::kInt32};
    case kUInt32:
    case kIndex32:
      return {Transform::kPlain, ScalarType::kUInt32};
    case kInt64:
      return {Transform::kPlain, ScalarType::kInt64};
    case kUInt64:
    case kIndex64:
      return {Transform::kPlain, ScalarType::kUInt64};
    case kReal16:
      return {Transform::kPlain, ScalarType::kUInt16};
    case kReal32:
    case kReal32Trunc:
    case kReal32Quant:
      return {Transform::kPlain, ScalarType::kFloat};
    case kReal64:
      return {Transform::kPlain, ScalarType::kDouble};
    case kSplitInt16:
      return {Transform::kSplitZigzag, ScalarType::kInt16};
    case kSplitUInt16:
    case kSplitReal16:
      return {Transform::kSplit, ScalarType::kUInt16};
    case kSplitInt32:
      return {Transform::kSplitZigzag, ScalarType::kInt32};
    case kSplitUInt32:
      return {Transform::kSplit, ScalarType::kUInt32};
    case kSplitInt64:
      return {Transform::kSplitZigzag, ScalarType::kInt64};
    case kSplitUInt64:
      return {Transform::kSplit, ScalarType::kUInt64};
    case kSplitReal32:
      return {Transform::kSplit, ScalarType::kFloat};
    case kSplitReal64:
      return {Transform::kSplit, ScalarType::kDouble};
    case kSplitIndex32:
      return {Transform::kSplitDelta, ScalarType::kUInt32};
    case kSplitIndex64:
      return {Transform::kSplitDelta, ScalarType::kUInt64};
    case kSwitch:
      break;
  }
  throw_unreadable(type);
}

bool is_half(ColumnType type) { return type == ColumnType::kReal16 || type == ColumnType::kSplitReal16; }
bool is_packed(ColumnType type) {
  return type == ColumnType::kReal32Trunc || type == ColumnType::kReal32Quant;
}
bool is_index32(ColumnType type) { return type == ColumnType::kIndex32 || type == ColumnType::kSplitIndex32; }

Quantization quantization_of(const PageEncoding& encoding) {
  return {encoding.bits, encoding.value_min, encoding.value_max};
}

// Memory for elements on their way to another type; kept by the thread, never zeroed.
class Scratch {
 public:
  void* reserve(std::size_t size) {
    const std::size_t words = size / sizeof(std::uint64_t) + 1;
    if (words > capacity_) {
      words_.reset(new std::uint64_t[words]);
      capacity_ = words;
    }
    return words_.get();
  }

 private:
  std::unique_ptr<std::uint64_t[]> words_;
  std::size_t capacity_ = 0;
};

// ---- bits

constexpr std::array<std::uint64_t, 256> make_spread_bits() {
  std::array<std::uint64_t, 256> spread{};
  for (std::size_t byte = 0; byte < 256; ++byte)
    for (std::size_t bit = 0; bit < 8; ++bit)
      spread[byte] |= static_cast<std::uint64_t>((byte >> bit) & 1) << (8 * bit);
  return spread;
}

constexpr std::array<std::uint64_t, 256> kSpreadBits = make_spread_bits();

void decode_bits(const std::byte* page, std::size_t num_elements, std::uint8_t* values) {
  const std::size_t num_whole = num_elements / 8;
  for (std::size_t i = 0; i < num_whole; ++i)
    std::memcpy(values + 8 * i, &kSpreadBits[std::to_integer<std::size_t>(page[i])], 8);
  if (const std::size_t left = num_elements % 8; left != 0)
    std::memcpy(values + 8 * num_whole, &kSpreadBits[std::to_integer<std::size_t>(page[num_whole])], left);
}

void encode_bits(const std::uint8_t* values, std::size_t num_elements, std::byte* page) {
  std::size_t done = 0;
#ifdef __SSE2__
  for (; done + 16 <= num_elements; done += 16) {
    const __m128i lanes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values + done));
    const int is_zero = _mm_movemask_epi8(_mm_cmpeq_epi8(lanes, _mm_setzero_si128()));
    const auto bits = static_cast<std::uint16_t>(~is_zero);
    std::memcpy(page + done / 8, &bits, 2);
  }
#endif
  for (; done < num_elements; done += 8) {
    unsigned bits = 0;
    for (std::size_t i = done; i < std::min(done + 8, num_elements); ++i)
      bits |= static_cast<unsigned>(values[i] != 0) << (i - done);
    page[done / 8] = static_cast<std::byte>(bits);
  }
}

// ---- integers and reals of whole bytes

template <typename U>
void undo_zigzag(U* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<U>((values[i] >> 1) ^ (U{0} - (values[i] & U{1})));
}

template <typename U>
U undo_delta(U* values, std::size_t count, U before) {
  for (std::size_t i = 0; i < count; ++i) values[i] = before = static_cast<U>(values[i] + before);
  return before;
}

template <typename U>
void decode_words(Transform transform, const std::byte* page, std::size_t num_elements, U* values) {
  if (transform == Transform::kPlain) {
    std::memcpy(values, page, num_elements * sizeof(U));
    return;
  }
  U before = 0;
  for (std::size_t first = 0; first < num_elements; first += kBlock) {
    const std::size_t count = std::min(kBlock, num_elements - first);
    join_planes(page + first, num_elements, count, values + first);
    if (transform == Transform::kSplitZigzag) undo_zigzag(values + first, count);
    if (transform == Transform::kSplitDelta) before = undo_delta(values + first, count, before);
  }
}

template <typename U>
void zigzag(const U* from, std::size_t count, U* to) {
  constexpr int kSignBit = 8 * sizeof(U) - 1;
  for (std::size_t i = 0; i < count; ++i)
    to[i] = static_cast<U>(static_cast<U>(from[i] << 1) ^ (U{0} - static_cast<U>(from[i] >> kSignBit)));
}

template <typename U>
U delta(const U* from, std::size_t count, U before, U* to) {
  for (std::size_t i = 0; i < count; ++i) {
    to[i] = static_cast<U>(from[i] - before);
    before = from[i];
  }
  return before;
}

template <typename U>
void encode_words(Transform transform, const U* values, std::size_t num_elements, std::byte* page) {
  if (transform == Transform::kPlain) {
    std::memcpy(page, values, num_elements * sizeof(U));
    return;
  }
  U transformed[kBlock];
  U before = 0;
  for (std::size_t first = 0; first < num_elements; first += kBlock) {
    const std::size_t count = std::min(kBlock, num_elements - first);
    const U* block = transform == Transform::kSplit ? values + first : transformed;
    if (transform == Transform::kSplitZigzag) zigzag(values + first, count, transformed);
    if (transform == Transform::kSplitDelta) before = delta(values + first, count, before, transformed);
    split_planes(block, count, num_elements, page + first);
  }
}

// Calls `visitor` with a tag of the unsigned integer of that many bytes.
template <typename Visitor>
void visit_word(std::size_t size, Visitor&& visitor) {
  switch (size) {
    case 2:
      return visitor(TypeTag<std::uint16_t>{});
    case 4:
      return visitor(TypeTag<std::uint32_t>{});
    default:
      return visitor(TypeTag<std::uint64_t>{});
  }
}

void decode_layout(Layout layout, const std::byte* page, std::size_t num_elements, void* values) {
  if (size_of(layout.scalar) == 1) {
    if (num_elements != 0) std::memcpy(values, page, num_elements);
    return;
  }
  visit_word(size_of(layout.scalar), [&](auto tag) {
    using U = typename decltype(tag)::type;
    if (num_elements != 0) decode_words(layout.transform, page, num_elements, static_cast<U*>(values));
  });
}

void encode_layout(Layout layout, const void* values, std::size_t num_elements, std::byte* page) {
  if (size_of(layout.scalar) == 1) {
    std::memcpy(page, values, num_elements);
    return;
  }
  visit_word(size_of(layout.scalar), [&](auto tag) {
    using U = typename decltype(tag)::type;
    encode_words(layout.transform, static_cast<const U*>(values), num_elements, page);
  });
}

// ---- to the type of the elements, then to the target

void decode_elements(const PageEncoding& encoding, const std::byte* page, std::size_t num_elements,
                     void* elements) {
  const Layout layout = layout_of(encoding.type);
  if (encoding.type == ColumnType::kBit)
    return decode_bits(page, num_elements, static_cast<std::uint8_t*>(elements));
  if (encoding.type == ColumnType::kReal32Trunc)
    return decode_truncated(encoding.bits, page, num_elements, static_cast<float*>(elements));
  if (encoding.type == ColumnType::kReal32Quant)
    return decode_quantized(quantization_of(encoding), page, num_elements, static_cast<float*>(elements));
  if (!is_half(encoding.type) && !is_index32(encoding.type))
    return decode_layout(layout, page, num_elements, elements);
  thread_local Scratch scratch;
  void* stored = scratch.reserve(num_elements * size_of(layout.scalar));
  decode_layout(layout, page, num_elements, stored);
  if (is_half(encoding.type))
    return decode_halves(static_cast<const std::uint16_t*>(stored), num_elements,
                         static_cast<float*>(elements));
  std::copy_n(static_cast<const std::uint32_t*>(stored), num_elements, static_cast<std::uint64_t*>(elements));
}

// ---- from the type of the elements

void narrow_index(ColumnType type, const std::uint64_t* ends, std::size_t num_elements,
                  std::uint32_t* narrow) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t all_bits = 0;
  for (std::size_t i = 0; i < num_elements; ++i) {
    all_bits |= ends[i];
    narrow[i] = static_cast<std::uint32_t>(ends[i]);
  }
  if (all_bits <= kLargest) return;
  const std::uint64_t* large =
      std::find_if(ends, ends + num_elements, [](auto end) { return end > kLargest; });
  const auto index = static_cast<std::size_t>(large - ends);
  throw ValueRangeError(index, "element " + std::to_string(index) + " is " + std::to_string(*large) +
                                   ", too large for a column of type " + column_type_name(type));
}

void encode_elements(const PageEncoding& encoding, const void* elements, std::size_t num_elements,
                     std::byte* page) {
  const Layout layout = layout_of(encoding.type);
  if (encoding.type == ColumnType::kBit)
    return encode_bits(static_cast<const std::uint8_t*>(elements), num_elements, page);
  if (!is_index32(encoding.type)) return encode_layout(layout, elements, num_elements, page);
  thread_local Scratch scratch;
  auto* narrow = static_cast<std::uint32_t*>(scratch.reserve(num_elements * sizeof(std::uint32_t)));
  narrow_index(encoding.type, static_cast<const std::uint64_t*>(elements), num_elements, narrow);
  encode_layout(layout, narrow, num_elements, page);
}

std::string shortest_text(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

// Of Real32Quant.
template <typename T>
void encode_steps(const PageEncoding& encoding, const T* values, std::size_t num_elements, std::byte* page) {
  const std::optional<std::size_t> outside =
      encode_quantized(quantization_of(encoding), values, num_elements, page);
  if (!outside) return;
  throw ValueRangeError(*outside,
                        "element " + std::to_string(*outside) + " is " + shortest_text(values[*outside]) +
                            ", outside [" + shortest_text(encoding.value_min) + ", " +
                            shortest_text(encoding.value_max) + "], the values that the column can hold");
}

void encode_reals(const PageEncoding& encoding, const float* values, std::size_t num_elements,
                  std::byte* page) {
  if (encoding.type == ColumnType::kReal16) return encode_halves(values, num_elements, page);
  if (encoding.type == ColumnType::kReal32Trunc)
    return encode_truncated(encoding.bits, values, num_elements, page);
  encode_elements(encoding, values, num_elements, page);
}

// ---- elements of a variant

constexpr std::size_t kStoredSwitch = 12;

void decode_switches(const std::byte* page, std::size_t num_elements, SwitchElement* elements) {
  for (std::size_t i = 0; i < num_elements; ++i, page += kStoredSwitch) {
    SwitchElement element;
    std::memcpy(&element.index, page, sizeof element.index);
    std::memcpy(&element.tag, page + sizeof element.index, sizeof element.tag);
    elements[i] = element;
  }
}

void encode_switches(const SwitchElement* elements, std::size_t num_elements, std::byte* page) {
  for (std::size_t i = 0; i < num_elements; ++i)
    std::memcpy(page + i * kStoredSwitch, elements + i, kStoredSwitch);
}

template <typename To, typename From>
constexpr bool fits(From value) {
  if constexpr (std::is_same_v<To, bool>)
    return value == From{0} || value == From{1};
  else if constexpr (std::is_same_v<From, bool>)
    return true;
  else
    return std::in_range<To>(value);
}

template <typename From, typename To>
void convert_integers(const From* from, std::size_t count, To* to) {
  bool all_fit = true;
  for (std::size_t i = 0; i < count; ++i) {
    all_fit &= fits<To>(from[i]);
    to[i] = static_cast<To>(from[i]);  // NOLINT(bugprone-signed-char-misuse): the sign is meant
  }
  if (!all_fit) throw FormatError("a stored integer does not fit the type of the field");
}

template <typename From, typename To>
void convert_values(const From* from, std::size_t count, To* to) {
  if constexpr (std::is_floating_point_v<To>)
    std::transform(from, from + count, to, [](From x) { return static_cast<To>(x); });
  else if constexpr (std::is_floating_point_v<From>)
    throw FormatError("real numbers are stored for a field of integers");
  else
    convert_integers(from, count, to);
}

void convert(ScalarType source, const void* from, std::size_t count, ScalarType target, void* to) {
  visit_scalar(source, [&](auto source_tag) {
    visit_scalar(target, [&](auto target_tag) {
      using From = typename decltype(source_tag)::type;
      using To = typename decltype(target_tag)::type;
      convert_values(static_cast<const From*>(from), count, static_cast<To*>(to));
    });
  });
}

void check_bits(const PageEncoding& encoding) {
  const std::optional<std::uint16_t> fixed = fixed_bits(encoding.type);
  const bool is_valid = fixed ? encoding.bits == *fixed : encoding.bits >= 1 && encoding.bits <= 32;
  if (!is_valid)
    throw FormatError("column type " + column_type_name(encoding.type) + " cannot have " +
                      std::to_string(encoding.bits) + " bits");
}

void check_page(const PageEncoding& encoding, std::size_t size, std::size_t num_elements) {
  check_bits(encoding);
  if (size < encoded_size(encoding, num_elements)) throw FormatError("page is shorter than its elements");
}

}  // namespace

std::size_t encoded_size(const PageEncoding& encoding, std::size_t num_elements) {
  return packed_size(encoding.bits, num_elements);
}

ScalarType element_type(const PageEncoding& encoding) {
  if (is_half(encoding.type)) return ScalarType::kFloat;
  if (is_index32(encoding.type)) return ScalarType::kUInt64;
  return layout_of(encoding.type).scalar;
}

bool is_plain(const PageEncoding& encoding, ScalarType target) {
  const Layout layout = layout_of(encoding.type);
  return layout.transform == Transform::kPlain && layout.scalar == target && fixed_bits(encoding.type) &&
         encoding.type != ColumnType::kBit;
}

void decode_page(const PageEncoding& encoding, std::span<const std::byte> page, std::size_t num_elements,
                 ScalarType target, void* elements) {
  const ScalarType source = element_type(encoding);
  check_page(encoding, page.size(), num_elements);
  if (num_elements == 0) return;
  if (encoding.type == ColumnType::kReal32Quant && target == ScalarType::kDouble)
    return decode_quantized(quantization_of(encoding), page.data(), num_elements,
                            static_cast<double*>(elements));
  if (source == target) return decode_elements(encoding, page.data(), num_elements, elements);
  thread_local Scratch scratch;
  void* decoded = scratch.reserve(num_elements * size_of(source));
  decode_elements(encoding, page.data(), num_elements, decoded);
  convert(source, decoded, num_elements, target, elements);
}

void encode_page(const PageEncoding& encoding, ScalarType source, const void* elements,
                 std::size_t num_elements, std::byte* page) {
  const ScalarType own = element_type(encoding);
  check_bits(encoding);
  if (encoding.type == ColumnType::kSplitReal16)
    throw FormatError("column type " + column_type_name(encoding.type) + " is not written");
  const bool is_narrowed = own == ScalarType::kFloat && source == ScalarType::kDouble;
  if (source != own && !is_narrowed)
    throw InternalError("column type " + column_type_name(encoding.type) + " is not encoded from " +
                        std::string(name_of(source)));
  if (num_elements == 0) return;
  if (own != ScalarType::kFloat) return encode_elements(encoding, elements, num_elements, page);
  if (encoding.type == ColumnType::kReal32Quant) {
    if (!is_narrowed) return encode_steps(encoding, static_cast<const float*>(elements), num_elements, page);
    return encode_steps(encoding, static_cast<const double*>(elements), num_elements, page);
  }
  if (!is_narrowed) return encode_reals(encoding, static_cast<const float*>(elements), num_elements, page);
  thread_local Scratch scratch;
  auto* narrow = static_cast<float*>(scratch.reserve(num_elements * sizeof(float)));
  convert_values(static_cast<const double*>(elements), num_elements, narrow);
  encode_reals(encoding, narrow, num_elements, page);
}

std::size_t raw_element_size(const PageEncoding& encoding) {
  if (encoding.type == ColumnType::kSwitch) return sizeof(SwitchElement);
  if (is_index32(encoding.type)) return sizeof(std::uint64_t);
  return size_of(layout_of(encoding.type).scalar);
}

bool is_plain_raw(const PageEncoding& encoding) {
  using enum ColumnType;
  if (encoding.type == kSwitch || encoding.type == kBit || is_packed(encoding.type)) return false;
  return !is_index32(encoding.type) && fixed_bits(encoding.type) &&
         layout_of(encoding.type).transform == Transform::kPlain;
}

void decode_raw_page(const PageEncoding& encoding, std::span<const std::byte> page, std::size_t num_elements,
                     void* elements) {
  check_page(encoding, page.size(), num_elements);
  if (num_elements == 0) return;
  if (encoding.type == ColumnType::kSwitch)
    return decode_switches(page.data(), num_elements, static_cast<SwitchElement*>(elements));
  if (is_packed(encoding.type))
    return unpack_bits(encoding.bits, page.data(), num_elements, static_cast<std::uint32_t*>(elements));
  if (is_half(encoding.type))
    return decode_layout(layout_of(encoding.type), page.data(), num_elements, elements);
  decode_elements(encoding, page.data(), num_elements, elements);
}

void encode_raw_page(const PageEncoding& encoding, const void* elements, std::size_t num_elements,
                     std::byte* page) {
  check_bits(encoding);
  if (num_elements == 0) return;
  if (encoding.type == ColumnType::kSwitch)
    return encode_switches(static_cast<const SwitchElement*>(elements), num_elements, page);
  if (is_packed(encoding.type))
    return pack_bits(encoding.bits, static_cast<const std::uint32_t*>(elements), num_elements, page);
  encode_elements(encoding, elements, num_elements, page);
}

PageEncoding default_encoding(ScalarType scalar, bool compressed) {
  using enum ColumnType;
  struct Pair {
    ColumnType plain, split;
  };
  constexpr Pair kTypes[] = {{kBit, kBit},
                             {kInt8, kInt8},
                             {kUInt8, kUInt8},
                             {kInt16, kSplitInt16},
                             {kUInt16, kSplitUInt16},
                             {kInt32, kSplitInt32},
                             {kUInt32, kSplitUInt32},
                             {kInt64, kSplitInt64},
                             {kUInt64, kSplitUInt64},
                             {kReal32, kSplitReal32},
                             {kReal64, kSplitReal64}};
  if (!is_number(scalar)) throw InternalError("only numbers have an encoding of their own");
  const Pair pair = kTypes[static_cast<std::size_t>(scalar)];
  const ColumnType type = compressed ? pair.split : pair.plain;
  return {type, *fixed_bits(type)};
}

PageEncoding default_index_encoding(bool compressed) {
  return {compressed ? ColumnType::kSplitIndex64 : ColumnType::kIndex64, 64};
}

}  // namespace skimline::io
