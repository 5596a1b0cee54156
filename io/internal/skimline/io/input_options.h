// SPDX-License-Identifier: BSD-3-Clause
// Which entries are read, how, and what stands for columns that files lack.
#pragma once

#include "skimline/framework/error.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace skimline::io {

/// A file and the RNTuple or TTree in it. An empty name means the only one of the file, or "Events".
struct InputLocation {
  std::string path;
  std::string name;
};

/// Splits "path.root:Events" into path and name; the name may hold directories ("dir/Events").
InputLocation parse_location(const std::string& text);

/// A single value of a default.
using DefaultScalar = std::variant<bool, std::int64_t, double, std::string>;

/// The list that each entry has.
struct DefaultList {
  std::vector<DefaultScalar> values;
  friend bool operator==(const DefaultList&, const DefaultList&) = default;
};

/// What a column is in files that lack it.
using DefaultValue = std::variant<bool, std::int64_t, double, std::string, DefaultList>;

/// Defaults that their columns cannot have, all of them. what() has a line for each.
class DefaultError : public SchemaError {
 public:
  struct Mistake {
    std::string column;  ///< or the pattern, as the default names it
    std::string problem;
  };
  explicit DefaultError(std::vector<Mistake> mistakes);
  const std::vector<Mistake>& mistakes() const { return mistakes_; }

 private:
  std::vector<Mistake> mistakes_;
};

class OpenedFiles;

struct InputOptions {
  /// Entries of a slice, at most. A cluster is cut into equal slices.
  std::uint64_t slice_entries = 65536;
  /// Bytes in memory of what is kept of a slice until it is written, at most, unless a single entry has more.
  std::uint64_t slice_bytes = 16 * 1024 * 1024;
  /// The same of all that is read of a slice.
  std::uint64_t slice_read_bytes = 64 * 1024 * 1024;
  /// Memory that is kept for further pages while none needs it.
  std::size_t max_idle_bytes = 128 * 1024 * 1024;
  /// If there are more files than this, each is open only while it is read.
  std::size_t max_open_files = 256;
  /// Reads of bytes this near each other are one read.
  std::uint64_t coalesce_gap = 16 * 1024;
  /// What is fetched for slices that are not open yet, at most, where storage is slow; 0 for nothing.
  std::uint64_t read_ahead_bytes = 64 * 1024 * 1024;
  /// What a job has opened already; null if nothing.
  std::shared_ptr<OpenedFiles> files{};
  /// Values of columns, by name or pattern, for all entries of those files that lack them. They get the type
  /// that the column has in the first file with it; a column with a name that no file has is bool,
  /// std::int32_t or std::int64_t, double, string or a list of these. Names count before patterns; patterns
  /// that match the same column must agree. Dots and underscores in names are the same.
  std::map<std::string, DefaultValue> defaults{};
  /// What is wrong with each of several files is thrown together, as BadFiles, where it can be.
  bool finds_all_bad_files = false;
  /// Reading pages, baskets or the record of a tree that have no checksum is a FileError of the kind
  /// FileFault::kUnverified.
  bool requires_checksums = false;
  /// Where files of checksums are that others' files have beside them, see checksum_writing.h; empty for the
  /// folder of each input. What they list is compared when it is read, and counts as verified.
  std::string checksum_folder{};
  /// Whether the columns of friends that trees name are read, too.
  bool follows_friends = false;
  /// What is in front of the names of columns where defaults have them: "scores." for a friend.
  std::string default_prefix{};
  /// What SliceReader::file() is for files that have other names than their paths, by path; for all files of
  /// a source together. May be null.
  std::shared_ptr<const std::map<std::string, std::string>> file_names{};
};

/// What SliceReader::file() is for a file with this path. It lives as long as both.
std::string_view name_of_file(const InputOptions& options, const std::string& path);

}  // namespace skimline::io
