// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/other_objects.h"

#include "histograms/compound_layout.h"
#include "histograms/compound_sum.h"
#include "root/object_cursor.h"
#include "storage/byte_writer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

namespace skimline::io {
namespace {

template <typename Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

class EqualObjects : public ObjectSum {
 public:
  explicit EqualObjects(StoredObject& first) : first_(std::move(first)) {}

  void add(StoredObject& object) override {
    if (object.key_size != first_.key_size || object.payload != first_.payload)
      throw Mismatch("it is not the same in all files");
  }

  StoredObject take(std::size_t) override { return std::move(first_); }

 private:
  StoredObject first_;
};

// How a parameter is merged, as bits of the object.
constexpr std::uint32_t kMultiply = 1u << 16, kLargest = 1u << 17, kSmallest = 1u << 18, kFirst = 1u << 19,
                        kLast = 1u << 20, kIsConstant = 1u << 21;

template <typename T>
T stored_value(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(reader.big<std::uint64_t>());
  } else if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(reader.big<std::uint32_t>());
  } else {
    return static_cast<T>(reader.big<std::make_unsigned_t<T>>());
  }
}

// Integers wrap around, as for ROOT.
template <typename T>
T combined(T sum, T value, std::uint32_t bits) {
  if ((bits & kLargest) != 0) return std::max(sum, value);
  if ((bits & kSmallest) != 0) return std::min(sum, value);
  if ((bits & kFirst) != 0) return sum;
  if ((bits & kLast) != 0) return value;
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::uint64_t;
    const Unsigned a = static_cast<Unsigned>(sum), b = static_cast<Unsigned>(value);
    return static_cast<T>((bits & kMultiply) != 0 ? a * b : a + b);
  } else {
    return (bits & kMultiply) != 0 ? sum * value : sum + value;
  }
}

// The sum of booleans is whether there is a true one.
struct Truth {};

template <typename T>
class ParameterSum : public ObjectSum {
  static constexpr bool kIsTruth = std::is_same_v<T, Truth>;
  using Value = std::conditional_t<kIsTruth, std::uint8_t, T>;

 public:
  explicit ParameterSum(StoredObject& first) : first_(std::move(first)) {
    const Places places = places_of(first_.payload);
    value_ = value_at(first_.payload, places);
  }

  void add(StoredObject& object) override {
    const Value value = value_at(object.payload, places_of(object.payload));
    is_constant_ = is_constant_ && value == value_;
    if constexpr (kIsTruth)
      value_ = combined_truth(value_, value);
    else
      value_ = combined(value_, value, bits());
  }

  StoredObject take(std::size_t key_size) override {
    const Places places = places_of(first_.payload);
    ByteWriter value, flags;
    value.big<Value>(value_);
    std::memcpy(&first_.payload[places.value], value.bytes().data(), value.size());
    flags.big<std::uint32_t>(is_constant_ ? bits() : bits() & ~kIsConstant);
    std::memcpy(&first_.payload[places.bits], flags.bytes().data(), flags.size());
    first_.key_size = key_size;  // nothing refers to it
    return std::move(first_);
  }

 private:
  struct Places {
    std::size_t bits = 0, value = 0;
  };

  static Places places_of(std::span<const std::byte> payload) {
    ObjectCursor cursor(payload);
    const ObjectFrame frame = cursor.begin("TParameter", {1, 2});
    Places places;
    places.bits = cursor.position() + sizeof(std::uint16_t) + sizeof(std::uint32_t);
    cursor.object_base();
    cursor.skip_text();
    places.value = cursor.position();
    cursor.skip(sizeof(Value));
    cursor.end(frame);
    return places;
  }

  static Value value_at(std::span<const std::byte> payload, const Places& places) {
    return stored_value<Value>(payload.subspan(places.value, sizeof(Value)));
  }

  std::uint32_t bits() const {
    return stored_value<std::uint32_t>(std::span(first_.payload).subspan(places_of(first_.payload).bits, 4));
  }

  Value combined_truth(Value sum, Value value) const {
    const std::uint32_t how = bits();
    if ((how & kFirst) != 0) return sum;
    if ((how & kLast) != 0) return value;
    const bool is_all = (how & (kMultiply | kSmallest)) != 0;
    return is_all ? sum != 0 && value != 0 : sum != 0 || value != 0;
  }

  StoredObject first_;
  Value value_{};
  bool is_constant_ = true;
};

constexpr std::string_view kParameters[] = {"TParameter<double>",   "TParameter<float>", "TParameter<int>",
                                            "TParameter<Long64_t>", "TParameter<long>",  "TParameter<bool>"};

}  // namespace

bool is_other_object(std::string_view class_name) {
  return is_one_of(kParameters, class_name) || is_equal_class(class_name) || is_compound(class_name);
}

std::unique_ptr<ObjectSum> begin_object(const std::string& class_name, StoredObject& first) {
  if (class_name == "TParameter<double>") return std::make_unique<ParameterSum<double>>(first);
  if (class_name == "TParameter<float>") return std::make_unique<ParameterSum<float>>(first);
  if (class_name == "TParameter<int>") return std::make_unique<ParameterSum<std::int32_t>>(first);
  if (class_name == "TParameter<bool>") return std::make_unique<ParameterSum<Truth>>(first);
  if (is_one_of(kParameters, class_name)) return std::make_unique<ParameterSum<std::int64_t>>(first);
  if (is_compound(class_name)) return begin_compound(class_name, first);
  return std::make_unique<EqualObjects>(first);
}

}  // namespace skimline::io
