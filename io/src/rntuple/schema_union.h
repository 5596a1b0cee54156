// SPDX-License-Identifier: BSD-3-Clause
// The schemas of several RNTuples as one: which column of each becomes which of the whole.
#pragma once

#include "rntuple/united_fields.h"

#include "skimline/io/missing_fields.h"
#include "skimline/io/rntuple_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace skimline::io {

/// A column that is left out.
inline constexpr std::uint32_t kLeftOutColumn = std::numeric_limits<std::uint32_t>::max();

struct UnitedSchema {
  RNTupleDescriptor schema;  ///< without clusters
  /// By number of the schema that was added and physical column in it: the column of the whole.
  std::vector<std::vector<std::uint32_t>> columns;
  std::vector<std::string> left_out;    ///< why fields were left out, a sentence for each
  std::vector<std::string> other_bits;  ///< that files describe differently, a sentence for each field
};

/// Fields are matched by their paths, in whatever order files have them. Untyped collections are matched by
/// the projected fields that show their members, as their own names and those of members depend on the
/// writer. A field gets all representations that some file has of it.
class SchemaUnion {
 public:
  /// Adds the schema of a file and returns its number: that of an equal one, if there is one.
  std::size_t add(const RNTupleDescriptor& descriptor, const std::string& file);

  /// Throws SchemaError that lists all fields that differ, with the files, as far as `missing` does not say
  /// what becomes of them.
  UnitedSchema unite(MissingFields missing) const;

 private:
  std::vector<AddedSchema> added_;
};

}  // namespace skimline::io
