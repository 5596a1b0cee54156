// SPDX-License-Identifier: BSD-3-Clause
#include "merging/tree_merge.h"

#include "root/object_payload.h"
#include "storage/ordered_pipeline.h"
#include "storage/xxh3.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/format_error.h"

#include <algorithm>
#include <span>
#include <unordered_set>
#include <utility>

namespace skimline::io {
namespace {

// Baskets are taken together until they have so many bytes: enough work for a thread, and writes worth it.
constexpr std::uint64_t kJobBytes = 4 * 1024 * 1024;
constexpr std::size_t kJobBaskets = 4096;
// Baskets with so little between them are read at once.
constexpr std::uint64_t kLargestGap = 4 * 1024;
constexpr std::uint64_t kObjectSizeLimit = 0x3FFFFF00;  // counts of bytes have 30 bits

// The number of the cluster that an entry is in.
std::size_t cluster_of(const TreeDescriptor& tree, std::uint64_t entry) {
  const auto behind = std::upper_bound(tree.cluster_begins.begin(), tree.cluster_begins.end(), entry);
  return static_cast<std::size_t>(behind - tree.cluster_begins.begin());
}

FileError basket_error(const TreeInput& input, std::uint32_t branch, std::size_t number,
                       const std::string& problem) {
  const TreeBasket& basket = input.tree.branch_data[branch].baskets[number];
  const std::string place = basket.is_embedded ? "in the object of the tree"
                                               : "of " + std::to_string(basket.size) + " bytes at byte " +
                                                     std::to_string(basket.offset);
  return FileError(input.file->path(),
                   "TTree \"" + input.tree.path + "\", branch \"" + input.tree.branches[branch].path +
                       "\", basket " + std::to_string(number) + ", entries " +
                       std::to_string(basket.first_entry) + " to " + std::to_string(basket.end_entry() - 1) +
                       ", " + place + ": " + problem);
}

}  // namespace

// A basket of an input.
struct TreeMerge::Item {
  std::uint32_t branch = 0;  // of the input
  std::uint32_t number = 0;
  bool is_shared = false;  // other branches have it too
  CarriedBasket carried{};
  bool is_placed = false;  // written already, for another branch
};

struct TreeMerge::Job {
  std::shared_ptr<const TreeInput> input;
  std::vector<Item> items;
  std::vector<std::byte> bytes;       // that were read
  std::vector<std::uint64_t> begins;  // of the records in them, by item
  std::uint64_t offset = 0;           // in the output

  const BranchData& branch(const Item& item) const { return input->tree.branch_data[item.branch]; }
  const TreeBasket& basket(const Item& item) const { return branch(item).baskets[item.number]; }
  BasketOfBranch source(const Item& item, const TreeBranch& written, const std::string& tree) const {
    return {basket(item),    input->tree.branches[item.branch], branch(item).compression, written.name, tree,
            input->processes};
  }
};

// Cuts the baskets of the inputs into jobs.
class TreeMerge::Jobs {
 public:
  Jobs(TreeInputs& inputs, const StopFlag& stop) : inputs_(inputs), stop_(stop) {}

  /// Returns nullptr behind the last basket of all inputs.
  std::unique_ptr<Job> next() {
    stop_.throw_if_set();
    while (!input_ || next_ == items_.size()) {
      input_ = inputs_.next();
      if (!input_) return nullptr;
      list_items();
    }
    auto job = std::make_unique<Job>();
    job->input = input_;
    for (std::uint64_t bytes = 0; next_ < items_.size() && job->items.size() < kJobBaskets; ++next_) {
      job->items.push_back(std::move(items_[next_]));
      bytes += job->basket(job->items.back()).size;
      if (bytes >= kJobBytes) {
        ++next_;
        break;
      }
    }
    return job;
  }

 private:
  // The same order whether a tree comes alone or as a part of a merged one.
  void list_items() {
    struct Sorted {
      std::size_t cluster;
      std::uint32_t branch;  // of the whole
      Item item;
    };
    const TreeDescriptor& tree = input_->tree;
    std::vector<Sorted> sorted;
    std::unordered_set<std::uint64_t> places, shared;
    for (std::uint32_t branch = 0; branch < tree.branches.size(); ++branch)
      for (std::uint32_t i = 0; i < tree.branch_data[branch].baskets.size(); ++i) {
        const TreeBasket& basket = tree.branch_data[branch].baskets[i];
        sorted.push_back({cluster_of(tree, basket.first_entry), input_->branches[branch], {branch, i}});
        if (!basket.is_embedded && !places.insert(basket.offset).second) shared.insert(basket.offset);
      }
    std::sort(sorted.begin(), sorted.end(), [](const Sorted& a, const Sorted& b) {
      return std::tuple(a.cluster, a.branch, a.item.number) < std::tuple(b.cluster, b.branch, b.item.number);
    });
    items_.clear();
    next_ = 0;
    for (Sorted& each : sorted) {
      const TreeBasket& basket = tree.branch_data[each.item.branch].baskets[each.item.number];
      each.item.is_shared = !basket.is_embedded && shared.contains(basket.offset);
      items_.push_back(std::move(each.item));
    }
  }

  TreeInputs& inputs_;
  const StopFlag& stop_;
  std::shared_ptr<const TreeInput> input_;
  std::vector<Item> items_;  // of the input
  std::size_t next_ = 0;
};

TreeMerge::TreeMerge(RootFileWriter& file, TreeInputs& inputs, const MergeOptions& options)
    : file_(file),
      inputs_(inputs),
      options_(options),
      carrying_{options.verifies.value_or(true), options.compression},
      pool_(0),
      branches_(inputs.pattern().branches.size()) {
  merged_.path = inputs.path();
  merged_.is_tree = true;
}

TreeMerge::~TreeMerge() = default;

void TreeMerge::append(const std::function<void(std::uint64_t)>& done) {
  Jobs jobs(inputs_, options_.stop);
  const auto finish = [&](Job& job) {
    note(job);
    done(job.items.size());
  };
  run_steps(
      items_for_all_threads(), [&] { return jobs.next(); },
      OrderedSteps{[&](Job& job) { carry_baskets(job); }, [&](Job& job) { place(job); },
                   [&](Job& job) { write(job); }, finish});
}

// Neighbours are read at once.
void TreeMerge::read_baskets(Job& job) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < job.items.size(); ++i)
    if (!job.basket(job.items[i]).is_embedded) order.push_back(i);
  const auto basket_at = [&](std::size_t i) -> const TreeBasket& { return job.basket(job.items[order[i]]); };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return job.basket(job.items[a]).offset < job.basket(job.items[b]).offset;
  });
  job.begins.resize(job.items.size());
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    const std::uint64_t begin = basket_at(first).offset;
    std::uint64_t end = begin;
    for (last = first; last < order.size() && basket_at(last).offset <= end + kLargestGap; ++last) {
      job.begins[order[last]] = job.bytes.size() + (basket_at(last).offset - begin);
      end = std::max(end, basket_at(last).offset + basket_at(last).size);
    }
    const std::size_t size = job.bytes.size();
    job.bytes.resize(size + (end - begin));
    job.input->file->read(begin, std::span(job.bytes).subspan(size));
  }
}

void TreeMerge::carry_baskets(Job& job) {
  read_baskets(job);
  for (std::size_t i = 0; i < job.items.size(); ++i) {
    Item& item = job.items[i];
    const TreeBasket& basket = job.basket(item);
    const TreeBranch& pattern = inputs_.pattern().branches[job.input->branches[item.branch]];
    const std::span<const std::byte> from =
        basket.is_embedded ? std::span(job.input->tree.object) : std::span<const std::byte>(job.bytes);
    const std::uint64_t begin = basket.is_embedded ? basket.offset : job.begins[i];
    try {
      item.carried = carry(job.source(item, pattern, inputs_.pattern().name),
                           from.subspan(begin, basket.size), carrying_, pool_);
    } catch (const FormatError& error) {
      throw basket_error(*job.input, item.branch, item.number, error.what());
    }
  }
  job.bytes = {};
}

void TreeMerge::place(Job& job) {
  if (shared_of_ != job.input.get()) shared_.clear();
  shared_of_ = job.input.get();
  std::uint64_t size = 0;
  for (Item& item : job.items) {
    const auto [known, is_first] =
        item.is_shared ? shared_.try_emplace(job.basket(item).offset, 0) : std::pair{shared_.end(), true};
    item.is_placed = !is_first;
    if (is_first) size += item.carried.size;
  }
  std::uint64_t offset = job.offset = file_.reserve_records(size);
  for (Item& item : job.items) {
    try {
      place(*job.input, item, offset);
    } catch (const FormatError& error) {
      throw basket_error(*job.input, item.branch, item.number, error.what());
    }
  }
}

void TreeMerge::place(const TreeInput& input, Item& item, std::uint64_t& offset) {
  const TreeBasket& basket = input.tree.branch_data[item.branch].baskets[item.number];
  WrittenBranch& branch = branches_[input.branches[item.branch]];
  CarriedBasket& carried = item.carried;
  std::uint64_t at = offset;
  if (item.is_placed) {
    at = shared_.at(basket.offset);
  } else {
    carried.set_place(offset, branch.baskets.size());
    hash_ = hash_with(hash_, carried.hash);
    if (item.is_shared) shared_[basket.offset] = offset;
    offset += carried.size;
  }
  branch.baskets.push_back(
      {input.first_entry + basket.first_entry, at, static_cast<std::uint32_t>(carried.size)});
  branch.unpacked_bytes += carried.unpacked_size;
  branch.stored_bytes += carried.size;
  branch.largest_basket = std::max<std::uint64_t>(branch.largest_basket, carried.unpacked_size);
}

void TreeMerge::write(const Job& job) {
  std::vector<std::span<const std::byte>> pieces;
  for (const Item& item : job.items)
    if (!item.is_placed) pieces.push_back(item.carried.bytes());
  file_.write_at(job.offset, pieces);
}

void TreeMerge::note(const Job& job) {
  merged_.num_pages += job.items.size();
  for (const Item& item : job.items) {
    MethodCounts& counts =
        merged_.methods[item.carried.is_rewritten ? MergeMethod::kRewrite : MergeMethod::kCopy];
    ++counts.clusters;
    counts.bytes += item.carried.size;
    if (!carrying_.verifies) continue;
    ++(item.carried.is_verified ? merged_.pages_verified : merged_.pages_without_checksum);
  }
}

MergedNTuple TreeMerge::finish() {
  CopiedTree copy = inputs_.whole();
  copy.branches = std::move(branches_);
  RootObject object;
  object.class_name = inputs_.class_name();
  object.name = inputs_.path();
  object.title = inputs_.pattern().title;
  object.has_long_key = true;
  object.process_offset = inputs_.process_offset();
  std::vector<std::byte> streamed;
  try {
    streamed = streamed_copy(inputs_.pattern(), inputs_.outline(), copy, long_key_size(object));
  } catch (const FormatError& error) {
    throw Error("TTree \"" + inputs_.path() + "\" cannot be merged: " + error.what());
  }
  if (streamed.size() > kObjectSizeLimit)
    throw Error("the TTree \"" + inputs_.path() + "\" with " + std::to_string(merged_.num_pages) +
                " baskets is too large for a ROOT file: objects must be smaller than 1 GiB");
  set_payload(object, std::move(streamed), options_.compression.value_or(CompressionSetting{}));
  file_.add_object(object);
  merged_.num_entries = copy.num_entries;
  merged_.num_clusters = copy.cluster_entries.size();
  return merged_;
}

}  // namespace skimline::io
