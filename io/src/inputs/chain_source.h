// SPDX-License-Identifier: BSD-3-Clause
// Sources of any format, one after the other.
#pragma once

#include "columns/number_types.h"
#include "columns/offered_columns.h"
#include "inputs/spelled_names.h"

#include "skimline/io/input_options.h"
#include "skimline/io/input_source.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::io {

/// How a part gives a column of the chain.
struct ChainColumn {
  std::optional<std::size_t> column;  ///< in the part; none if it has the default
  bool is_converted = false;          ///< to the type that the chain has
};

/// Columns that the parts have with different types of numbers are converted; those that some lack have their
/// default, or are unsupported. Dots and underscores in names are the same unless a part has both as columns
/// of their own. Thread-safe.
class ChainSource : public InputSource {
 public:
  /// Throws DefaultError if a default does not fit.
  ChainSource(std::vector<std::unique_ptr<InputSource>> parts, const InputOptions& options);

  const Schema& schema() const override { return offered_.schema; }
  std::uint64_t num_entries() const override { return num_entries_; }
  const std::vector<EntryRange>& slices() const override { return slices_; }
  std::size_t cluster_of(std::size_t slice) const override { return clusters_[slice]; }
  void read_ahead(std::span<const std::size_t> columns, std::size_t first_slice) override;
  void fetch_ahead() override;
  std::unique_ptr<SliceReader> open_slice(std::size_t slice) override;
  std::uint64_t stored_bytes(std::size_t column) const override;
  ReadStatistics statistics() const override;

  const std::vector<InputFacts>& files() const override { return files_; }
  std::vector<InputFacts> friend_files() const override;
  std::vector<TreeFriend> unused_friends() const override;
  std::vector<TreeAlias> aliases() const override;
  void check_unchanged() const override;
  const std::vector<std::string>& field_type_names() const override { return offered_.type_names; }
  const std::vector<UnsupportedField>& unsupported_fields() const override { return offered_.unsupported; }
  const std::vector<Collection>& collections() const override { return collections_; }
  /// Those that have them in all files.
  std::vector<Collection> lists_of_equal_sizes() const override;
  std::vector<std::vector<std::string>> names_of_one_field() const override;
  const std::vector<std::string>& columns_nowhere() const override { return offered_.nowhere; }
  std::vector<std::string> columns_with_gaps() const override;
  const std::vector<std::string>& differences() const override { return offered_.differences; }
  FieldSize field_size(const std::string& name) const override;
  void restrict_to(EntryRange entries) override;
  Carrying carry(const std::vector<std::string>& names) override;
  void expect(const ExpectedReading& reading) override;

 private:
  struct SlicePlace {
    std::size_t part = 0;
    std::size_t slice = 0;
  };
  // Parts that have the same columns.
  struct Kind {
    const InputSource& first;
    bool is_void = false;  // without entries and columns: nothing is missing there
    std::size_t num_parts = 0;
    std::vector<ChainColumn> map{};  // by column
  };
  // What the parts have of one name.
  struct Gathered {
    ColumnInfo info;
    std::string type_name;
    std::vector<std::optional<std::size_t>> columns;  // by kind
    std::vector<std::size_t> without;                 // kinds
    std::string problem;                              // why it cannot be a column
  };
  const std::string& path_of(std::size_t kind) const { return kinds_[kind].first.files().front().path; }
  const std::vector<ChainColumn>& map_of(std::size_t part) const { return kinds_[kind_of_[part]].map; }
  // What a part that has the column calls it.
  const std::string& name_in(std::size_t part, std::size_t column) const;
  void find_kinds();
  std::size_t num_kinds_with_columns() const;
  Gathered gather(const std::string& name) const;
  void unite_types(Gathered& column) const;
  std::string problem_of_missing(const Gathered& column) const;
  FoundColumn found(const Gathered& column) const;
  void find_columns(const InputOptions& options);
  void add(const Gathered& column, OfferedColumnsBuilder& builder);
  std::string type_difference(const Gathered& column) const;
  void leave_out_missing(const Kind& kind, Collection& collection) const;
  void add_collections();
  void find_slices();

  std::vector<std::unique_ptr<InputSource>> parts_;
  std::vector<std::uint64_t> first_entries_;  // by part
  std::vector<Kind> kinds_;                   // in the order in which they come first
  std::vector<std::size_t> kind_of_;          // by part
  SpelledNames names_;
  OfferedColumns offered_;
  std::vector<InputFacts> files_;
  std::vector<Collection> collections_;
  std::uint64_t num_entries_ = 0;
  std::vector<EntryRange> slices_;
  std::vector<SlicePlace> places_;
  std::vector<std::size_t> clusters_;  // by slice
};

}  // namespace skimline::io
