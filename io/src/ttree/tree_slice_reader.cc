// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/tree_slice_reader.h"

#include "ttree/class_trial.h"

#include "skimline/io/format_error.h"

#include <algorithm>

namespace skimline::io {
namespace {

// Appends the values of a flat column of integers.
void append_counts(const ColumnView& view, EntryRange range, std::vector<std::uint64_t>& counts) {
  visit_scalar(view.type.scalar, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::uint64_t i = range.first; i < range.end(); ++i) {
      const T count = view.data<T>()[i];
      if (!(count >= T{0})) throw FormatError("a list with a negative number of elements");
      counts.push_back(static_cast<std::uint64_t>(count));
    }
  });
}

// The entries of a range that are in a basket, counted from its first.
EntryRange inside(const TreeBasket& basket, EntryRange range) {
  const std::uint64_t begin = std::max(basket.first_entry, range.first);
  const std::uint64_t end = std::min(basket.end_entry(), range.end());
  return {begin - basket.first_entry, end - begin};
}

}  // namespace

TreeSliceReader::TreeSliceReader(TreeContext context, EntryRange entries, std::function<void()> on_close)
    : context_(context),
      entries_(entries),
      on_close_(std::move(on_close)),
      loaded_(context.columns.size()),
      first_basket_(context.columns.size()) {}

TreeSliceReader::~TreeSliceReader() {
  std::vector<bool> is_loaded;
  for (const std::optional<Loaded>& each : loaded_) is_loaded.push_back(each.has_value());
  context_.loaded_columns->note(is_loaded);
  loaded_.clear();
  on_close_();
}

const BranchData& TreeSliceReader::branch_of(std::size_t column) const {
  return context_.fetcher.tree.branch_data[context_.columns[column].branch];
}

void TreeSliceReader::load(std::span<const std::size_t> columns) {
  std::vector<BasketClaim> claims;
  std::vector<std::size_t> acquired;
  for (const std::size_t column : columns) {
    context_.is_loaded[column].store(true, std::memory_order_relaxed);
    if (loaded_[column]) continue;
    const std::uint32_t branch = context_.columns[column].branch;
    loaded_[column] = context_.baskets.acquire(branch, entries_, claims);
    first_basket_[column] = baskets_of(branch_of(column), entries_).begin;
    acquired.push_back(column);
  }
  // Own baskets first: two readers that wait for each other's would wait for ever.
  context_.fetcher.fetch(std::move(claims));
  for (const std::size_t column : acquired)
    for (const std::shared_ptr<SharedBasket>& basket : *loaded_[column]) context_.fetcher.wait_for(*basket);
}

std::vector<TreeSliceReader::Part> TreeSliceReader::parts_of(std::size_t column, EntryRange range) const {
  if (!loaded_[column])
    throw InternalError("column \"" + context_.columns[column].name + "\" is viewed before it is loaded");
  const BasketRange numbers = baskets_of(branch_of(column), {entries_.first + range.first, range.count});
  std::vector<Part> parts;
  for (std::size_t number = numbers.begin; number < numbers.end; ++number)
    parts.push_back({column,
                     {context_.columns[column].branch, number},
                     (*loaded_[column])[number - first_basket_[column]].get()});
  return parts;
}

const TreeColumn& TreeSliceReader::column_of_leaf(std::uint32_t leaf) const {
  const std::uint32_t branch = context_.fetcher.tree.leaves[leaf].branch;
  const auto found = std::find_if(context_.columns.begin(), context_.columns.end(),
                                  [&](const TreeColumn& column) { return column.branch == branch; });
  if (found == context_.columns.end() || found->type.is_jagged() || !is_integer(found->type.scalar) ||
      context_.fetcher.tree.branches[branch].leaves.size() != 1)
    throw FormatError("the branch that counts its elements cannot be read");
  return *found;
}

// For each entry, the value of a leaf. Few files need it, so that nothing is kept.
std::vector<std::uint64_t> TreeSliceReader::counts(std::uint32_t counter, EntryRange entries) const {
  const BasketFetcher& fetcher = context_.fetcher;
  const TreeColumn& column = column_of_leaf(counter);
  const BranchData& branch = fetcher.tree.branch_data[column.branch];
  const BasketRange numbers = baskets_of(branch, entries);
  std::vector<std::uint64_t> counts;
  for (std::size_t number = numbers.begin; number < numbers.end; ++number) {
    BufferPool::Buffer memory;
    const std::span<const std::byte> record = fetcher.read({column.branch, number}, memory);
    fetcher.verify({column.branch, number}, record);
    const UnpackedBasket unpacked = unpack_basket(branch.baskets[number], record, {}, fetcher.pool);
    context_.baskets.use({column.branch, number}, fetcher.is_verified({column.branch, number}, unpacked));
    const DecodedBasket decoded = column.decoder->decode(unpacked.entries, fetcher.pool);
    append_counts(decoded.view, inside(branch.baskets[number], entries), counts);
  }
  if (counts.size() != entries.count) throw FormatError("the branch that counts its elements has no entries");
  return counts;
}

EntrySizes TreeSliceReader::sizes_of(const Part& part) const {
  const TreeColumn& column = context_.columns[part.column];
  EntrySizes sizes{column.bytes_per_element, false, {}};
  if (column.counter)
    sizes.counts = [this, &column, &part] {
      const TreeBasket& basket = context_.fetcher.basket(part.which);
      return counts(*column.counter, {basket.first_entry, basket.num_entries});
    };
  return sizes;
}

void TreeSliceReader::decode(const Part& part) const {
  const BasketFetcher& fetcher = context_.fetcher;
  const TreeBasket& basket = fetcher.basket(part.which);
  const std::size_t place = context_.places[part.column];
  try {
    part.basket->decode(
        place, *context_.columns[part.column].decoder, fetcher.pool, [&](std::span<const std::byte> record) {
          fetcher.verify(part.which, record);
          UnpackedBasket unpacked = unpack_basket(basket, record, sizes_of(part), fetcher.pool);
          ++fetcher.counts.pages_decoded;
          context_.baskets.use(part.which, fetcher.is_verified(part.which, unpacked));
          return unpacked;
        });
  } catch (const FormatError& problem) {
    fail(part, problem);
  }
  const ColumnView& values = part.basket->values(place);
  fetcher.counts.bytes_decoded += values.num_values() * size_of(values.type.scalar);
}

// What the reader does not know is no damage.
void TreeSliceReader::fail(const Part& part, const FormatError& problem) const {
  const TreeColumn& column = context_.columns[part.column];
  const FileError damage = context_.fetcher.error(part.which, problem.what());
  const bool is_doubtful = dynamic_cast<const DoubtfulLayout*>(&problem) != nullptr && !column.is_proven;
  const bool is_unreadable = dynamic_cast<const UnreadableLayout*>(&problem) != nullptr;
  if (damage.fault() != FileFault::kDamaged || !(is_doubtful || is_unreadable)) throw FileError(damage);
  throw SchemaError(std::string(damage.what()) + ": \"" + column.name +
                    "\" cannot be decoded; all others can be read without it");
}

// Together with other threads that need the same: each takes those nobody has started.
void TreeSliceReader::decode(std::span<const Part> parts) const {
  for (const Part& part : parts)
    if (part.basket->try_start_decoding(context_.places[part.column])) decode(part);
  for (const Part& part : parts) {
    try {
      part.basket->wait_until_decoded(context_.places[part.column]);
    } catch (const FormatError& problem) {
      fail(part, problem);
    }
  }
}

void TreeSliceReader::prepare(std::span<const std::size_t> columns, EntryRange range) {
  std::vector<Part> parts;
  for (const std::size_t column : columns)
    for (const Part& part : parts_of(column, range))
      if (!part.basket->is_decoded(context_.places[column])) parts.push_back(part);
  decode(parts);
}

ColumnView TreeSliceReader::view(std::size_t column, EntryRange range, ColumnBuffer& scratch) {
  const std::vector<Part> parts = parts_of(column, range);
  decode(parts);
  const BranchData& branch = branch_of(column);
  const EntryRange entries{entries_.first + range.first, range.count};
  pieces_.clear();
  for (const Part& part : parts)
    pieces_.push_back(
        {part.basket->values(context_.places[column]), inside(branch.baskets[part.which.number], entries)});
  try {
    return joined(context_.columns[column].type, pieces_, scratch);
  } catch (const FormatError& problem) {
    throw context_.fetcher.error(parts.front().which, problem.what());
  }
}

}  // namespace skimline::io
