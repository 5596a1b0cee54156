// SPDX-License-Identifier: BSD-3-Clause
// The value of a column in files that lack it.
#pragma once

#include "skimline/framework/column.h"
#include "skimline/io/rntuple_source.h"

#include <array>
#include <cstddef>
#include <string>

namespace skimline::io {

class ColumnDefault {
 public:
  /// The type that a value has by itself: bool, std::int32_t or std::int64_t, double, string.
  static Type natural_type(const DefaultValue& value);

  /// Throws SchemaError if `type`, which the column `name` has in `path`, is not flat or cannot hold the
  /// value. Reals are rounded to float.
  ColumnDefault(const std::string& name, const DefaultValue& value, Type type, const std::string& path);

  Type type() const { return type_; }

  /// Returns as many values; strings live as long as this.
  ColumnView view(std::size_t count, ColumnBuffer& scratch) const;

 private:
  Type type_;
  std::array<std::byte, 8> number_{};
  std::string text_;
};

}  // namespace skimline::io
