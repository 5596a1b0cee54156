// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/tree_output.h"

#include "root/object_payload.h"
#include "storage/xxh3.h"

#include "skimline/framework/error.h"
#include "skimline/io/output_file.h"

#include <algorithm>

namespace skimline::io {
namespace {

constexpr std::uint64_t kObjectLimit = 0x3FFFFF00;  // counts of bytes have 30 bits

}  // namespace

std::uint64_t SealedTreeCluster::num_bytes() const {
  std::uint64_t bytes = 0;
  for (const std::vector<BasketRecord>& branch : baskets)
    for (const BasketRecord& basket : branch) bytes += basket.size;
  return bytes;
}

TreeOutput::TreeOutput(RootFileWriter& file, const TreeLayout& layout, TreeOutputOptions options)
    : file_(file), layout_(layout), path_(std::move(options.path)) {
  tree_.name = path_.substr(path_.rfind('/') + 1);
  tree_.title = options.title.empty() ? tree_.name : std::move(options.title);
  tree_.compression = options.compression;
  tree_.branches.resize(layout.branches.size());
  tree_.largest_counts.resize(layout.groups.size());
  is_departed_.resize(layout.groups.size());
  shared_.resize(layout.groups.size());
}

void TreeOutput::note_counts(std::span<const std::uint64_t> largest) {
  for (std::size_t group = 0; group < largest.size(); ++group)
    tree_.largest_counts[group] = std::max(tree_.largest_counts[group], largest[group]);
}

void TreeOutput::note_departures(const std::vector<bool>& is_departed) {
  for (std::size_t group = 0; group < is_departed.size(); ++group)
    if (is_departed[group]) is_departed_[group] = true;
}

BasketJob TreeOutput::commit(SealedTreeCluster&& cluster) {
  BasketJob job;
  std::uint64_t offset = job.offset = file_.reserve_records(cluster.num_bytes());
  for (std::size_t i = 0; i < cluster.baskets.size(); ++i) {
    WrittenBranch& branch = tree_.branches[i];
    for (BasketRecord& basket : cluster.baskets[i]) {
      hash_ = hash_with(hash_, basket.hash);
      basket.set_place(offset, branch.baskets.size());
      branch.baskets.push_back(
          {tree_.num_entries + basket.entries.first, offset, static_cast<std::uint32_t>(basket.size)});
      branch.unpacked_bytes += basket.unpacked_size;
      branch.stored_bytes += basket.size;
      branch.largest_basket = std::max<std::uint64_t>(branch.largest_basket, basket.unpacked_size);
      offset += basket.size;
      ++num_baskets_;
      job.baskets.push_back(std::move(basket));
    }
  }
  for (std::size_t i = 0; i < layout_.groups.size(); ++i) {
    const ListGroup& group = layout_.groups[i];
    if (!group.likely_count_branch || cluster.num_entries == 0) continue;
    if (cluster.baskets[group.count_branch].empty())
      share_baskets(i, cluster.baskets[*group.likely_count_branch]);
    else
      is_departed_[i] = true;
  }
  tree_.cluster_entries.push_back(cluster.num_entries);
  tree_.num_entries += cluster.num_entries;
  return job;
}

// `shared` are the last ones of the counts that are likely.
void TreeOutput::share_baskets(std::size_t group, const std::vector<BasketRecord>& shared) {
  WrittenBranch& fallback = tree_.branches[layout_.groups[group].count_branch];
  const WrittenBranch& likely = tree_.branches[*layout_.groups[group].likely_count_branch];
  for (std::size_t i = 0; i < shared.size(); ++i) {
    shared_[group].push_back({fallback.baskets.size(), shared[i].entries.count});
    fallback.baskets.push_back(likely.baskets[likely.baskets.size() - shared.size() + i]);
  }
}

// Some readers tell baskets by their places in the file, so that no two branches may have the same.
void TreeOutput::copy_shared_baskets(std::size_t group) {
  const ListGroup& lists = layout_.groups[group];
  const auto sealer_of = [&](std::size_t branch) {
    const BasketSealer::Names names{layout_.branches[branch].name, tree_.name};
    return BasketSealer(layout_.branches[branch], branch, names, tree_.compression);
  };
  const BasketSealer fallback = sealer_of(lists.count_branch), likely = sealer_of(*lists.likely_count_branch);
  WrittenBranch& branch = tree_.branches[lists.count_branch];
  BufferPool pool(1 << 20);
  std::vector<std::byte> record;
  for (const SharedBasket& shared : shared_[group]) {
    PlacedBasket& placed = branch.baskets[shared.number];
    record.resize(placed.bytes);
    file_.file().read(placed.offset, record);
    BasketRecord copy = fallback.adopt(likely, record, shared.num_entries, pool);
    placed.offset = file_.reserve_records(copy.size);
    placed.bytes = static_cast<std::uint32_t>(copy.size);
    copy.set_place(placed.offset, shared.number);
    file_.write_at(placed.offset, copy.bytes());
    branch.unpacked_bytes += copy.unpacked_size;
    branch.stored_bytes += copy.size;
    branch.largest_basket = std::max<std::uint64_t>(branch.largest_basket, copy.unpacked_size);
    ++num_baskets_;
  }
  shared_[group].clear();
}

// Without the fallbacks that were not needed.
WrittenTree TreeOutput::settled_tree(TreeLayout& layout) const {
  std::vector<std::size_t> kept;
  layout = settled(layout_, is_departed_, kept);
  WrittenTree tree = tree_;
  tree.branches.clear();
  for (const std::size_t branch : kept) tree.branches.push_back(tree_.branches[branch]);
  return tree;
}

void TreeOutput::write(const BasketJob& job) {
  std::vector<std::span<const std::byte>> pieces;
  pieces.reserve(job.baskets.size());
  for (const BasketRecord& basket : job.baskets) pieces.push_back(basket.bytes());
  file_.write_at(job.offset, pieces);
}

void TreeOutput::finish() {
  for (std::size_t group = 0; group < is_departed_.size(); ++group)
    if (is_departed_[group]) copy_shared_baskets(group);
  RootObject object;
  object.class_name = "TTree";
  object.name = path_;
  object.title = tree_.title;
  object.has_long_key = true;
  TreeLayout layout;
  const WrittenTree tree = settled_tree(layout);
  object.inner_classes = classes_in(layout);
  std::vector<std::byte> streamed = streamed_tree(layout, tree, long_key_size(object));
  if (streamed.size() > kObjectLimit)
    throw Error("the TTree \"" + path_ + "\" with " + std::to_string(num_baskets_) +
                " baskets is too large for a ROOT file: objects must be smaller than 1 GiB");
  set_payload(object, std::move(streamed), tree_.compression);
  file_.add_object(object);
}

}  // namespace skimline::io
