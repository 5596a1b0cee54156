// SPDX-License-Identifier: BSD-3-Clause
// Reads the columns of one slice of a TTree.
#pragma once

#include "columns/joined_columns.h"
#include "columns/read_ahead.h"
#include "ttree/basket_fetcher.h"
#include "ttree/shared_basket.h"
#include "ttree/tree_baskets.h"
#include "ttree/tree_columns.h"

#include "skimline/framework/source.h"
#include "skimline/io/format_error.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace skimline::io {

/// What a reader needs of its tree.
struct TreeContext {
  BasketFetcher fetcher;
  std::string_view file_name;
  TreeBaskets& baskets;
  const std::vector<TreeColumn>& columns;
  const std::vector<std::size_t>& places;   ///< by column: its number among those of its branch
  std::atomic<bool>* is_loaded = nullptr;   ///< by column: set once it is loaded
  LoadedStreams* loaded_columns = nullptr;  ///< told when the slice is closed
};

class TreeSliceReader : public SliceReader {
 public:
  /// For entries of the tree. `on_close` is called when the reader is gone.
  TreeSliceReader(TreeContext context, EntryRange entries, std::function<void()> on_close);
  ~TreeSliceReader() override;

  void load(std::span<const std::size_t> columns) override;
  void prepare(std::span<const std::size_t> columns, EntryRange range) override;
  ColumnView view(std::size_t column, EntryRange range, ColumnBuffer& scratch) override;
  std::string_view file() const override { return context_.file_name; }

 private:
  using Loaded = std::vector<std::shared_ptr<SharedBasket>>;
  // A column of one basket.
  struct Part {
    std::size_t column = 0;
    BasketNumber which;
    SharedBasket* basket = nullptr;
  };
  const BranchData& branch_of(std::size_t column) const;
  std::vector<Part> parts_of(std::size_t column, EntryRange range) const;
  void decode(std::span<const Part> parts) const;
  void decode(const Part& part) const;
  [[noreturn]] void fail(const Part& part, const FormatError& problem) const;
  EntrySizes sizes_of(const Part& part) const;
  std::vector<std::uint64_t> counts(std::uint32_t counter, EntryRange entries) const;
  const TreeColumn& column_of_leaf(std::uint32_t leaf) const;

  TreeContext context_;
  EntryRange entries_;
  std::function<void()> on_close_;
  std::vector<std::optional<Loaded>> loaded_;  // by column
  std::vector<std::size_t> first_basket_;      // by column: the number of the first loaded one
  std::vector<ColumnPiece> pieces_;
};

}  // namespace skimline::io
