// SPDX-License-Identifier: BSD-3-Clause
// The columns of RNTuples with equal schemas, found once for all files that are open.
#pragma once

#include "rntuple/field_columns.h"

#include "skimline/io/rntuple_descriptor.h"

#include <memory>
#include <string>
#include <vector>

namespace skimline::io {

/// A schema, and the columns that it makes.
struct KnownColumns {
  SharedList<FieldDescriptor> fields;
  SharedList<ColumnDescriptor> columns;
  SharedList<AliasColumn> aliases;
  std::vector<std::string> attribute_sets;
  std::string description;
  FieldColumns found;
};

/// Returns what find_field_columns() does: of a schema that somebody holds already, without finding it again.
/// Thread-safe.
std::shared_ptr<const KnownColumns> known_columns(const RNTupleDescriptor& descriptor);

}  // namespace skimline::io
