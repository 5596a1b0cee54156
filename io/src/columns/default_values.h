// SPDX-License-Identifier: BSD-3-Clause
// Which default a column has, and what is wrong with defaults.
#pragma once

#include "columns/column_default.h"

#include "skimline/framework/schema.h"
#include "skimline/io/input_options.h"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace skimline::io {

/// The defaults of a source. It is told of all columns, so that it knows what is wrong in the end.
class DefaultValues {
 public:
  /// Keeps a reference to the options.
  explicit DefaultValues(const InputOptions& options);

  /// Whether a column has one.
  bool has(const std::string& column) const { return find(column, nullptr) != nullptr; }

  /// The default of a column that a file lacks; `path` is a file that has it with this type. Nothing if there
  /// is none, or none that fits.
  std::optional<ColumnDefault> for_missing(const std::string& column, Type type, const std::string& path);

  /// Looks at a column that all files have: a default with its very name must fit, too.
  void check(const std::string& column, Type type, const std::string& path);

  /// Notes that a field can have none, which is a mistake if one has its very name.
  void refuse(const std::string& field, const std::string& reason);

  /// A default with a name that no column has.
  struct Nowhere {
    std::string column;
    const DefaultValue& value;
  };
  std::vector<Nowhere> nowhere() const;

  /// Throws DefaultError if anything is wrong.
  void throw_if_wrong() const;

 private:
  using Entry = std::map<std::string, DefaultValue>::value_type;
  using Mistakes = std::map<std::string, std::vector<std::string>>;  // by default, of its columns

  const Entry* find(const std::string& column, Mistakes* mistakes) const;
  std::optional<ColumnDefault> make(const Entry& entry, const std::string& column, Type type,
                                    const std::string& path);

  std::string full_name(const std::string& column) const;

  const std::string& prefix_;
  std::map<std::string, const Entry*> by_name_;  // with underscores
  std::vector<const Entry*> patterns_;
  std::set<std::string> found_;  // names of defaults
  Mistakes mistakes_;
};

}  // namespace skimline::io
