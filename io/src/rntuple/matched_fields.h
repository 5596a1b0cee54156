// SPDX-License-Identifier: BSD-3-Clause
// The columns of several RNTuples, by name: which all have alike, and what is wrong with the others.
#pragma once

#include "rntuple/field_columns.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace skimline::io {

/// The columns of one file.
struct ColumnsOfFile {
  const std::string& path;
  const FieldColumns& fields;
};

/// A column of one name.
struct MatchedColumn {
  const FieldColumn* column = nullptr;          ///< of the first file that has it
  std::size_t file = 0;                         ///< this file
  std::size_t num_files = 0;                    ///< how many have it
  std::optional<std::size_t> without;           ///< the first file that lacks it
  std::string problem;                          ///< if no default can help
  std::vector<std::string> other_descriptions;  ///< that other files have of it
  bool is_second_name =
      false;  ///< no file has other values under the other spelling; of those with a problem or files without
};

struct MatchedFields {
  std::vector<MatchedColumn> columns;         ///< in the order in which the files have them
  std::vector<UnsupportedField> unsupported;  ///< of all files; carriable are those that all have
};

/// Throws SchemaError if a file has two columns of one name.
MatchedFields match_fields(const std::vector<ColumnsOfFile>& files);

}  // namespace skimline::io
