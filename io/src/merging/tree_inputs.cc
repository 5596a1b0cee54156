// SPDX-License-Identifier: BSD-3-Clause
#include "merging/tree_inputs.h"

#include "storage/ordered_pipeline.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/framework/several_problems.h"
#include "skimline/io/root_file.h"
#include "skimline/io/tree_metadata.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace skimline::io {
namespace {

// Metadata of so many baskets are kept from the first reading to the second: 64 MiB or so.
constexpr std::uint64_t kKeptBaskets = 1 << 20;
// Leaves and names of a branch take as much as so many baskets.
constexpr std::uint64_t kBranchInBaskets = 20;

std::uint64_t baskets_of(const TreeDescriptor& tree) {
  return std::accumulate(
      tree.branch_data.begin(), tree.branch_data.end(), std::uint64_t{0},
      [](std::uint64_t sum, const BranchData& branch) { return sum + branch.baskets.size(); });
}

std::uint64_t memory_of(const TreeDescriptor& tree) {
  return baskets_of(tree) + kBranchInBaskets * tree.branches.size();
}

struct ReadTree {
  std::shared_ptr<TreeInput> input;
  std::string uuid;
};

bool has_embedded(const TreeDescriptor& tree) {
  return std::any_of(tree.branch_data.begin(), tree.branch_data.end(), [](const BranchData& branch) {
    return std::any_of(branch.baskets.begin(), branch.baskets.end(),
                       [](const TreeBasket& basket) { return basket.is_embedded; });
  });
}

// Entries of a friend with an index are found by their values, wherever they are.
std::string uneven_friend(const RootFile& file, const TreeDescriptor& tree) {
  for (const TreeFriend& other : tree.friends) {
    const RootKey* key = other.path.empty() ? file.find(other.tree) : nullptr;
    if (key == nullptr || !is_tree_class(key->class_name)) continue;
    const TreeDescriptor found = read_tree(file, other.tree);
    if (!found.index && found.num_entries != tree.num_entries) return other.alias;
  }
  return {};
}

ReadTree read_input_tree(const std::string& path, const std::string& tree) {
  const RootFile file(path);
  ReadTree read{std::make_shared<TreeInput>(), file.uuid()};
  read.input->tree = read_tree(file, tree);
  read.input->uneven_friend = uneven_friend(file, read.input->tree);
  read.input->classes = stored_classes(read.input->tree);
  read.input->tree.classes.reset();
  if (!has_embedded(read.input->tree)) read.input->tree.object = {};
  read.input->file = std::make_unique<InputFile>(path);
  read.input->file->release();
  return read;
}

// What the key of an object adds to numbers of processes.
std::uint16_t offset_of_key(const RootFile& file, const RootKey& key) {
  std::vector<std::byte> front(key.key_size);
  file.input().read(key.offset, front);
  return process_offset(front);
}

// Whether entries of the index of a tree come in the order that lookups need.
bool is_below(const TreeIndex& index, std::size_t a, std::size_t b) {
  return std::pair(index.major_values[a], index.minor_values[a]) <
         std::pair(index.major_values[b], index.minor_values[b]);
}

void sort_index(TreeIndex& index) {
  std::vector<std::size_t> order(index.entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return is_below(index, a, b); });
  const TreeIndex old = index;
  for (std::size_t i = 0; i < order.size(); ++i) {
    index.major_values[i] = old.major_values[order[i]];
    index.minor_values[i] = old.minor_values[order[i]];
    index.entries[i] = old.entries[order[i]];
  }
}

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

std::vector<std::uint64_t> TreeInput::cluster_entries() const {
  std::vector<std::uint64_t> entries;
  for (std::size_t i = 0; i < tree.cluster_begins.size(); ++i)
    entries.push_back((i + 1 < tree.cluster_begins.size() ? tree.cluster_begins[i + 1] : tree.num_entries) -
                      tree.cluster_begins[i]);
  return entries;
}

void TreeInputs::add(std::vector<InputOfEntries> files) {
  const std::size_t num_before = inputs_.size();
  for (InputOfEntries& added : files) {
    Input& input = inputs_.emplace_back();
    input.file = std::move(added.file);
    input.processes = added.processes;
  }
  const auto read = [&](std::size_t number) {
    Input& input = inputs_[number];
    ReadTree found = read_input_tree(input.file, path_);
    input.read = std::move(found.input);
    input.read->processes = input.processes;
    input.uuid = std::move(found.uuid);
  };
  run_numbers_in_order(num_before, inputs_.size(), options_.stop, read,
                       [&](std::size_t number) { note(number); });
  if (whole_.index) sort_index(*whole_.index);
}

void TreeInputs::begin_whole(const Input& input) {
  const RootFile file(input.file);
  pattern_ = read_outlined_tree(file, path_, outline_);
  const RootKey& key = *file.find(path_);
  class_name_ = key.class_name;
  if (input.processes.matters()) process_offset_ = input.processes.of(offset_of_key(file, key));
  differences_.begin(pattern_, input.file);
  begin_whole();
}

// After the pattern.
void TreeInputs::begin_whole() {
  pattern_.classes.reset();
  has_pattern_ = true;
  for (BranchData& branch : pattern_.branch_data) branch.baskets.clear();
  whole_.branches.resize(pattern_.branches.size());
  whole_.have_entries.resize(pattern_.branches.size());
  whole_.index = pattern_.index;
  if (whole_.index) *whole_.index = {pattern_.index->major, pattern_.index->minor, {}, {}, {}};
  for (const BranchData& branch : pattern_.branch_data) whole_.largest_counts.push_back(branch.maximum);
  for (const LeafData& leaf : pattern_.leaf_data)
    whole_.leaves.push_back({leaf.minimum, leaf.maximum, leaf.text_room});
  if (!options_.compression) return;
  whole_.compression = options_.compression->root_number();
}

void TreeInputs::take(TreeDescriptor pattern, TreeOutline outline, std::shared_ptr<TreeInput> input) {
  pattern_ = std::move(pattern);
  outline_ = std::move(outline);
  class_name_ = std::move(input->class_name);
  begin_whole();
  input->branches.resize(input->tree.branches.size());
  std::iota(input->branches.begin(), input->branches.end(), 0U);
  add_ranges(*input);
  Input& own = inputs_.emplace_back();
  own.file = input->file->path();
  own.num_entries = input->tree.num_entries;
  num_baskets_ = own.num_baskets = baskets_of(input->tree);
  own.read = std::move(input);
}

void TreeInputs::note(std::size_t number) {
  Input& input = inputs_[number];
  TreeInput& read = *input.read;
  const TreeDescriptor& tree = read.tree;
  const bool is_nothing = tree.branches.empty() && tree.num_entries == 0;
  const bool is_pattern = !has_pattern_ && (!is_nothing || number + 1 == inputs_.size());
  if (is_pattern) begin_whole(input);
  input.first_entry = read.first_entry = whole_.num_entries;
  input.num_entries = tree.num_entries;
  input.num_baskets = baskets_of(tree);
  if (!is_nothing) {
    read.branches = differences_.compare(tree, input.file);
    if (differences_.empty()) note_bits(read, is_pattern);
    // Of thousands of files they would take more than all else that is kept.
    differences_.compare_classes(std::exchange(read.classes, {}), input.file);
    if (tree.num_entries > 0) check_friend_before(read);
    if (differences_.empty()) add_ranges(read);
  }
  num_baskets_ += input.num_baskets;
  num_kept_baskets_ += memory_of(tree);
  if (num_kept_baskets_ > kKeptBaskets || has_embedded(tree)) input.read.reset();
  if (!options_.allows_copies) copies_.check(input.file, input.uuid, input.num_entries);
}

// Of most branches all files say the same: it need not be read again.
void TreeInputs::note_bits(const TreeInput& read, bool is_pattern) {
  for (std::size_t i = 0; i < read.tree.branches.size(); ++i) {
    const TreeBranch& branch = read.tree.branches[i];
    if (is_pattern || branch.title != pattern_.branches[read.branches[i]].title)
      bits_.add(branch.path, branch.title, read.file->path());
  }
}

void TreeInputs::check_friend_before(const TreeInput& read) {
  const auto& [alias, file] = uneven_friend_;
  if (!alias.empty()) differences_.note_friend_of_other_length(alias, file);
  uneven_friend_ = {read.uneven_friend, read.file->path()};
}

void TreeInputs::add_ranges(const TreeInput& read) {
  const TreeDescriptor& tree = read.tree;
  add_index(read);
  append(whole_.cluster_entries, read.cluster_entries());
  whole_.num_entries += tree.num_entries;
  for (std::size_t i = 0; i < tree.branches.size(); ++i) {
    if (tree.branch_data[i].num_entries > 0) whole_.have_entries[read.branches[i]] = true;
    std::int64_t& largest = whole_.largest_counts[read.branches[i]];
    largest = std::max(largest, tree.branch_data[i].maximum);
    const std::vector<std::uint32_t>& leaves = tree.branches[i].leaves;
    for (std::size_t j = 0; j < leaves.size(); ++j) {
      LeafRange& range = whole_.leaves[pattern_.branches[read.branches[i]].leaves[j]];
      const LeafData& leaf = tree.leaf_data[leaves[j]];
      range.minimum = std::min(range.minimum, leaf.minimum);
      range.maximum = std::max(range.maximum, leaf.maximum);
      range.text_room = std::max(range.text_room, leaf.text_room);
    }
  }
}

// Sorted once all are there.
void TreeInputs::add_index(const TreeInput& read) {
  if (!whole_.index) return;
  TreeIndex& index = *whole_.index;
  append(index.major_values, read.tree.index->major_values);
  append(index.minor_values, read.tree.index->minor_values);
  for (const std::int64_t entry : read.tree.index->entries) {
    if (entry < 0 || static_cast<std::uint64_t>(entry) >= read.tree.num_entries)
      throw FileError(read.file->path(), "tree \"" + path_ + "\": its index leads to entry " +
                                             std::to_string(entry) + " of " +
                                             std::to_string(read.tree.num_entries) +
                                             "; \"skimline recover\" writes it without the index");
    index.entries.push_back(entry + static_cast<std::int64_t>(whole_.num_entries));
  }
}

void TreeInputs::check() const {
  if (differences_.empty()) return;
  throw SeveralProblems<SchemaError>(
      "TTree \"" + path_ + "\" cannot be merged:", differences_.sentences(),
      "The branches of trees must be equal; --exclude leaves the tree out, and \"skimline "
      "convert\" writes what the files have in common as an RNTuple");
}

std::shared_ptr<const TreeInput> TreeInputs::next() {
  if (next_ == inputs_.size()) return nullptr;
  Input& input = inputs_[next_++];
  if (input.read) return std::exchange(input.read, nullptr);
  std::shared_ptr<TreeInput> read = read_input_tree(input.file, path_).input;
  const bool is_nothing = read->tree.branches.empty() && read->tree.num_entries == 0;
  if (!is_nothing) read->branches = differences_.compare(read->tree, input.file);
  if (read->tree.num_entries != input.num_entries || baskets_of(read->tree) != input.num_baskets ||
      !differences_.empty())
    throw FileError(input.file, "changed while it was being read", FileFault::kUnavailable);
  read->first_entry = input.first_entry;
  read->processes = input.processes;
  return read;
}

}  // namespace skimline::io
