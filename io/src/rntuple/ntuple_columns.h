// SPDX-License-Identifier: BSD-3-Clause
// What the columns of a source are in its RNTuples.
#pragma once

#include "columns/offered_columns.h"
#include "rntuple/matched_fields.h"
#include "rntuple/open_ntuple.h"

#include "skimline/io/input_options.h"
#include "skimline/io/input_source.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace skimline::io {

/// The columns that all files have, or that have a default, in the order of the files.
class NTupleColumns {
 public:
  /// Keeps a reference to the files, and has them find the columns. Throws DefaultError if a default is
  /// wrong.
  NTupleColumns(const std::vector<std::unique_ptr<OpenNTuple>>& files, const InputOptions& options);

  const OfferedColumns& offered() const { return offer_->columns; }

  /// Keeps together what follows from the schemas of files of one kind: for each of thousands it would be too
  /// much. Returns whether there is a file of this kind before it.
  bool share(OpenNTuple& file);

  FieldSize field_size(const std::string& name) const;
  std::vector<Collection> lists_of_equal_sizes() const;
  const std::vector<std::vector<std::string>>& names_of_one_field() const {
    return offer_->names_of_one_field;
  }
  /// Of the first file, whose fields are carried.
  std::vector<std::string> names_in_records() const;

  /// Returns the fields to carry. What has to be computed instead is added to `computed`. Throws SchemaError
  /// for a name that no field has.
  std::vector<std::uint32_t> kept_fields(const std::vector<std::string>& names,
                                         std::vector<std::string>& computed) const;

 private:
  // Kept for the sources of other samples where all files are of one kind, and nothing is missing.
  struct Offer {
    std::shared_ptr<const KnownColumns> kind;  // none where it is not kept
    OfferedColumns columns;
    OpenNTuple::ColumnPlaces places;  // in the first file
    std::vector<std::vector<std::string>> names_of_one_field;
  };
  std::shared_ptr<const Offer> make_offer(const InputOptions& options,
                                          std::shared_ptr<const KnownColumns> kind);
  OfferedColumns find_columns(const InputOptions& options) const;
  std::vector<std::vector<std::string>> find_names_of_one_field(const Schema& schema) const;
  void map_columns(const Schema& schema, OpenNTuple::ColumnPlaces in_first);
  FoundColumn found(const MatchedColumn& matched) const;
  // Whether a file lacks a column, which then has a default.
  bool is_lacking(std::size_t column) const;
  // Whether it is the sizes of a collection in some files, and numbers by themselves in others; none may lack
  // it.
  bool is_count_in_some(std::size_t column) const;
  std::uint32_t unsupported_field(const std::string& name) const;

  const std::vector<std::unique_ptr<OpenNTuple>>& files_;
  std::shared_ptr<const Offer> offer_;
  std::map<const KnownColumns*, const OpenNTuple*> first_of_kind_;
  std::vector<const OpenNTuple*> kinds_;  // the first of each
};

}  // namespace skimline::io
