// SPDX-License-Identifier: BSD-3-Clause
// Reads the entries of one RNTuple, or of several with the same schema one after the other, as a Source.
#pragma once

#include "skimline/framework/error.h"
#include "skimline/framework/source.h"
#include "skimline/io/rntuple_descriptor.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace skimline::io {

/// A file and the RNTuple in it. An empty name means the only RNTuple of the file, or "Events".
struct RNTupleLocation {
  std::string path;
  std::string ntuple_name;
};

/// Splits "path.root:Events" into path and name; the name may hold directories ("dir/Events").
RNTupleLocation parse_location(const std::string& text);

/// What a column is in files that lack it.
using DefaultValue = std::variant<bool, std::int64_t, double, std::string>;

/// Defaults that their columns cannot have, all of them. what() has a line for each.
class DefaultError : public SchemaError {
 public:
  struct Mistake {
    std::string column;  ///< as the default names it
    std::string problem;
  };
  explicit DefaultError(std::vector<Mistake> mistakes);
  const std::vector<Mistake>& mistakes() const { return mistakes_; }

 private:
  std::vector<Mistake> mistakes_;
};

struct RNTupleSourceOptions {
  /// Entries of a slice, at most. A cluster is cut into equal slices.
  std::uint64_t slice_entries = 65536;
  /// Bytes in memory of what is carried of a slice, at most, unless a single entry has more.
  std::uint64_t slice_bytes = 16 * 1024 * 1024;
  /// Memory that is kept for further pages while none needs it.
  std::size_t max_idle_bytes = 128 * 1024 * 1024;
  /// If there are more files than this, each is open only while it is read.
  std::size_t max_open_files = 256;
  /// Reads of bytes this near each other are one read.
  std::uint64_t coalesce_gap = 64 * 1024;
  /// Values, by name, of flat columns for all entries of those files that lack them. They get the type that
  /// the column has in the first file with it; if none has it bool, std::int32_t or std::int64_t, double or
  /// string. Dots and underscores in names are the same.
  std::map<std::string, DefaultValue> defaults{};
  /// Columns that not all files have, or not with the same type, are left out instead of being an error.
  bool has_only_common_columns = false;
};

/// A field that no column of the source can hold, and why. It can be carried all the same.
struct UnsupportedField {
  std::string name;
  std::string type_name;
  std::string reason;
  std::uint32_t field = 0;  ///< its id in the descriptor
};

/// Bytes of decoded values; real numbers, as metadata can claim any.
struct DecodedSize {
  double bytes = 0;         ///< of all entries
  double largest_page = 0;  ///< pages are decoded as a whole
};

/// Fields of a source that are written as they are stored; made by RNTupleSource::carry().
class CarriedFields;

/// Opens files and verifies their metadata at construction: header, footer and page lists with their
/// checksums.
///
/// Columns are the fields that expressions can hold, under natural names: fundamental fields and strings as
/// flat columns, collections and fixed-size arrays of them as jagged ones, collections of collections as
/// doubly jagged ones, members of records and of collections of records as "Muon.pt", projected fields and
/// cardinality fields under their own names. Pages are verified against their checksums
/// when they are decoded, once for all slices that share them. Thread-safe.
class RNTupleSource : public Source {
 public:
  /// Throws FileError if a file cannot be read or trusted, DefaultError if a default is for a list or is not
  /// what the column can hold, else SchemaError if the files differ in a column.
  explicit RNTupleSource(const std::vector<RNTupleLocation>& locations, RNTupleSourceOptions options = {});
  ~RNTupleSource() override;

  const Schema& schema() const override;
  std::uint64_t num_entries() const override;
  const std::vector<EntryRange>& slices() const override;
  std::unique_ptr<SliceReader> open_slice(std::size_t slice) override;
  std::uint64_t stored_bytes(std::size_t column) const override;
  ReadStatistics statistics() const override;

  /// What a column takes in memory once it is decoded.
  DecodedSize decoded_size(std::size_t column) const;

  /// The metadata of each file, in order.
  const std::vector<RNTupleDescriptor>& descriptors() const;
  /// The UUID of a file, by its number; empty if it has none.
  const std::string& file_uuid(std::size_t file) const;
  /// Throws FileError if a file changed since it was opened. Thread-safe.
  void check_unchanged() const;
  /// Type names as the fields declare them, by column: "ROOT::VecOps::RVec<float>", "std::uint32_t".
  const std::vector<std::string>& field_type_names() const;
  /// The fields of the first file that are not offered as columns.
  const std::vector<UnsupportedField>& unsupported_fields() const;

  /// The columns that no file has, so that all their values are the default.
  const std::vector<std::string>& columns_nowhere() const;
  /// Those that were left out because not all files have them.
  const std::vector<std::string>& columns_left_out() const;

  /// Leaves only these entries to be read; their numbers stay. To be called before slices() is used and the
  /// first slice is opened. num_entries() then is their number; entries that do not exist are left out. What
  /// is said of whole files and columns stays as it is; of pages, those of clusters outside do not count as
  /// skipped.
  void restrict_to(EntryRange entries);

  /// What a sink needs to write fields as they are stored: types, encodings, and pages that survive whole.
  struct Carrying {
    std::shared_ptr<const CarriedFields> fields;
    /// Those of the names that have to be written as columns instead: counts of collections of which nothing
    /// else is kept, and columns that some files lack.
    std::vector<std::string> computed;
  };
  /// Prepares to carry columns and unsupported fields, given by name. Slices may become smaller, so that what
  /// is carried of one fits into memory: to be called before slices() is used and the first slice is opened.
  /// Throws SchemaError if the files store the fields too differently.
  Carrying carry(const std::vector<std::string>& names);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace skimline::io
