// SPDX-License-Identifier: BSD-3-Clause
// The columns of plain branches: each of their leaves is one.
#include "ttree/column_list.h"
#include "ttree/leaf_decoders.h"
#include "ttree/leaf_title.h"
#include "ttree/streamed_decoder.h"

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace skimline::io {
namespace {

// Sizes of items and entries fit into offsets.
constexpr std::uint64_t kMaxLeafSize = std::numeric_limits<std::int32_t>::max();

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

// Why the size of a leaf is not known; empty if it is.
std::string size_problem_of(const TreeLeaf& leaf, const std::optional<LeafValues>& values) {
  if (!values) return "leaves of class " + leaf.class_name + " cannot be read";
  if (values->is_string) return {};
  if (leaf.length == 0 || leaf.length > kMaxLeafSize / values->number.stored_size())
    return "has arrays of " + std::to_string(leaf.length) + " values";
  std::uint64_t product = 1;
  for (const std::uint64_t dimension : dimensions_of(leaf))
    product *= dimension == 0 || dimension > leaf.length ? 0 : dimension;
  return product != leaf.length ? "has arrays whose dimensions contradict their length" : "";
}

// Why no column can hold a leaf; empty if one can.
std::string problem_of(const TreeLeaf& leaf, const std::optional<LeafValues>& values) {
  std::string problem = size_problem_of(leaf, values);
  if (!problem.empty() || values->is_string) return problem;
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
    if (branch_.leaves.size() > 1 && !have_equal_entries()) return find_walked();
    for (std::size_t i = 0; i < branch_.leaves.size(); ++i) {
      const TreeLeaf& leaf = this->leaf(i);
      const std::string problem = problem_of(leaf, values_[i]);
      if (!problem.empty())
        list_.reject(number_, name_of(i),
                     values_[i] ? type_name_of(tree_, leaf, *values_[i]) : leaf.class_name, problem);
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
    else
      decode_part(i, column);
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
    column.decoder = list_decoder(values.number, ListHeader::kNone, dimensions);
  }

  void decode_part(std::size_t i, TreeColumn& column) const {
    FixedPlace place;
    for (std::size_t k = 0; k < values_.size(); ++k) {
      if (k == i) place.offset = place.entry_size;
      place.entry_size += values_[k]->size;
    }
    const std::vector<std::uint64_t> dimensions = dimensions_of(leaf(i));
    column.type = type_of(values_[i]->number, dimensions);
    column.decoder = fixed_decoder(values_[i]->number, dimensions, place);
  }

  // Whether all entries have the same, known size.
  bool have_equal_entries() const {
    std::uint64_t size = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const bool is_known = values_[i] && !values_[i]->is_string && !leaf(i).counter;
      if (!is_known || values_[i]->size == 0 ||
          values_[i]->size / values_[i]->number.stored_size() != leaf(i).length)
        return false;
      if (values_[i]->size > kMaxLeafSize - size) return false;
      size += values_[i]->size;
    }
    return true;
  }

  // Lists and strings move what is behind them.
  void find_walked() {
    const auto entry = std::make_shared<const StreamedValue>(whole_entry());
    for (const StreamedPart& part : parts_of(*entry)) {
      TreeColumn column;
      column.name = branch_.path + part.name;
      column.type_name = part.type_name;
      if (!part.problem.empty()) {
        list_.reject(number_, column.name, column.type_name, part.problem);
        continue;
      }
      column.type = part.type;
      column.description = description_of(tree_, branch_);
      column.branch = number_;
      column.decoder = streamed_decoder(entry, part);
      list_.add(std::move(column));
    }
  }

  StreamedValue whole_entry() const {
    StreamedValue entry;
    entry.kind = StreamedValue::Kind::kObject;
    entry.type_name = branch_.path;
    entry.has_header = false;
    int num_slots = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      StreamedValue part = part_of_entry(i, entry, num_slots);
      part.name = leaf(i).name;
      part.type_name = values_[i] ? type_name_of(tree_, leaf(i), *values_[i]) : leaf(i).class_name;
      entry.parts.push_back(std::move(part));
    }
    entry.is_walked_to_its_end = has_known_ends(entry);
    return entry;
  }

  StreamedValue part_of_entry(std::size_t i, StreamedValue& entry, int& num_slots) const {
    StreamedValue part;
    const TreeLeaf& leaf = this->leaf(i);
    part.problem = size_problem_of(leaf, values_[i]);
    if (!part.problem.empty()) return part;
    if (values_[i]->is_string) {
      part.kind = StreamedValue::Kind::kString;
      const std::optional<std::uint64_t> bytes_behind = fixed_bytes_behind(i);
      part.may_be_missing = bytes_behind.has_value();
      part.bytes_behind = bytes_behind.value_or(0);
      return part;
    }
    part.kind = StreamedValue::Kind::kNumbers;
    part.number = values_[i]->number;
    part.length = leaf.length;
    part.dimensions = dimensions_of(leaf);
    if (leaf.counter) connect_counter(*leaf.counter, entry, num_slots, part);
    return part;
  }

  // Those that all entries have of the leaves behind one.
  std::optional<std::uint64_t> fixed_bytes_behind(std::size_t i) const {
    std::uint64_t bytes = 0;
    for (std::size_t k = i + 1; k < values_.size(); ++k) {
      const bool is_fixed = values_[k] && !values_[k]->is_string && !leaf(k).counter;
      if (!is_fixed || !size_problem_of(leaf(k), values_[k]).empty()) return std::nullopt;
      bytes += values_[k]->size;
    }
    return bytes;
  }

  void connect_counter(std::uint32_t counter, StreamedValue& entry, int& num_slots,
                       StreamedValue& part) const {
    part.kind = StreamedValue::Kind::kCounted;
    for (std::size_t i = 0; i < entry.parts.size(); ++i) {
      StreamedValue& other = entry.parts[i];
      if (branch_.leaves[i] != counter || !other.is_number() || !is_integer(other.number.scalar)) continue;
      if (other.slot < 0 && num_slots < kMaxSlots) other.slot = num_slots++;
      part.slot = other.slot;
    }
    if (part.slot >= 0) return;
    part.kind = StreamedValue::Kind::kUnknown;
    part.problem = "its size is in another branch";
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
