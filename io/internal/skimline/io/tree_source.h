// SPDX-License-Identifier: BSD-3-Clause
// Reads the entries of one TTree as a Source.
#pragma once

#include "skimline/io/input_options.h"
#include "skimline/io/input_source.h"
#include "skimline/io/opened_files.h"
#include "skimline/io/tree_descriptor.h"

#include <memory>

namespace skimline::io {

struct TreeChain;

/// A tree whose metadata were read.
struct ReadTree {
  OpenedFile file;
  TreeDescriptor tree;
};

/// Opens a file and reads the metadata of the tree at construction.
///
/// Columns are what expressions can hold of the branches, under natural names: leaves of fundamental types
/// and strings as flat columns, arrays and vectors of them as jagged ones, two-dimensional ones as doubly
/// jagged ones, members of split objects and collections as "muons.pt". Baskets are decoded once for all
/// slices that share them. They carry no checksums in general, so that only damage that breaks their
/// structure or their compression is found. A few baskets of branches with objects of classes are read at
/// construction: those that are not laid out as the file describes them are unsupported. Thread-safe.
class TreeSource : public InputSource {
 public:
  /// Throws FileError if the file or the tree cannot be read. Of the options, defaults do not matter; with
  /// max_open_files 0 the file is open only while it is read. Sources may be parts of a chain. With `read`
  /// nothing is opened, and its metadata are taken.
  explicit TreeSource(const InputLocation& location, InputOptions options = {}, TreeChain* chain = nullptr,
                      const std::shared_ptr<ReadTree>& read = nullptr);
  ~TreeSource() override;

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
  std::vector<TreeAlias> aliases() const override { return descriptor().aliases; }
  void check_unchanged() const override;
  const std::vector<std::string>& field_type_names() const override;
  const std::vector<UnsupportedField>& unsupported_fields() const override;
  const std::vector<Collection>& collections() const override;
  std::vector<Collection> lists_of_equal_sizes() const override;
  const std::vector<std::string>& columns_nowhere() const override;
  const void* identity_of_columns() const override;
  const std::vector<std::string>& differences() const override;
  FieldSize field_size(const std::string& name) const override;
  void restrict_to(EntryRange entries) override;
  /// Nothing is carried: all columns are computed, unsupported ones are an error.
  Carrying carry(const std::vector<std::string>& names) override;
  void expect(const ExpectedReading& reading) override;

  /// Baskets that were decoded and that no checksum proves.
  std::uint64_t num_unverified_baskets() const;
  const TreeDescriptor& descriptor() const;
  /// The number of the branch that a column is of.
  std::uint32_t branch_of(std::size_t column) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace skimline::io
