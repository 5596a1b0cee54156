// SPDX-License-Identifier: BSD-3-Clause
// `bits(x, "name")`: a field of bits by the name that the description of its column gives it.
#include "expression/binding.h"
#include "expression/conversions.h"
#include "expression/list_elements.h"
#include "expression/simplification.h"

#include "skimline/framework/bit_fields.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace skimline {
namespace {

std::string listed(const std::vector<BitField>& fields) {
  std::string names;
  for (const BitField& field : fields) names += (names.empty() ? "" : ", ") + field.name;
  return names;
}

std::vector<BitField> named(std::vector<BitField> fields, std::string_view name) {
  std::erase_if(fields, [name](const BitField& field) { return field.name != name; });
  return fields;
}

// Whether what a kernel gives are values of its first input, as they are: sums, for instance, have no fields.
bool passes_on(const Node& node) {
  constexpr std::string_view kNames[] = {"[]",      "Take",       "at",        "Drop", "front",
                                         "back",    "Reverse",    "Sort",      "Min",  "Max",
                                         "Flatten", "StableSort", "Intersect", kSized};
  return !node.external && (node.name.empty() || node.name == kMemberValues ||
                            std::find(std::begin(kNames), std::end(kNames), node.name) != std::end(kNames));
}

}  // namespace

// The column of which these are values, as they are or chosen from its lists.
std::optional<std::size_t> Binder::column_of(NodeId node) const {
  const ScalarType scalar = type(node).scalar;
  while (graph_[node].kind == NodeKind::kKernel && passes_on(graph_[node])) {
    node = graph_[node].inputs[0];
    if (type(node).scalar != scalar) return std::nullopt;
  }
  return graph_[node].kind == NodeKind::kColumn ? std::optional(graph_[node].column) : std::nullopt;
}

BitField Binder::bit_field(const Syntax& syntax, NodeId value) const {
  const Syntax& name = *syntax.operands[1];
  const auto column = column_of(value);
  // Files whose description names no bits do not contradict those whose does.
  std::vector<std::string_view> descriptions;
  if (column) descriptions = names_.descriptions_of(*column);
  std::erase_if(descriptions, [](std::string_view each) { return bit_fields(each).empty(); });
  if (descriptions.empty())
    fail(syntax.operands[0]->range,
         "no description names the bits of \"" + text_of(*syntax.operands[0]) +
             "\"; a field of 3 bits, the lowest of which is bit 6, is (x >> 6) & 7");
  const std::vector<BitField> fields = bit_fields(descriptions.front());
  for (const std::string_view other : descriptions)
    if (named(bit_fields(other), name.string) != named(fields, name.string))
      fail(name.range, "the files describe the bits \"" + name.string + "\" of \"" +
                           text_of(*syntax.operands[0]) + "\" differently: as \"" +
                           std::string(descriptions.front()) + "\", and as \"" + std::string(other) + "\"");
  std::vector<std::string> names;
  for (const BitField& field : fields) names.push_back(field.name);
  const auto found = std::find(names.begin(), names.end(), name.string);
  if (found == names.end())
    fail(name.range, "there are no bits \"" + name.string + "\" in \"" + text_of(*syntax.operands[0]) + "\"" +
                         did_you_mean(name.string, names) + "; it has " + listed(fields));
  if (std::count(names.begin(), names.end(), name.string) > 1)
    fail(name.range, "\"" + name.string + "\" is the name of several bits: they are " + listed(fields) +
                         ", from the lowest on");
  return fields[static_cast<std::size_t>(found - names.begin())];
}

NodeId Binder::bits(const Syntax& syntax) {
  if (syntax.operands.size() != 2 || syntax.operands[1]->kind != SyntaxKind::kString)
    fail(syntax.range, "bits(x, \"name\") takes a column of integers and the name of some of its bits");
  const NodeId value = bind(*syntax.operands[0]);
  const ScalarType scalar = type(value).scalar;
  if (!is_integer(scalar) || scalar == ScalarType::kBool)
    fail(syntax.operands[0]->range, "bits are those of integers, not of " + type_name(value));
  const BitField field = bit_field(syntax, value);
  const auto width = visit_scalar(scalar, [](auto tag) { return 8 * sizeof(typename decltype(tag)::type); });
  if (field.first + field.width > width)
    fail(syntax.range, "the bits \"" + field.name + "\" lie beyond the " + std::to_string(width) + " of " +
                           std::string(name_of(scalar)));
  const auto apply_with = [&](Operator op, NodeId left, std::uint64_t right) {
    const NodeId constant =
        convert(add_constant(graph_, Constant::of(right), std::to_string(right)),
                op == Operator::kShiftRight ? ScalarType::kInt32 : type(left).scalar, graph_);
    return apply(*binary_operation(op, type(left).scalar, type(constant).scalar, is_list(left)),
                 {left, constant}, syntax);
  };
  const NodeId shifted = apply_with(Operator::kShiftRight, value, field.first);
  const std::uint64_t mask = field.width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << field.width) - 1;
  return apply_with(Operator::kBitAnd, shifted, mask);
}

}  // namespace skimline
