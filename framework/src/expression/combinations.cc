// SPDX-License-Identifier: BSD-3-Clause
// Combinations of elements of one list or of several, in the order of ROOT 6.40's VecOps.
#include "expression/combinations.h"

#include "expression/conversions.h"
#include "expression/function_registry.h"
#include "expression/list_layout.h"
#include "expression/moved_value.h"
#include "expression/subsets.h"

#include <algorithm>
#include <array>
#include <string>

namespace skimline {
namespace {

using Index = std::uint64_t;

// Beyond this number of members, no list has few enough combinations to be useful.
constexpr Index kMaxMembers = 16;

Index* write_pairs(Index size, Index member, Index* out) {
  for (Index i = 0; i + 1 < size; ++i) {
    if (member == 0)
      out = std::fill_n(out, size - 1 - i, i);
    else
      for (Index j = i + 1; j < size; ++j) *out++ = j;
  }
  return out;
}

Index* write_triples(Index size, Index member, Index* out) {
  for (Index i = 0; i + 2 < size; ++i) {
    const Index rest = size - 1 - i;
    if (member == 0) {
      out = std::fill_n(out, rest * (rest - 1) / 2, i);
      continue;
    }
    Index* const first = out;
    out = write_pairs(rest, member - 1, out);
    for (Index* place = first; place < out; ++place) *place += i + 1;
  }
  return out;
}

// Member `member` of every ascending choice of `count` out of `size` elements, in lexical order.
Index* write_subsets(Index size, Index count, Index member, Index* out) {
  if (count == 2) return write_pairs(size, member, out);
  if (count == 3) return write_triples(size, member, out);
  std::array<Index, kMaxMembers> chosen{};
  for (Index k = 0; k < count; ++k) chosen[k] = k;
  while (true) {
    *out++ = chosen[member];
    Index last = count;
    while (last > 0 && chosen[last - 1] == size - count + last - 1) --last;
    if (last == 0) return out;
    ++chosen[last - 1];
    for (Index k = last; k < count; ++k) chosen[k] = chosen[k - 1] + 1;
  }
}

// The combinations of one entry: how many there are, and each member of all of them.
class Subsets {
 public:
  static constexpr std::size_t kNumInputs = 2;
  explicit Subsets(std::span<const ColumnView> inputs)
      : offsets_(inputs[0].offsets), count_(*inputs[1].data<Index>()), allows_none_(allows_none(inputs[1])) {}

  std::size_t num_members() const { return count_; }
  Index number(std::size_t entry) const {
    if (!allows_none_) check_can_combine(entry, size(entry), count_);
    return num_subsets(size(entry), count_, ListLayout::kMaxListSize);
  }
  // Members `first` to before `last`, the same ones in every call.
  Index* write(std::size_t entry, Index first, Index last, Index* out) {
    const Index elements = size(entry);
    if (elements < count_) return out;
    const Index* const known = elements < kMaxKept ? written_[elements] : nullptr;
    if (known)
      return std::copy_n(known, (last - first) * num_subsets(elements, count_, ListLayout::kMaxListSize),
                         out);
    if (elements < kMaxKept) written_[elements] = out;
    for (Index member = first; member < last; ++member) out = write_subsets(elements, count_, member, out);
    return out;
  }

 private:
  Index size(std::size_t entry) const { return offsets_[entry + 1] - offsets_[entry]; }

  // Lists of equal sizes have equal combinations: where those of each size are.
  static constexpr Index kMaxKept = 64;

  const std::uint32_t* offsets_;
  Index count_;
  bool allows_none_;
  std::array<const Index*, kMaxKept> written_{};
};

// One element of each of `kCount` lists, or of as many ranges whose sizes are given.
template <std::size_t kCount>
class Products {
 public:
  static constexpr std::size_t kNumInputs = kCount;
  explicit Products(std::span<const ColumnView> inputs) : inputs_(inputs) {}

  std::size_t num_members() const { return kCount; }
  Index number(std::size_t entry) const {
    Index number = 1;
    // Sizes fit in 32 bits and the number before the last product in the limit, so this cannot overflow.
    for (const Index size : sizes(entry))
      if (number <= ListLayout::kMaxListSize || size == 0) number *= size;
    return number;
  }
  Index* write(std::size_t entry, Index first, Index last, Index* out) const {
    for (Index member = first; member < last; ++member) out = write_member(entry, member, out);
    return out;
  }

 private:
  Index* write_member(std::size_t entry, Index member, Index* out) const {
    const std::array<Index, kCount> all = sizes(entry);
    if (std::find(all.begin(), all.end(), Index{0}) != all.end()) return out;
    Index before = 1, after = 1;
    for (std::size_t k = 0; k < kCount; ++k) (k < member ? before : after) *= k == member ? 1 : all[k];
    for (Index repeat = 0; repeat < before; ++repeat)
      for (Index i = 0; i < all[member]; ++i) out = std::fill_n(out, after, i);
    return out;
  }

  std::array<Index, kCount> sizes(std::size_t entry) const {
    std::array<Index, kCount> all;
    for (std::size_t k = 0; k < kCount; ++k) all[k] = size(inputs_[k], entry);
    return all;
  }
  static Index size(const ColumnView& input, std::size_t entry) {
    if (input.type.is_jagged()) return input.offsets[entry + 1] - input.offsets[entry];
    const std::int64_t number = FlatValues<std::int64_t>(input)[entry];
    if (number < 0) throw EntryFault{entry, "combinations of " + std::to_string(number) + " elements"};
    return std::min(static_cast<Index>(number), ListLayout::kMaxListSize + 1);
  }

  std::span<const ColumnView> inputs_;
};

template <typename Combined>
ColumnView all_members(const KernelCall& call) {
  Combined combined(call.inputs);
  const std::size_t members = combined.num_members();
  ListLayout lists(call.results.offsets, call.length);
  ListLayout layout(call.results.inner_offsets, call.length * members);
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    const Index number = combined.number(entry);
    lists.add(entry, members);
    for (std::size_t member = 0; member < members; ++member) layout.add(entry, number);
  }
  Index* out = call.results.values.reserve<Index>(layout.num_elements());
  for (std::size_t entry = 0; entry < call.length; ++entry) out = combined.write(entry, 0, members, out);
  return {call.type, call.length, call.results.values.data(), lists.offsets(), false, layout.offsets()};
}

template <typename Combined>
ColumnView one_member(const KernelCall& call) {
  Combined combined(call.inputs);
  const auto member = static_cast<Index>(*call.inputs[Combined::kNumInputs].template data<std::int64_t>());
  ListLayout layout(call.results.offsets, call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry) layout.add(entry, combined.number(entry));
  Index* const result = call.results.values.reserve<Index>(layout.num_elements());
  Index* out = result;
  for (std::size_t entry = 0; entry < call.length; ++entry)
    out = combined.write(entry, member, member + 1, out);
  return list_result(call, result, layout.offsets());
}

struct Family {
  ColumnKernel all;
  ColumnKernel one;
};
constexpr Family kFamilies[] = {
    {all_members<Subsets>, one_member<Subsets>},
    {all_members<Products<2>>, one_member<Products<2>>},
    {all_members<Products<3>>, one_member<Products<3>>},
};

Operation expanding(ColumnKernel kernel, std::vector<ScalarType> operands, Type result) {
  Operation operation = kernel_operation(kernel, std::move(operands), result);
  operation.can_fail = true;
  operation.list_sizes = ListSizes::kFree;
  operation.expands = true;
  return operation;
}

// An integer; unsigned ones beyond any size come out negative.
std::int64_t number_of(const Constant& integer) {
  return visit_scalar(integer.scalar, [&](auto tag) {
    return static_cast<std::int64_t>(integer.as<typename decltype(tag)::type>());
  });
}

std::optional<Operation> choose_subsets(Arguments arguments) {
  if (!is_integer(arguments[1].type.scalar)) return std::nullopt;
  const Constant* count = arguments[1].constant;
  if (!count) throw ArgumentFault{1, "how many elements to combine must be written as a number"};
  const std::int64_t number = number_of(*count);
  const bool is_possible = number >= 1 && number <= static_cast<std::int64_t>(kMaxMembers);
  if (!is_possible)
    throw ArgumentFault{1, "combinations have 1 to " + std::to_string(kMaxMembers) + " elements"};
  return expanding(kFamilies[0].all, {arguments[0].type.scalar, ScalarType::kUInt64},
                   doubly_jagged(ScalarType::kUInt64));
}

std::optional<Operation> choose_combinations(Arguments arguments) {
  if (arguments.size() != 2 && arguments.size() != 3) return std::nullopt;
  const bool of_lists = arguments[0].type.is_jagged();
  if (of_lists && arguments.size() == 2 && !arguments[1].type.is_jagged()) return choose_subsets(arguments);
  std::vector<ScalarType> operands;
  for (const Argument& each : arguments) {
    if (each.type.is_jagged() != of_lists) return std::nullopt;
    if (!of_lists && !is_integer(each.type.scalar)) return std::nullopt;
    operands.push_back(of_lists ? each.type.scalar : ScalarType::kInt64);
  }
  return expanding(kFamilies[arguments.size() - 1].all, std::move(operands),
                   doubly_jagged(ScalarType::kUInt64));
}

// The ends of the second list's copies, one for every element of the first.
const std::uint32_t* lay_out_copies(const KernelCall& call) {
  const ColumnView& elements = call.inputs[0];
  const ColumnView& list = call.inputs[1];
  std::uint32_t* offsets =
      call.results.inner_offsets.reserve<std::uint32_t>(elements.offsets[call.length] + std::size_t{1});
  std::uint64_t end = 0;
  offsets[0] = 0;
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    const std::uint32_t first = elements.offsets[entry], last = elements.offsets[entry + 1];
    const std::uint64_t size = list.offsets[entry + 1] - list.offsets[entry];
    ListLayout::check(entry, size * (last - first), end);
    for (std::uint32_t i = first; i < last; ++i) offsets[i + 1] = static_cast<std::uint32_t>(end += size);
  }
  return offsets;
}

// The whole second list for every element of the first.
template <typename T>
ColumnView list_for_each(const KernelCall& call) {
  const ColumnView& elements = call.inputs[0];
  const ColumnView& list = call.inputs[1];
  const std::uint32_t* offsets = lay_out_copies(call);
  T* result = call.results.values.reserve<T>(offsets[elements.offsets[call.length]]);
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    const std::uint32_t first = list.offsets[entry], size = list.offsets[entry + 1] - first;
    if (size == 0) continue;
    for (std::uint32_t i = elements.offsets[entry]; i < elements.offsets[entry + 1]; ++i)
      copy_short_list<T>(list, first, size, result, offsets[i]);
  }
  return {call.type, call.length, result, elements.offsets, false, offsets};
}

std::optional<Operation> choose_for_each(Arguments arguments) {
  if (arguments.size() != 2 || arguments[0].type.depth != 1 || arguments[1].type.depth != 1)
    return std::nullopt;
  const ScalarType scalar = arguments[1].type.scalar;
  const auto kernel = visit_moved(
      scalar, [](auto tag) -> ColumnKernel { return list_for_each<typename decltype(tag)::type>; });
  return expanding(kernel, {arguments[0].type.scalar, scalar}, doubly_jagged(scalar));
}

}  // namespace

std::optional<Operation> combinations_element(NodeId combinations, NodeId index, const Graph& graph) {
  const Node& node = graph[combinations];
  const auto family = std::find_if(std::begin(kFamilies), std::end(kFamilies), [&](const Family& each) {
    return node.kind == NodeKind::kKernel && each.all == node.kernel;
  });
  const Node& number = graph[index];
  if (family == std::end(kFamilies) || number.kind != NodeKind::kConstant || !is_integer(number.type.scalar))
    return std::nullopt;
  const bool of_subsets = family == std::begin(kFamilies);
  const auto num_members =
      static_cast<std::int64_t>(of_subsets ? graph[node.inputs[1]].constant.as<Index>() : node.inputs.size());
  const std::int64_t member = number_of(number.constant);
  if (member < 0 || member >= num_members) return std::nullopt;
  std::vector<ScalarType> operands;
  for (const NodeId input : node.inputs) operands.push_back(graph[input].type.scalar);
  operands.push_back(ScalarType::kInt64);
  Operation operation = expanding(family->one, std::move(operands), jagged(ScalarType::kUInt64));
  operation.name = of_subsets ? kSubsetMember : kProductMember;
  return operation;
}

NodeId indexes_of_subsets(NodeId list, std::int64_t count, std::int64_t member, Graph& graph) {
  const std::string number = std::to_string(count), place = std::to_string(member);
  Node node;
  node.kind = NodeKind::kKernel;
  node.name = kSubsetMember;
  node.type = jagged(ScalarType::kUInt64);
  node.kernel = kFamilies[0].one;
  node.list_sizes = ListSizes::kFree;
  node.can_fail = true;
  node.expands = true;
  node.text = "Combinations(" + graph[list].text + ", " + number + ")[" + place + "]";
  node.inputs = {list, add_constant(graph, Constant::of(count), number),
                 add_constant(graph, Constant::of(member), place)};
  return graph.add(std::move(node));
}

std::span<const Function> combination_functions() {
  static constexpr Function kFunctions[] = {
      {"Combinations", "Combinations(list, number or list, ...)", choose_combinations, InnerLists::kWhole},
      {"ForEach", "ForEach(list, list for every element)", choose_for_each, InnerLists::kWhole},
  };
  return kFunctions;
}

}  // namespace skimline
