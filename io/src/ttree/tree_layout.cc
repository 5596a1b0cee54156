// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/tree_layout.h"

#include "rntuple/output_schema.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <map>
#include <set>

namespace skimline::io {
namespace {

// In the order of ScalarType.
constexpr LeafType kLeafTypes[] = {
    {"TLeafO", 'O', "bool"},         {"TLeafB", 'B', "char"},           {"TLeafB", 'b', "unsigned char"},
    {"TLeafS", 'S', "short"},        {"TLeafS", 's', "unsigned short"}, {"TLeafI", 'I', "int"},
    {"TLeafI", 'i', "unsigned int"}, {"TLeafL", 'L', "Long64_t"},       {"TLeafL", 'l', "ULong64_t"},
    {"TLeafF", 'F', "float"},        {"TLeafD", 'D', "double"},
};

BranchKind kind_of(Type type) {
  if (type.scalar == ScalarType::kString)
    return type.depth == 0 ? BranchKind::kStrings : BranchKind::kVectors;
  return type.depth == 0 ? BranchKind::kNumbers : type.depth == 1 ? BranchKind::kLists : BranchKind::kVectors;
}

std::string leaf_list(const OutputBranch& branch, const std::string& counts) {
  if (branch.is_object()) return branch.name;
  const std::string size = branch.kind == BranchKind::kLists ? "[" + counts + "]" : "";
  return branch.name + size + "/" + leaf_type(branch.scalar).code;
}

class LayoutBuilder {
 public:
  LayoutBuilder(const Schema& schema, const std::set<std::string>& computed)
      : schema_(schema), computed_(computed), group_of_(schema.size()), branch_of_(schema.size()) {
    for (const ColumnInfo& column : schema.columns()) check(column);
  }

  TreeLayout build(const std::vector<Collection>& collections) && {
    for (const Collection& collection : collections) group(collection);
    for (std::size_t column = 0; column < schema_.size(); ++column) {
      const Type type = schema_[column].type;
      if (kind_of(type) == BranchKind::kLists && !group_of_[column])
        group({schema_[column].name, "", "", {schema_[column].name}});
    }
    for (std::size_t column = 0; column < schema_.size(); ++column) add(column);
    return std::move(layout_);
  }

 private:
  struct Counts {
    std::string name, title;
    std::optional<std::size_t> column;
    std::optional<std::size_t> likely_column{};
    bool is_added = false;
  };

  void check(const ColumnInfo& column) {
    if (const std::string problem = problem_in_branch(column.type); !problem.empty())
      throw SchemaError("\"" + column.name + "\" is a " + name_of(column.type) + ", which " + problem);
    const std::string name = with_underscores(column.name);
    if (!is_legal_name(name)) throw SchemaError("\"" + name + "\" cannot be the name of a branch");
    if (!names_.insert(name).second)
      throw SchemaError("two columns would be written as branch \"" + name + "\"");
  }

  // Not also a column whose name has underscores instead.
  std::optional<std::size_t> find(const std::string& name) const {
    const std::optional<std::size_t> column = schema_.find(name);
    return column && schema_[*column].name == name ? column : std::nullopt;
  }

  void group(const Collection& collection) {
    ListGroup group;
    for (const std::string& name : collection.columns) {
      const std::optional<std::size_t> column = find(name);
      if (!column || kind_of(schema_[*column].type) != BranchKind::kLists || group_of_[*column]) continue;
      group_of_[*column] = layout_.groups.size();
      group.columns.push_back(*column);
      group.item_bytes += size_of(schema_[*column].type.scalar);
    }
    if (group.columns.empty()) return;
    std::sort(group.columns.begin(), group.columns.end());
    counts_.push_back(counts_of(collection));
    if (!counts_.back().column) counts_.back().likely_column = likely_counts(collection.name, group);
    layout_.groups.push_back(std::move(group));
  }

  // The column "nMuon" probably has the sizes of "Muon_pt", as in NanoAOD: whether it has shows when all is
  // written.
  std::optional<std::size_t> likely_counts(const std::string& name, const ListGroup& group) const {
    for (std::size_t end = name.size(); end != std::string::npos && end > 0;
         end = name.find_last_of("._", end - 1)) {
      const std::optional<std::size_t> column = schema_.find("n" + name.substr(0, end));
      if (column && may_count(*column, group)) return column;
    }
    return std::nullopt;
  }

  // The fallback is of the same type, which must hold any size.
  bool may_count(std::size_t column, const ListGroup& group) const {
    const Type type = schema_[column].type;
    if (type.depth != 0 || !is_integer(type.scalar) || size_of(type.scalar) < sizeof(std::int32_t))
      return false;
    return std::all_of(group.columns.begin(), group.columns.end(), [&](std::size_t list) {
      return computed_.contains(schema_[list].name) == computed_.contains(schema_[column].name);
    });
  }

  Counts counts_of(const Collection& collection) {
    if (!collection.count.empty()) {
      const std::optional<std::size_t> column = find(collection.count);
      if (column && schema_[*column].type.depth == 0 && is_integer(schema_[*column].type.scalar) &&
          schema_[*column].type.scalar != ScalarType::kBool && !counted_by_.contains(*column)) {
        counted_by_[*column] = layout_.groups.size();
        return {with_underscores(schema_[*column].name), schema_[*column].description, column};
      }
    }
    std::string name = with_underscores(collection.count.empty() ? "n" + collection.name : collection.count);
    if (!is_legal_name(name)) throw SchemaError("\"" + name + "\" cannot be the name of a branch");
    while (!names_.insert(name).second) name += '_';
    return {name, collection.description, std::nullopt};
  }

  void add(std::size_t column) {
    if (branch_of_[column]) return;
    if (const auto counted = counted_by_.find(column); counted != counted_by_.end()) {
      add_counts(counted->second);
      branch_of_[column] = layout_.groups[counted->second].count_branch;
      return;
    }
    const ColumnInfo& info = schema_[column];
    OutputBranch branch;
    branch.name = with_underscores(info.name);
    branch.title = info.description;
    branch.kind = kind_of(info.type);
    branch.scalar = info.type.scalar;
    branch.depth = info.type.depth;
    branch.column = column;
    branch.group = group_of_[column];
    if (branch.group) add_counts(*branch.group);
    add(column, std::move(branch));
  }

  void add(std::optional<std::size_t> column, OutputBranch branch) {
    if (branch.title.empty())
      branch.title = leaf_list(branch, branch.group ? name_of_counts(*branch.group) : "");
    if (column) branch_of_[*column] = layout_.branches.size();
    layout_.branches.push_back(std::move(branch));
  }

  std::string name_of_counts(std::size_t group) const {
    const Counts& counts = counts_[group];
    return counts.likely_column ? with_underscores(schema_[*counts.likely_column].name) : counts.name;
  }

  void add_counts(std::size_t group) {
    if (counts_[group].is_added) return;
    counts_[group].is_added = true;
    const Counts& counts = counts_[group];
    OutputBranch branch;
    if (counts.likely_column) {
      add(*counts.likely_column);
      layout_.groups[group].likely_count_branch = branch_of_[*counts.likely_column];
      branch.scalar = schema_[*counts.likely_column].type.scalar;
      branch.is_fallback = true;
    }
    layout_.groups[group].count_branch = layout_.branches.size();
    branch.name = counts.name;
    branch.title = counts.title;
    if (counts.column) branch.scalar = schema_[*counts.column].type.scalar;
    branch.column = counts.column;
    branch.group = group;
    branch.is_count = true;
    add(counts.column, std::move(branch));
  }

  const Schema& schema_;
  const std::set<std::string>& computed_;
  TreeLayout layout_;
  std::vector<std::optional<std::size_t>> group_of_;   // by column
  std::vector<std::optional<std::size_t>> branch_of_;  // by column, once it is added
  std::vector<Counts> counts_;                         // by group
  std::map<std::size_t, std::size_t> counted_by_;      // column of counts to group
  std::set<std::string> names_;
};

}  // namespace

const LeafType& leaf_type(ScalarType scalar) { return kLeafTypes[static_cast<std::size_t>(scalar)]; }

TreeLayout make_tree_layout(const Schema& schema, const std::vector<Collection>& collections,
                            const std::set<std::string>& computed) {
  return LayoutBuilder(schema, computed).build(collections);
}

TreeLayout settled(const TreeLayout& layout, const std::vector<bool>& is_departed,
                   std::vector<std::size_t>& kept) {
  TreeLayout left;
  left.groups = layout.groups;
  std::vector<std::size_t> number(layout.branches.size());
  for (std::size_t i = 0; i < layout.branches.size(); ++i) {
    const OutputBranch& branch = layout.branches[i];
    if (branch.is_fallback && !is_departed[*branch.group]) continue;
    number[i] = left.branches.size();
    kept.push_back(i);
    left.branches.push_back(branch);
  }
  for (std::size_t group = 0; group < left.groups.size(); ++group) {
    ListGroup& lists = left.groups[group];
    if (lists.likely_count_branch && !is_departed[group]) {
      lists.count_branch = *lists.likely_count_branch;
      OutputBranch& counts = left.branches[number[lists.count_branch]];
      counts.is_count = true;
      if (!counts.group) counts.group = group;
    }
    lists.count_branch = number[lists.count_branch];
  }
  for (OutputBranch& branch : left.branches) {
    if (branch.kind != BranchKind::kLists || !is_departed[*branch.group]) continue;
    const ListGroup& lists = left.groups[*branch.group];
    const std::string& likely = layout.branches[*lists.likely_count_branch].name;
    if (branch.title == leaf_list(branch, likely))
      branch.title = leaf_list(branch, left.branches[lists.count_branch].name);
  }
  return left;
}

std::string problem_in_branch(Type type) {
  if (type.scalar == ScalarType::kLorentzVector)
    return "a file cannot hold: write its pt(), eta(), phi() and mass() instead";
  return {};
}

}  // namespace skimline::io
