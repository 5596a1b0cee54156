// SPDX-License-Identifier: BSD-3-Clause
// Entries in files of any format as a Source, and what is known about them.
#pragma once

#include "skimline/framework/source.h"
#include "skimline/io/collection.h"
#include "skimline/io/data_format.h"
#include "skimline/io/field_size.h"
#include "skimline/io/tree_relations.h"
#include "skimline/io/unsupported_field.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace skimline::io {

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
  std::string version{};           ///< of a remote file: its ETag, or when it was modified; else empty
  std::uint64_t remote_bytes = 0;  ///< its size there
  double bytes_in_memory = 0;      ///< of all values, decoded, as the metadata say
  double weight = 1;               ///< of a TTree (TTree::SetWeight), which is not applied
  bool has_checksum_file = false;
  bool was_never_closed = false;          ///< entries behind the last save are not among those of the file
  std::uint64_t num_unchecked_pages = 0;  ///< pages of an RNTuple without a checksum
  std::uint64_t num_repeated_pages = 0;  ///< pages or baskets whose bytes are those of an earlier cluster too
  std::uint64_t data_begin = 0, data_end = 0;  ///< bytes of the file that hold all pages or baskets
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
  /// Friends that its files name and that cannot be used, with the reason.
  virtual std::vector<TreeFriend> unused_friends() const { return {}; }
  /// What its files call expressions, all of them alike.
  virtual std::vector<TreeAlias> aliases() const { return {}; }
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
  /// Columns that are one field under several names in all files, as projections are, by field.
  virtual std::vector<std::vector<std::string>> names_of_one_field() const { return {}; }
  /// Columns and unsupported fields that lie in records, which only classes or untyped fields hold, or show
  /// what does, as projections do. Fields of the standard library are no records.
  virtual std::vector<std::string> names_in_records() const { return {}; }
  /// The columns that no file has, so that all their values are the default.
  virtual const std::vector<std::string>& columns_nowhere() const = 0;
  /// Columns that some file lacks, with a default in their place: they cannot be carried.
  virtual std::vector<std::string> columns_with_gaps() const { return {}; }
  /// Sources for which it is the same say the same of their columns, in all functions above but aliases().
  virtual const void* identity_of_columns() const { return this; }
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

}  // namespace skimline::io
