// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/tree_metadata.h"

#include "root/named_objects.h"
#include "root/streamer_info_reader.h"
#include "ttree/cluster_begins.h"
#include "ttree/tree_object.h"
#include "ttree/tree_outline.h"

#include "skimline/io/format_error.h"
#include "skimline/io/input_file.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace skimline::io {
namespace {

constexpr std::size_t kMaxBranchDepth = 60;
// Every path repeats those of its parents.
constexpr std::size_t kMaxPath = 4000;

// Without dimensions, and without the dot at its end that says how children are called.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t bracket = std::min(name.find('[', begin), name.size());
    const std::size_t end = name.find(']', bracket);
    plain += name.substr(begin, bracket - begin);
    if (end == std::string_view::npos) {
      plain += name.substr(bracket);
      break;
    }
    begin = end + 1;
  }
  while (!plain.empty() && plain.back() == '.') plain.pop_back();
  return plain;
}

// Whether the letter in the title of a branch, "x/i", says something else about the sign of its only leaf
// than the leaf does.
bool contradicts(std::string_view branch_title, const TreeLeaf& leaf) {
  constexpr std::string_view kSigned = "BSILG", kUnsigned = "bsilg";
  if (branch_title.size() < 2 || branch_title[branch_title.size() - 2] != '/') return false;
  const std::string_view name = branch_title.substr(0, branch_title.size() - 2);
  if (name != leaf.title && name != leaf.name) return false;
  const char letter = branch_title.back();
  return (leaf.is_unsigned ? kSigned : kUnsigned).find(letter) != std::string_view::npos;
}

bool is_at_or_below(std::string_view name, std::string_view parent) {
  return !parent.empty() && name.starts_with(parent) &&
         (name.size() == parent.size() || name[parent.size()] == '.');
}

// Brings what refers by place into an order, parents before their children, and refers by number.
class TreeBuilder {
 public:
  explicit TreeBuilder(StoredTree& stored) : stored_(stored) {}

  void build(TreeDescriptor& tree) {
    tree_ = &tree;
    for (const Place place : stored_.branches) add_branch(place, std::nullopt, 0);
    resolve_counters();
    for (std::size_t i = 0; i < branches_.size(); ++i)
      if (!branches_[i].problem.empty()) tree.branch_data[i].baskets.clear();
    tree.branches = SharedList(std::move(branches_));
    tree.leaves = SharedList(std::move(leaves_));
  }

 private:
  struct Pending {
    std::uint32_t number;
    Place place;
  };

  void add_branch(Place place, std::optional<std::uint32_t> parent, std::size_t depth) {
    const auto found = stored_.all_branches.find(place);
    // One that is listed twice stays where it was first.
    if (found == stored_.all_branches.end() || branch_numbers_.contains(place)) return;
    if (depth > kMaxBranchDepth) throw FormatError("branches lie too deeply in each other");
    StoredBranch stored = std::move(found->second);
    const auto number = static_cast<std::uint32_t>(branches_.size());
    branch_numbers_.emplace(place, number);
    stored.branch.parent = parent;
    branches_.push_back(std::move(stored.branch));
    tree_->branch_data.push_back(std::move(stored.data));
    set_path(number);
    if (stored.count_branch != kNoPlace) count_branches_.push_back({number, stored.count_branch});
    for (const Place leaf : stored.leaves) add_leaf(leaf, number);
    for (const Place child : stored.children) add_branch(child, number, depth + 1);
  }

  void add_leaf(Place place, std::uint32_t branch) {
    const auto found = stored_.all_leaves.find(place);
    if (found == stored_.all_leaves.end() || leaf_numbers_.contains(place)) return;
    const auto number = static_cast<std::uint32_t>(leaves_.size());
    leaf_numbers_.emplace(place, number);
    TreeLeaf& leaf = leaves_.emplace_back(std::move(found->second.leaf));
    tree_->leaf_data.push_back(found->second.data);
    leaf.branch = branch;
    branches_[branch].leaves.push_back(number);
    set_problem(branch, found->second.problem);
    if (contradicts(branches_[branch].title, leaf))
      set_problem(branch, "its title says \"" + branches_[branch].title + "\", and leaf \"" + leaf.name +
                              "\" that its values are " + (leaf.is_unsigned ? "unsigned" : "signed"));
    if (found->second.counter != kNoPlace) counters_.push_back({number, found->second.counter});
  }

  // Children carry the names of their parents, or of some of them, in front of their own, or do not.
  void set_path(std::uint32_t number) {
    TreeBranch& branch = branches_[number];
    const std::string name = names_.emplace_back(plain_name(branch.name));
    std::string path = name;
    bool is_below_another = !branch.parent;
    for (auto parent = branch.parent; parent && !is_below_another; parent = branches_[*parent].parent)
      if (is_at_or_below(name, names_[*parent])) {
        path = branches_[*parent].path + name.substr(names_[*parent].size());
        is_below_another = true;
      }
    if (!is_below_another) path = branches_[*branch.parent].path + "." + name;
    if (branch.parent && path.size() > kMaxPath) {
      path = name;
      set_problem(number, "its path is too long");
    }
    branch.path = std::move(path);
  }

  void resolve_counters() {
    for (const Pending& pending : counters_) {
      TreeLeaf& leaf = leaves_[pending.number];
      if (const auto found = leaf_numbers_.find(pending.place); found != leaf_numbers_.end())
        leaf.counter = found->second;
      else
        set_problem(leaf.branch, "the counter of leaf \"" + leaf.name + "\" is not in the tree");
    }
    for (const Pending& pending : count_branches_) {
      const auto found = branch_numbers_.find(pending.place);
      if (found != branch_numbers_.end()) branches_[pending.number].count_branch = found->second;
    }
  }

  void set_problem(std::uint32_t branch, std::string problem) {
    std::string& known = branches_[branch].problem;
    if (known.empty()) known = std::move(problem);
  }

  StoredTree& stored_;
  TreeDescriptor* tree_ = nullptr;
  std::vector<TreeBranch> branches_;
  std::vector<TreeLeaf> leaves_;
  std::vector<std::string> names_;  // of the branches, without dimensions
  std::unordered_map<Place, std::uint32_t> branch_numbers_;
  std::unordered_map<Place, std::uint32_t> leaf_numbers_;
  std::vector<Pending> counters_;
  std::vector<Pending> count_branches_;
};

TreeDescriptor describe(const RootFile& file, const RootKey& key, std::uint64_t file_size,
                        TreeOutline* outline) {
  TreeDescriptor tree;
  tree.path = key.path;
  tree.object = file.read_object(key, &tree.is_object_verified);
  tree.classes = std::make_shared<const ClassLayouts>(read_class_layouts(file));
  StoredTree stored =
      parse_tree({key.class_name, tree.object, key.key_size, file_size}, *tree.classes, outline);
  tree.name = std::move(stored.name);
  tree.title = std::move(stored.title);
  tree.num_entries = stored.num_entries;
  tree.friends = std::move(stored.friends);
  tree.aliases = std::move(stored.aliases);
  tree.index = std::move(stored.index);
  tree.weight = stored.weight;
  tree.other_parts = std::move(stored.other_parts);
  tree.cluster_begins = cluster_begins(stored.cluster_ranges, stored.last_cluster_size, stored.num_entries);
  TreeBuilder(stored).build(tree);
  return tree;
}

TreeDescriptor read_tree(const RootFile& file, std::string_view path, TreeOutline* outline) {
  return read_named_object(file, path, "tree", [&](const RootKey& key) {
    if (!is_tree_class(key.class_name)) throw FormatError("is of class " + key.class_name + ", not a tree");
    TreeDescriptor tree = describe(file, key, file.input().size(), outline);
    tree.path = path;  // as it was asked for, with its cycle
    return tree;
  });
}

}  // namespace

bool is_tree_class(std::string_view class_name) {
  return class_name == "TTree" || class_name == "TNtuple" || class_name == "TNtupleD";
}

std::vector<std::string> tree_names(const RootFile& file) { return paths_of_objects(file, is_tree_class); }

TreeDescriptor read_tree(const RootFile& file, std::string_view path) {
  return read_tree(file, path, nullptr);
}

TreeDescriptor read_outlined_tree(const RootFile& file, std::string_view path, TreeOutline& outline) {
  return read_tree(file, path, &outline);
}

TreeDescriptor read_outlined_tree(const RootFile& file, const RootKey& key, TreeOutline& outline) {
  return describe(file, key, std::numeric_limits<std::uint64_t>::max(), &outline);
}

}  // namespace skimline::io
