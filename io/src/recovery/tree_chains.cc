// SPDX-License-Identifier: BSD-3-Clause
#include "recovery/tree_chains.h"

#include "recovery/basket_counts.h"
#include "ttree/basket_entries.h"

#include "skimline/framework/error.h"
#include "skimline/io/format_error.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace skimline::io {
namespace {

constexpr std::size_t kLargestRecord = 0x7FFFFFFF;

// A basket that is decompressed as a whole.
struct WholeBasket {
  std::vector<std::byte> record;
  BasketHeader header;
  StoredKey key;
  UnpackedBasket unpacked;
};

// Entries whose ends follow from a counter are not told apart.
const EntrySizes kAnySizes{0, true, {}};

bool ends_are_known(const WholeBasket& basket) {
  return !basket.unpacked.entries.offsets.empty() || !basket.header.has_generated_offsets();
}

// Reads a record of the file, or takes what is embedded.
WholeBasket read_whole(const InputFile& file, const TreeDescriptor& tree, const TreeBasket& basket,
                       BufferPool& pool) {
  WholeBasket whole;
  std::span<const std::byte> record;
  if (basket.is_embedded) {
    record = std::span(tree.object).subspan(basket.offset, basket.size);
  } else {
    if (basket.offset > file.size() || basket.size > file.size() - basket.offset ||
        basket.size > kLargestRecord)
      throw FormatError("it lies outside the file");
    whole.record.resize(static_cast<std::size_t>(basket.size));
    file.read(basket.offset, whole.record);
    record = whole.record;
    ByteReader reader(record);
    whole.key = parse_key(reader);
  }
  whole.header = read_basket_header(record);
  TreeBasket own = basket;
  own.num_entries = whole.header.num_entries;
  whole.unpacked = unpack_basket(own, record, kAnySizes, pool);
  return whole;
}

std::string basket_at(std::size_t number, const TreeBasket& basket) {
  return "basket " + std::to_string(number) +
         (basket.is_embedded ? "" : " at byte " + std::to_string(basket.offset));
}

}  // namespace

TreeChains::TreeChains(const InputFile& file, const FoundRecords& records, const TreeDescriptor& tree,
                       const Namesakes& namesakes)
    : file_(file),
      records_(records),
      tree_(tree),
      namesakes_(namesakes),
      counters_(counters_in(tree)),
      pool_(0) {
  for (const TreeBranch& branch : tree.branches) ++num_called_[branch.name];
}

BasketChain TreeChains::follow(std::uint32_t branch) {
  BasketChain chain = follow_listed(tree_.branch_data[branch]);
  if (chain.end.empty()) follow_found(branch, chain);
  return chain;
}

BasketChain TreeChains::follow_listed(const BranchData& branch) {
  BasketChain chain;
  for (const TreeBasket& basket : branch.baskets) {
    try {
      check_listed(basket, chain);
    } catch (const FormatError& error) {
      chain.end = basket_at(chain.baskets.size(), basket) + ": " + error.what();
      break;
    }
  }
  chain.num_listed = chain.num_entries();
  return chain;
}

void TreeChains::check_listed(const TreeBasket& basket, BasketChain& chain) {
  const WholeBasket whole = read_whole(file_, tree_, basket, pool_);
  if (whole.header.num_entries != basket.num_entries)
    throw FormatError("it has " + std::to_string(whole.header.num_entries) + " entries and not " +
                      std::to_string(basket.num_entries));
  if (!basket.is_embedded && whole.header.record_size != basket.size)
    throw FormatError("its size is another one than the tree says");
  if (basket.first_entry != chain.num_entries()) throw FormatError("it does not follow the one before");
  chain.baskets.push_back(basket);
  chain.can_be_cut.push_back(ends_are_known(whole));
}

bool TreeChains::has_own_name(std::uint32_t branch) const {
  return num_called_.at(tree_.branches[branch].name) == 1;
}

// Whether the keys of the listed baskets have the numbers that ROOT gives them.
bool TreeChains::is_numbered(const BasketChain& chain) {
  std::size_t last = chain.baskets.size();
  while (last > 0 && chain.baskets[last - 1].is_embedded) --last;
  if (last == 0) return true;
  const WholeBasket whole = read_whole(file_, tree_, chain.baskets[last - 1], pool_);
  return whole.key.cycle == static_cast<std::uint16_t>(last - 1);
}

// The number of a basket in its branch is what its key has as cycle. A basket in the object of the tree was
// not full when the tree was saved; it may lie in the file since.
void TreeChains::follow_found(std::uint32_t branch, BasketChain& chain) {
  const auto found = records_.baskets.find({tree_.name, tree_.branches[branch].name});
  if (found == records_.baskets.end() || !has_own_name(branch)) return;
  std::unordered_set<std::uint64_t> used;
  for (const TreeBasket& basket : chain.baskets)
    if (!basket.is_embedded) used.insert(basket.offset);
  std::unordered_map<std::uint16_t, std::vector<const FoundBasket*>> by_number;
  std::size_t num_known = 0;
  for (const FoundBasket& basket : found->second) {
    if (used.contains(basket.offset) || namesakes_.baskets.contains(basket.offset)) continue;
    by_number[basket.number].push_back(&basket);
    const bool is_known = basket.number < used.size() || namesakes_.older_baskets.contains(basket.offset);
    num_known += is_known ? 1 : 0;
  }
  if (by_number.empty()) return;
  const bool has_others = num_known > 0 || namesakes_.have(tree_.branches[branch].name);
  if (has_others || !is_numbered(chain)) {
    chain.end = has_others ? "other records are baskets of a branch and a tree with these names"
                           : "the baskets of this branch are not numbered";
    return;
  }
  while (true) {
    const bool replaces = !chain.baskets.empty() && chain.baskets.back().is_embedded;
    const std::size_t number = chain.baskets.size() - (replaces ? 1 : 0);
    const auto next = by_number.find(static_cast<std::uint16_t>(number));
    if (next == by_number.end()) return;
    try {
      if (next->second.size() > 1) throw FormatError("several records are basket " + std::to_string(number));
      check_found(branch, *next->second.front(), chain);
    } catch (const FormatError& error) {
      chain.end = "basket " + std::to_string(number) + " at byte " +
                  std::to_string(next->second.front()->offset) + ": " + error.what();
      return;
    }
    by_number.erase(next);
  }
}

// The basket that was being filled has been filled further: else it is one of a tree that is no more.
void TreeChains::check_begins(const BasketEntries& found, const TreeBasket& embedded) {
  const WholeBasket begun = read_whole(file_, tree_, embedded, pool_);
  const std::span<const std::byte> front = begun.unpacked.entries.data;
  if (front.size() > found.data.size() || !std::equal(front.begin(), front.end(), found.data.begin()))
    throw FormatError("it does not begin with the entries that the tree has of it, as one of another tree");
}

void TreeChains::check_found(std::uint32_t branch, const FoundBasket& found, BasketChain& chain) {
  TreeBasket basket;
  basket.offset = found.offset;
  basket.size = found.size;
  const WholeBasket whole = read_whole(file_, tree_, basket, pool_);
  const bool replaces = !chain.baskets.empty() && chain.baskets.back().is_embedded;
  if (whole.header.num_entries == 0) throw FormatError("it has no entries");
  if (replaces && whole.header.num_entries < chain.baskets.back().num_entries)
    throw FormatError("it has fewer entries than the tree says");
  if (replaces) check_begins(whole.unpacked.entries, chain.baskets.back());
  const KeptOfValues kept = kept_of(tree_, branch, counters_);
  std::int64_t& largest = kept == KeptOfValues::kLongestText ? chain.text_room : chain.largest_count;
  largest = std::max(largest, largest_in(tree_, branch, kept, whole.unpacked.entries));
  if (replaces) {
    chain.baskets.pop_back();
    chain.can_be_cut.pop_back();
  }
  basket.first_entry = chain.num_entries();
  basket.num_entries = whole.header.num_entries;
  chain.baskets.push_back(basket);
  chain.can_be_cut.push_back(ends_are_known(whole));
}

}  // namespace skimline::io
