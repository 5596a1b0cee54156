// SPDX-License-Identifier: BSD-3-Clause
// The columns that the files of a source have in common, or that have a default where files lack them.
#pragma once

#include "columns/column_default.h"
#include "columns/default_values.h"

#include "skimline/framework/schema.h"
#include "skimline/io/input_options.h"
#include "skimline/io/input_source.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace skimline::io {

/// What the files have of one name.
struct FoundColumn {
  ColumnInfo info;
  std::string type_name;
  std::string path;               ///< of the first file that has it
  std::size_t num_without = 0;    ///< files that lack it
  std::string path_without = {};  ///< of the first of these
  std::string problem = {};       ///< why it can be no column, if it cannot
  bool is_second_name = false;    ///< of what the other spelling, with a dot or an underscore, means too
};

/// What a source offers.
struct OfferedColumns {
  Schema schema;
  std::vector<std::string> type_names;            ///< by column
  std::map<std::size_t, ColumnDefault> defaults;  ///< by column
  std::vector<std::string> nowhere;               ///< the columns that no file has
  std::vector<UnsupportedField> unsupported;
  std::vector<std::string> differences;
};

/// Decides about one name after the other, in the order in which the files have them.
class OfferedColumnsBuilder {
 public:
  /// Keeps a reference to the options.
  OfferedColumnsBuilder(const InputOptions& options, std::size_t num_files)
      : defaults_(options), num_files_(num_files) {}

  /// Returns whether it is a column now. Otherwise it is unsupported.
  bool add(FoundColumn found);
  void reject(UnsupportedField field);
  void note(std::string difference) { offered_.differences.push_back(std::move(difference)); }

  /// Adds the columns of those defaults that no file has. Throws DefaultError if a default is wrong. No other
  /// call may follow.
  OfferedColumns finish();

 private:
  // What is not offered under its name, and under no other.
  struct Rejected {
    std::size_t number = 0;  // of the unsupported field
    std::string path;        // of a file that has it, if others lack it
  };
  std::string problem_of(const FoundColumn& found);
  void withhold(const Rejected& rejected);

  DefaultValues defaults_;
  std::size_t num_files_;
  std::vector<Rejected> rejected_;
  OfferedColumns offered_;
};

/// Adds what another file says of a column to what is said of it elsewhere, if it is not said there.
void note_description(const std::string& said, const std::string& first, std::vector<std::string>& others);

/// The columns that have a default, as some file lacks them.
std::vector<std::string> names_of_defaults(const OfferedColumns& offered);

/// "it is missing in a.root and 3 more", given the first file of all these.
std::string missing_text(const std::string& path, std::size_t count);

}  // namespace skimline::io
