// SPDX-License-Identifier: BSD-3-Clause
// The value of a column in files that lack it.
#pragma once

#include "skimline/framework/column.h"
#include "skimline/io/input_options.h"

#include <cstddef>
#include <string>
#include <vector>

namespace skimline::io {

class ColumnDefault {
 public:
  /// The type that a value has by itself: bool, std::int32_t or std::int64_t, double, string, or a list of
  /// these, of double if it is empty.
  static Type natural_type(const DefaultValue& value);

  /// Throws SchemaError if `type`, which the column `name` has in `path`, cannot hold the value. Reals are
  /// rounded to float. A list of lists can only be empty.
  ColumnDefault(const std::string& name, const DefaultValue& value, Type type, const std::string& path);

  Type type() const { return type_; }

  /// Returns the value for so many entries; strings live as long as this.
  ColumnView view(std::size_t count, ColumnBuffer& scratch) const;

 private:
  bool hold(const DefaultScalar& value);
  void add_offsets(std::size_t count, ColumnBuffer& scratch, ColumnView& view) const;

  Type type_;
  std::size_t length_ = 1;         // values of an entry
  std::vector<std::byte> values_;  // numbers
  std::vector<std::string> texts_;
};

}  // namespace skimline::io
