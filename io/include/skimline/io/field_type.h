// SPDX-License-Identifier: BSD-3-Clause
// What the fields of an RNTuple hold, for those who write one.
#pragma once

#include "skimline/framework/type.h"
#include "skimline/io/compression.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skimline::io {

struct OutputField;

/// How a float or double is stored in fewer bits.
struct RealReduction {
  /// What is kept of a value.
  enum class Kind {
    kHalf,       ///< IEEE binary16
    kTruncated,  ///< a float without its last bits
    kQuantized   ///< an integer in proportion to where it lies between minimum and maximum
  };
  Kind kind = Kind::kHalf;
  int bits = 16;
  double minimum = 0, maximum = 0;  ///< of quantized reals
};

/// The type of a field: a tree of scalars, strings, vectors and records. A value that is copied.
///
///     FieldType::of<float>()                                     float
///     FieldType::vector(FieldType::of<float>())                  std::vector<float>
///     FieldType::vector(FieldType::record({{"pt", FieldType::of<float>()},
///                                          {"charge", FieldType::of<std::int32_t>()}}))
///                                                                untyped collection of records
class FieldType {
 public:
  /// What a value is made of.
  enum class Kind { kScalar, kString, kVector, kRecord };

  /// bool, an integer, float or double.
  template <typename T>
  static FieldType of() {
    return scalar(scalar_type_of<T>);
  }
  static FieldType scalar(ScalarType scalar);
  /// std::string.
  static FieldType string();
  /// A std::vector of `item`; an untyped collection if the item is a record.
  static FieldType vector(FieldType item);
  /// An untyped record. Throws SchemaError if it has no members.
  static FieldType record(std::vector<OutputField> members);

  /// Stores a float or double in fewer bits. Throws SchemaError for other types and impossible numbers.
  FieldType half_precision() &&;                                     ///< Real16
  FieldType truncated(int bits) &&;                                  ///< Real32Trunc, 10 to 31 bits
  FieldType quantized(int bits, double minimum, double maximum) &&;  ///< Real32Quant, 1 to 32 bits

  /// Compresses the columns of the field, those of its items and members included, in its own way.
  FieldType compressed(CompressionSetting compression) &&;

  /// What the type was made with: the scalar of scalars, the item of vectors, the members of records, and
  /// whatever was asked for beside it.
  Kind kind() const { return kind_; }
  ScalarType scalar() const { return scalar_; }
  const FieldType& item() const { return items_.front(); }
  const std::vector<OutputField>& members() const { return members_; }
  const std::optional<RealReduction>& reduction() const { return reduction_; }
  const std::optional<CompressionSetting>& compression() const { return compression_; }

  /// The name of the C++ type in the file: "std::vector<float>"; empty for untyped ones.
  std::string type_name() const;

 private:
  FieldType reduced(const RealReduction& reduction) &&;

  Kind kind_ = Kind::kScalar;
  ScalarType scalar_ = ScalarType::kDouble;
  std::vector<FieldType> items_;  // of vectors one
  std::vector<OutputField> members_;
  std::optional<RealReduction> reduction_;
  std::optional<CompressionSetting> compression_;
};

/// A field to be written, or a member of a record.
struct OutputField {
  std::string name;
  FieldType type;
  std::string description{};
};

}  // namespace skimline::io
