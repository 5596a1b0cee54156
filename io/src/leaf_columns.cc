// SPDX-License-Identifier: BSD-3-Clause
// The columns of plain branches: each of their leaves is one.
#include "column_list.h"
#include "leaf_decoders.h"

#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace skimline::io {
namespace {

// Sizes of items and entries fit into offsets.
constexpr std::uint64_t kMaxSize = std::numeric_limits<std::int32_t>::max();

struct LeafKind {
  std::string_view class_name, type_name, unsigned_type_name;
  ScalarType scalar, unsigned_scalar;
};

constexpr LeafKind kLeafKinds[] = {
    {"TLeafO", "Bool_t", "Bool_t", ScalarType::kBool, ScalarType::kBool},
    {"TLeafB", "Char_t", "UChar_t", ScalarType::kInt8, ScalarType::kUInt8},
    {"TLeafS", "Short_t", "UShort_t", ScalarType::kInt16, ScalarType::kUInt16},
    {"TLeafI", "Int_t", "UInt_t", ScalarType::kInt32, ScalarType::kUInt32},
    {"TLeafL", "Long64_t", "ULong64_t", ScalarType::kInt64, ScalarType::kUInt64},
    {"TLeafG", "Long_t", "ULong_t", ScalarType::kInt64, ScalarType::kUInt64},
    {"TLeafF", "Float_t", "Float_t", ScalarType::kFloat, ScalarType::kFloat},
    {"TLeafD", "Double_t", "Double_t", ScalarType::kDouble, ScalarType::kDouble},
    {"TLeafF16", "Float16_t", "Float16_t", ScalarType::kFloat, ScalarType::kFloat},
    {"TLeafD32", "Double32_t", "Double32_t", ScalarType::kDouble, ScalarType::kDouble},
};

// What a leaf holds.
struct LeafValues {
  std::string type_name;  // of one value
  StoredNumber number;
  bool is_string = false;
  std::uint64_t size = 0;  // bytes of one value, or of one element of the counter
};

std::optional<LeafValues> values_of(const TreeLeaf& leaf) {
  LeafValues values;
  if (leaf.class_name == "TLeafC") {
    values.type_name = "Char_t*";
    values.is_string = true;
    return values;
  }
  for (const LeafKind& kind : kLeafKinds) {
    if (leaf.class_name != kind.class_name) continue;
    values.type_name = leaf.is_unsigned ? kind.unsigned_type_name : kind.type_name;
    values.number.scalar = leaf.is_unsigned ? kind.unsigned_scalar : kind.scalar;
    if (leaf.class_name == "TLeafF16" || leaf.class_name == "TLeafD32")
      values.number = reduced_number(leaf.class_name == "TLeafF16", leaf.title);
    values.size = values.number.stored_size() * leaf.length;
    return values;
  }
  return std::nullopt;
}

std::vector<std::uint64_t> dimensions_of(const TreeLeaf& leaf) {
  if (leaf.dimensions.empty() && leaf.length != 1) return {leaf.length};
  return leaf.dimensions;
}

std::string type_name_of(const TreeDescriptor& tree, const TreeLeaf& leaf, const LeafValues& values) {
  std::string name = values.type_name;
  if (values.is_string) return name;
  if (leaf.counter) name += "[" + tree.leaves[*leaf.counter].name + "]";
  for (const std::uint64_t dimension : dimensions_of(leaf)) name += "[" + std::to_string(dimension) + "]";
  return name;
}

// Why no column can hold a leaf; empty if one can.
std::string problem_of(const TreeLeaf& leaf, const std::optional<LeafValues>& values) {
  if (!values) return "leaves of class " + leaf.class_name + " cannot be read";
  if (values->is_string) return {};
  if (leaf.length == 0 || leaf.length > kMaxSize / values->number.stored_size())
    return "has arrays of " + std::to_string(leaf.length) + " values";
  std::uint64_t product = 1;
  for (const std::uint64_t dimension : dimensions_of(leaf))
    product *= dimension == 0 || dimension > leaf.length ? 0 : dimension;
  if (product != leaf.length) return "has arrays whose dimensions contradict their length";
  const std::size_t depth = dimensions_of(leaf).size() + (leaf.counter ? 1 : 0);
  return depth > kMaxDepth ? depth_problem(depth) : "";
}

class LeafColumns {
 public:
  LeafColumns(const TreeDescriptor& tree, std::uint32_t number, ColumnList& list)
      : tree_(tree), number_(number), branch_(tree.branches[number]), list_(list) {
    for (const std::uint32_t leaf : branch_.leaves) values_.push_back(values_of(tree.leaves[leaf]));
  }

  void find() {
    for (std::size_t i = 0; i < branch_.leaves.size(); ++i) {
      const TreeLeaf& leaf = this->leaf(i);
      const std::string problem = problem_of(leaf, values_[i]);
      if (!problem.empty())
        list_.reject(name_of(i), values_[i] ? type_name_of(tree_, leaf, *values_[i]) : leaf.class_name,
                     problem);
      else
        add(i);
    }
  }

 private:
  const TreeLeaf& leaf(std::size_t i) const { return tree_.leaves[branch_.leaves[i]]; }
  std::string name_of(std::size_t i) const {
    return branch_.leaves.size() == 1 ? branch_.path : branch_.path + "." + leaf(i).name;
  }

  void add(std::size_t i) {
    const TreeLeaf& leaf = this->leaf(i);
    TreeColumn column;
    column.name = name_of(i);
    column.type_name = type_name_of(tree_, leaf, *values_[i]);
    column.description = description_of(tree_, branch_);
    column.branch = number_;
    if (branch_.leaves.size() == 1)
      decode_alone(leaf, *values_[i], column);
    else if (const auto place = place_of(i); place && !values_[i]->is_string)
      decode_part(i, *place, column);
    if (column.decoder == nullptr)
      list_.reject(column.name, column.type_name, "follows lists or strings in the same branch");
    else
      list_.add(std::move(column));
  }

  void decode_alone(const TreeLeaf& leaf, const LeafValues& values, TreeColumn& column) {
    column.type = flat(ScalarType::kString);
    if (values.is_string) {
      column.decoder = string_decoder();
      return;
    }
    const std::vector<std::uint64_t> dimensions = dimensions_of(leaf);
    column.type = type_of(values.number, dimensions, leaf.counter ? 1 : 0);
    if (!leaf.counter) {
      column.decoder = fixed_decoder(values.number, dimensions, {0, values.size});
      return;
    }
    column.counter = leaf.counter;
    column.bytes_per_element = values.size;
    column.decoder =
        list_decoder(values.number, ListHeader::kNone, dimensions.empty() ? 0 : dimensions.front());
  }

  void decode_part(std::size_t i, FixedPlace place, TreeColumn& column) {
    const std::vector<std::uint64_t> dimensions = dimensions_of(leaf(i));
    column.type = type_of(values_[i]->number, dimensions);
    column.decoder = fixed_decoder(values_[i]->number, dimensions, place);
  }

  // Where a leaf lies if all entries have the same size.
  std::optional<FixedPlace> place_of(std::size_t wanted) const {
    FixedPlace place;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (!values_[i] || values_[i]->is_string || leaf(i).counter) return std::nullopt;
      if (!problem_of(leaf(i), values_[i]).empty() && leaf(i).length > kMaxSize) return std::nullopt;
      if (i == wanted) place.offset = place.entry_size;
      place.entry_size += values_[i]->size;
      if (place.entry_size > kMaxSize) return std::nullopt;
    }
    return place;
  }

  const TreeDescriptor& tree_;
  std::uint32_t number_;
  const TreeBranch& branch_;
  ColumnList& list_;
  std::vector<std::optional<LeafValues>> values_;
};

}  // namespace

void find_leaf_columns(const TreeDescriptor& tree, std::uint32_t branch, ColumnList& list) {
  LeafColumns(tree, branch, list).find();
}

}  // namespace skimline::io
