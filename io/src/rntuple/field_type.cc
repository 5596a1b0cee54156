// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/field_type.h"

#include "skimline/framework/error.h"

#include <cmath>

namespace skimline::io {

FieldType FieldType::scalar(ScalarType scalar) {
  FieldType type;
  type.scalar_ = scalar;
  return type;
}

FieldType FieldType::string() {
  FieldType type;
  type.kind_ = Kind::kString;
  return type;
}

FieldType FieldType::vector(FieldType item) {
  FieldType type;
  type.kind_ = Kind::kVector;
  type.items_.push_back(std::move(item));
  return type;
}

FieldType FieldType::record(std::vector<OutputField> members) {
  if (members.empty()) throw SchemaError("a record must have members");
  FieldType type;
  type.kind_ = Kind::kRecord;
  type.members_ = std::move(members);
  return type;
}

FieldType FieldType::reduced(const RealReduction& reduction) && {
  if (kind_ != Kind::kScalar || !is_floating(scalar_))
    throw SchemaError("only float and double can be stored in fewer bits");
  reduction_ = reduction;
  return std::move(*this);
}

FieldType FieldType::half_precision() && {
  return std::move(*this).reduced({RealReduction::Kind::kHalf, 16});
}

FieldType FieldType::truncated(int bits) && {
  if (bits < 10 || bits > 31) throw SchemaError("a truncated real has 10 to 31 bits");
  return std::move(*this).reduced({RealReduction::Kind::kTruncated, bits});
}

FieldType FieldType::quantized(int bits, double minimum, double maximum) && {
  if (bits < 1 || bits > 32) throw SchemaError("a quantized real has 1 to 32 bits");
  if (!std::isfinite(minimum) || !std::isfinite(maximum) || !(minimum < maximum))
    throw SchemaError("a quantized real needs a finite range of values");
  return std::move(*this).reduced({RealReduction::Kind::kQuantized, bits, minimum, maximum});
}

FieldType FieldType::compressed(CompressionSetting compression) && {
  compression_ = compression;
  return std::move(*this);
}

std::string FieldType::type_name() const {
  switch (kind_) {
    case Kind::kScalar:
      return std::string(name_of(scalar_));
    case Kind::kString:
      return "std::string";
    case Kind::kRecord:
      return "";
    case Kind::kVector:
      break;
  }
  const std::string of_item = item().type_name();
  return of_item.empty() ? "" : "std::vector<" + of_item + ">";
}

}  // namespace skimline::io
