// SPDX-License-Identifier: BSD-3-Clause
// Entries in files: RNTuples and TTrees, one after the other, as one Source.
#pragma once

#include "skimline/framework/error.h"
#include "skimline/framework/source.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
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
  std::uint64_t coalesce_gap = 64 * 1024;
  /// Values of columns, by name or pattern, for all entries of those files that lack them. They get the type
  /// that the column has in the first file with it; a column with a name that no file has is bool,
  /// std::int32_t or std::int64_t, double, string or a list of these. Names count before patterns; patterns
  /// that match the same column must agree. Dots and underscores in names are the same.
  std::map<std::string, DefaultValue> defaults{};
  /// Reading pages, baskets or the record of a tree that have no checksum is a FileError of the kind
  /// FileFault::kUnverified.
  bool requires_checksums = false;
  /// Where files of checksums are that others' files have beside them, see checksum_file.h; empty for the
  /// folder of each input. What they list is compared when it is read, and counts as verified.
  std::string checksum_folder{};
  /// What is in front of the names of columns where defaults have them: "scores." for a friend.
  std::string default_prefix{};
};

enum class DataFormat { kRNTuple, kTTree };

/// Returns "RNTuple" or "TTree".
const char* name_of(DataFormat format);

/// One file of a source.
struct InputFacts {
  std::string path;  ///< as the user gave it
  std::string name;  ///< of the RNTuple or TTree
  DataFormat format = DataFormat::kRNTuple;
  std::uint64_t num_entries = 0;
  std::uint64_t num_clusters = 0;
  std::string uuid;               ///< of the file; empty if it has none
  double metadata_in_memory = 0;  ///< bytes, estimated

  // Of all columns, used or not.
  std::uint64_t file_bytes = 0;
  double bytes_in_memory = 0;  ///< of all values, decoded, as the metadata say
  bool has_checksum_file = false;
  std::uint64_t num_unchecked_pages = 0;  ///< pages of an RNTuple without a checksum
  std::uint64_t num_repeated_pages = 0;  ///< pages or baskets whose bytes are those of an earlier cluster too
  std::uint64_t data_begin = 0, data_end = 0;  ///< bytes of the file that hold all pages or baskets
};

/// A field that no column of a source can hold, and why.
struct UnsupportedField {
  std::string name;
  std::string type_name;
  std::string reason;
  std::uint32_t field = 0;    ///< its id in the descriptor
  bool is_carriable = false;  ///< whether it can be carried all the same, as those of RNTuples
  bool is_different = false;  ///< whether it only is that not all files have it, or have it alike
};

/// Bytes of values; real numbers, as metadata can claim any.
struct FieldSize {
  double stored = 0;        ///< of all entries, in the files
  double in_memory = 0;     ///< of all entries, decoded
  double largest_page = 0;  ///< in memory; pages are decoded as a whole

  /// Adds that of other entries or columns.
  FieldSize& operator+=(const FieldSize& other);
};

/// Columns of a TTree whose lists have the same sizes by definition, because the same leaf counts them:
/// "Jet" of "Jet_pt" and "Jet_eta" with the counts "nJet".
struct Collection {
  std::string name;
  std::string count;  ///< the column with the sizes; empty if there is none
  std::string description;
  std::vector<std::string> columns;  ///< full names; their members are called without "<name>_" or "<name>."
};

/// Fields of a source that are written as they are stored; made by RNTupleSource::carry().
class CarriedFields;

/// What a sink needs to write fields of a source.
struct Carrying {
  /// To be written as they are stored: types, encodings, and pages that survive whole. May be unset.
  std::shared_ptr<const CarriedFields> fields;
  /// Those of the names that have to be written as columns instead.
  std::vector<std::string> computed;
};

/// What a run will read of a source.
struct ExpectedReading {
  std::vector<std::size_t> columns;
  /// Of computed values that are kept of a slice until it is written: bytes for an entry, in the mean.
  double kept_bytes_per_entry = 0;
};

/// Entries of files, in order. Thread-safe.
class InputSource : public Source {
 public:
  virtual const std::vector<InputFacts>& files() const = 0;
  /// The files of its friends.
  virtual std::vector<InputFacts> friend_files() const { return {}; }
  /// Throws FileError if a file changed since it was opened. Thread-safe.
  virtual void check_unchanged() const = 0;

  /// Type names as the files declare them, by column: "ROOT::VecOps::RVec<float>", "std::uint32_t".
  virtual const std::vector<std::string>& field_type_names() const = 0;
  /// What is not offered as columns.
  virtual const std::vector<UnsupportedField>& unsupported_fields() const = 0;
  /// Columns that belong together; those of RNTuples are not listed, as their fields say so.
  virtual const std::vector<Collection>& collections() const = 0;
  /// Columns whose lists have the same sizes by definition, those of RNTuples included.
  virtual std::vector<Collection> lists_of_equal_sizes() const { return collections(); }
  /// The columns that no file has, so that all their values are the default.
  virtual const std::vector<std::string>& columns_nowhere() const = 0;
  /// Where the files differ and what was made of it, for people to read; what is unsupported has its reason.
  virtual const std::vector<std::string>& differences() const = 0;

  /// What a column, or an unsupported field, takes.
  virtual FieldSize field_size(const std::string& name) const = 0;

  /// Leaves only these entries to be read; their numbers stay. To be called before slices() is used and the
  /// first slice is opened. num_entries() then is their number; entries that do not exist are left out. What
  /// is said of whole files and columns stays as it is; of pages, those of clusters outside do not count as
  /// skipped.
  virtual void restrict_to(EntryRange entries) = 0;

  /// Prepares to carry columns and unsupported fields, given by name. Slices may become smaller, so that what
  /// is carried of one fits into memory: to be called before slices() is used and the first slice is opened.
  /// Throws SchemaError if the files store the fields too differently.
  virtual Carrying carry(const std::vector<std::string>& names) = 0;

  /// Says what a run will read beside what it carries. Slices may become smaller, so that one fits into
  /// memory: to be called at the same time as carry().
  virtual void expect(const ExpectedReading& reading) = 0;
};

/// Returns the paths of the RNTuples and TTrees of a file, in its order.
std::vector<std::string> data_names(const class RootFile& file);

/// Opens files of RNTuples, TTrees or both and verifies their metadata. Columns that some files lack, and
/// that have no default, are unsupported, as are those with types that differ too much: where TTrees are
/// among the files, columns may have different types of numbers, and get the one that holds the values of
/// all. Throws FileError if a file cannot be read or trusted, and DefaultError for defaults that do not fit.
std::unique_ptr<InputSource> open_inputs(const std::vector<InputLocation>& locations,
                                         InputOptions options = {});

}  // namespace skimline::io
