// SPDX-License-Identifier: BSD-3-Clause
// Reads the entries of one RNTuple, or of several one after the other, as a Source: columns are matched by
// name.
#pragma once

#include "skimline/io/input_options.h"
#include "skimline/io/input_source.h"
#include "skimline/io/rntuple_descriptor.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace skimline::io {

class ReadAhead;

/// Opens files and verifies their metadata at construction: header, footer and page lists with their
/// checksums.
///
/// Columns are the fields that expressions can hold, under natural names: fundamental fields and strings as
/// flat columns, collections and fixed-size arrays of them as jagged ones, collections of collections as
/// doubly jagged ones, members of records and of collections of records as "Muon.pt", projected fields and
/// cardinality fields under their own names. Pages are verified against their checksums
/// when they are decoded, once for all slices that share them. Thread-safe.
class RNTupleSource : public InputSource {
 public:
  /// Throws FileError if a file cannot be read or trusted, DefaultError for defaults that do not fit, and
  /// SchemaError if a file has two columns of one name. Parts of a chain share `ahead`.
  explicit RNTupleSource(const std::vector<InputLocation>& locations, InputOptions options = {},
                         std::shared_ptr<ReadAhead> ahead = nullptr);
  ~RNTupleSource() override;

  const Schema& schema() const override;
  std::uint64_t num_entries() const override;
  const std::vector<EntryRange>& slices() const override;
  std::size_t cluster_of(std::size_t slice) const override;
  void read_ahead(std::span<const std::size_t> columns, std::size_t first_slice) override;
  void fetch_ahead() override;
  std::unique_ptr<SliceReader> open_slice(std::size_t slice) override;
  std::uint64_t stored_bytes(std::size_t column) const override;
  ReadStatistics statistics() const override;

  const std::vector<InputFacts>& files() const override;
  void check_unchanged() const override;
  const std::vector<std::string>& field_type_names() const override;
  /// The fields that are not offered as columns, as expressions cannot hold them or the files differ in them.
  const std::vector<UnsupportedField>& unsupported_fields() const override;
  const std::vector<Collection>& collections() const override;
  std::vector<Collection> lists_of_equal_sizes() const override;
  std::vector<std::vector<std::string>> names_of_one_field() const override;
  std::vector<std::string> names_in_records() const override;
  const std::vector<std::string>& columns_nowhere() const override;
  std::vector<std::string> columns_with_gaps() const override;
  const std::vector<std::string>& differences() const override;
  FieldSize field_size(const std::string& name) const override;
  void restrict_to(EntryRange entries) override;
  /// Computed are counts of collections of which nothing else is kept, and columns that some files lack.
  Carrying carry(const std::vector<std::string>& names) override;
  void expect(const ExpectedReading& reading) override;

  /// The metadata of each file, in order.
  const std::vector<RNTupleDescriptor>& descriptors() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace skimline::io
