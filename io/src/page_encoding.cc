// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/page_encoding.h"

#include "byte_planes.h"

#include "skimline/io/format_error.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
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

// ---- reduced reals

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1F;
  const std::uint32_t mantissa = half & 0x3FF;
  if (exponent == 0) {
    constexpr float kSmallest = 1.0f / 16777216.0f;  // 2^-24
    const float magnitude = static_cast<float>(mantissa) * kSmallest;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 0x1F ? 0xFF : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | mantissa << 13);
}

// Rounds to nearest, ties to even. NaNs stay NaNs, made quiet, with the upper bits of their payload.
std::uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000;
  const std::uint32_t magnitude = bits & 0x7FFFFFFF;
  std::uint32_t half = 0;
  if (magnitude > 0x7F800000) {
    half = 0x7E00 | ((magnitude >> 13) & 0x3FF);
  } else if (magnitude >= 0x47800000) {  // 2^16
    half = 0x7C00;
  } else if (magnitude < 0x38800000) {  // 2^-14: the addition rounds, as 0.5 has the precision of subnormals
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) -
           std::bit_cast<std::uint32_t>(0.5f);
  } else {  // may carry into the exponent, up to infinity
    const std::uint32_t rebiased = magnitude - (112U << 23);
    half = (rebiased + 0xFFF + ((rebiased >> 13) & 1)) >> 13;
  }
  return static_cast<std::uint16_t>(sign | half);
}

// Calls `take(i, bits)` with each of the packed integers.
template <typename Take>
void unpack(const PageEncoding& encoding, const std::byte* page, std::size_t num_elements, Take take) {
  const std::size_t width = encoding.bits;
  const std::size_t size = encoded_size(encoding, num_elements);
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  const auto take_one = [&](std::size_t i, std::size_t num_readable) {
    std::uint64_t window = 0;
    std::memcpy(&window, page + i * width / 8, num_readable);
    take(i, static_cast<std::uint32_t>((window >> (i * width % 8)) & mask));
  };
  // Of these, eight bytes can be read.
  const std::size_t num_wide = size < 8 ? 0 : std::min(num_elements, ((size - 7) * 8 - 1) / width + 1);
  for (std::size_t i = 0; i < num_wide; ++i) take_one(i, 8);
  for (std::size_t i = num_wide; i < num_elements; ++i) take_one(i, size - i * width / 8);
}

// Packs the lowest bits of the integers that `bits_of(i)` returns; unused bits of the last byte are zero.
template <typename BitsOf>
void pack(const PageEncoding& encoding, std::size_t num_elements, std::byte* page, BitsOf bits_of) {
  const std::uint64_t mask = (std::uint64_t{1} << encoding.bits) - 1;
  std::uint64_t window = 0;
  unsigned num_bits = 0;
  for (std::size_t i = 0; i < num_elements; ++i) {
    window |= (std::uint64_t{bits_of(i)} & mask) << num_bits;
    num_bits += encoding.bits;
    if (num_bits < 32) continue;
    std::memcpy(page, &window, 4);
    page += 4;
    window >>= 32;
    num_bits -= 32;
  }
  std::memcpy(page, &window, (num_bits + 7) / 8);
}

void decode_truncated(const PageEncoding& encoding, const std::byte* page, std::size_t num_elements,
                      float* values) {
  const int shift = 32 - encoding.bits;
  unpack(encoding, page, num_elements,
         [&](std::size_t i, std::uint32_t bits) { values[i] = std::bit_cast<float>(bits << shift); });
}

void encode_truncated(const PageEncoding& encoding, const float* values, std::size_t num_elements,
                      std::byte* page) {
  const int shift = 32 - encoding.bits;
  pack(encoding, num_elements, page,
       [&](std::size_t i) { return std::bit_cast<std::uint32_t>(values[i]) >> shift; });
}

double num_steps(const PageEncoding& encoding) {
  return static_cast<double>((std::uint64_t{1} << encoding.bits) - 1);
}

template <typename T>
void decode_quantized(const PageEncoding& encoding, const std::byte* page, std::size_t num_elements,
                      T* values) {
  const double scale = (encoding.value_max - encoding.value_min) / num_steps(encoding);
  unpack(encoding, page, num_elements, [&](std::size_t i, std::uint32_t bits) {
    values[i] = static_cast<T>(std::min(encoding.value_max, encoding.value_min + bits * scale));
  });
}

std::string decimal(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

// Multiplies by the number of steps over the range, as ROOT does: dividing last would round differently.
template <typename T>
void encode_quantized(const PageEncoding& encoding, const T* values, std::size_t num_elements,
                      std::byte* page) {
  const double min = encoding.value_min, max = encoding.value_max;
  const double scale = num_steps(encoding) / (max - min);
  if (!std::isfinite(max - min) || !std::isfinite(scale) || min >= max)
    throw FormatError("column of type Real32Quant has no range of values");
  const auto is_inside = [&](T value) { return min <= value && value <= max; };
  bool all_inside = true;
  pack(encoding, num_elements, page, [&](std::size_t i) {
    const bool is_held = is_inside(values[i]);
    all_inside &= is_held;
    return static_cast<std::uint32_t>(is_held ? 0.5 + (values[i] - min) * scale : 0.0);
  });
  if (all_inside) return;
  const T* outside = std::find_if_not(values, values + num_elements, is_inside);
  const auto index = static_cast<std::size_t>(outside - values);
  throw ValueRangeError(index, "element " + std::to_string(index) + " is " + decimal(*outside) +
                                   ", outside [" + decimal(min) + ", " + decimal(max) +
                                   "], the values that the column can hold");
}

// ---- to the type of the elements, then to the target

template <typename From, typename To, typename Conversion>
void decode_through(Layout layout, const std::byte* page, std::size_t num_elements, To* values,
                    Conversion convert) {
  thread_local Scratch scratch;
  auto* stored = static_cast<From*>(scratch.reserve(num_elements * sizeof(From)));
  decode_layout(layout, page, num_elements, stored);
  for (std::size_t i = 0; i < num_elements; ++i) values[i] = convert(stored[i]);
}

void decode_elements(const PageEncoding& encoding, const std::byte* page, std::size_t num_elements,
                     void* elements) {
  const Layout layout = layout_of(encoding.type);
  if (encoding.type == ColumnType::kBit)
    return decode_bits(page, num_elements, static_cast<std::uint8_t*>(elements));
  if (encoding.type == ColumnType::kReal32Trunc)
    return decode_truncated(encoding, page, num_elements, static_cast<float*>(elements));
  if (encoding.type == ColumnType::kReal32Quant)
    return decode_quantized(encoding, page, num_elements, static_cast<float*>(elements));
  if (is_half(encoding.type))
    return decode_through<std::uint16_t>(layout, page, num_elements, static_cast<float*>(elements),
                                         half_to_float);
  if (is_index32(encoding.type))
    return decode_through<std::uint32_t>(layout, page, num_elements, static_cast<std::uint64_t*>(elements),
                                         [](std::uint32_t end) { return std::uint64_t{end}; });
  decode_layout(layout, page, num_elements, elements);
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

void encode_halves(const float* values, std::size_t num_elements, std::byte* page) {
  for (std::size_t i = 0; i < num_elements; ++i) {
    const std::uint16_t half = float_to_half(values[i]);
    std::memcpy(page + i * sizeof half, &half, sizeof half);
  }
}

void encode_reals(const PageEncoding& encoding, const float* values, std::size_t num_elements,
                  std::byte* page) {
  if (encoding.type == ColumnType::kReal16) return encode_halves(values, num_elements, page);
  if (encoding.type == ColumnType::kReal32Trunc)
    return encode_truncated(encoding, values, num_elements, page);
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
  return num_elements / 8 * encoding.bits + (num_elements % 8 * encoding.bits + 7) / 8;
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
    return decode_quantized(encoding, page.data(), num_elements, static_cast<double*>(elements));
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
    if (!is_narrowed)
      return encode_quantized(encoding, static_cast<const float*>(elements), num_elements, page);
    return encode_quantized(encoding, static_cast<const double*>(elements), num_elements, page);
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

void decode_raw_page(const PageEncoding& encoding, std::span<const std::byte> page, std::size_t num_elements,
                     void* elements) {
  check_page(encoding, page.size(), num_elements);
  if (num_elements == 0) return;
  if (encoding.type == ColumnType::kSwitch)
    return decode_switches(page.data(), num_elements, static_cast<SwitchElement*>(elements));
  if (is_packed(encoding.type))
    return unpack(encoding, page.data(), num_elements,
                  [packed = static_cast<std::uint32_t*>(elements)](std::size_t i, std::uint32_t bits) {
                    packed[i] = bits;
                  });
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
    return pack(encoding, num_elements, page,
                [packed = static_cast<const std::uint32_t*>(elements)](std::size_t i) { return packed[i]; });
  encode_elements(encoding, elements, num_elements, page);
}

PageEncoding default_encoding(ScalarType scalar, bool compressed) {
  using enum ColumnType;
  struct Pair {
    ColumnType plain, split;
  };
  constexpr Pair kTypes[kNumScalarTypes] = {{kBit, kBit},
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
  const Pair pair = kTypes[static_cast<std::size_t>(scalar)];
  const ColumnType type = compressed ? pair.split : pair.plain;
  return {type, *fixed_bits(type)};
}

PageEncoding default_index_encoding(bool compressed) {
  return {compressed ? ColumnType::kSplitIndex64 : ColumnType::kIndex64, 64};
}

}  // namespace skimline::io
