// SPDX-License-Identifier: BSD-3-Clause
#include "expression/combined_objects.h"

#include "expression/syntax.h"

#include "skimline/framework/error.h"
#include "skimline/framework/type.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace skimline {
namespace {

constexpr std::string_view kQuantities[] = {"pt", "eta", "phi", "mass", "energy"};
constexpr std::int64_t kMostMembers = 16;
constexpr const char* kForm = "Combinations(objects, number) or Combinations(objects, others)";
constexpr const char* kMergedForm = "Concatenate(objects, others)";

// What Awkward and others call it.
constexpr std::string_view kForeignNames[] = {"combinations", "cartesian", "Cartesian", "Product", "pairs"};

[[noreturn]] void fail_in(const std::string& text, TextRange range, const std::string& problem) {
  throw ExpressionError(text, range.offset, range.length, problem);
}

std::string collection_in(const Syntax& part, const std::string& text) {
  if (part.kind != SyntaxKind::kName)
    fail_in(text, part.range, "expected the name of a collection, or of objects that stand above");
  return part.name;
}

class CombinationReader {
 public:
  CombinationReader(const std::string& text, const Syntax& call) : text_(text), call_(call) {}

  CombinedObjects run() const {
    check_function();
    const std::size_t count = call_.operands.size();
    CombinedObjects found{text_, {}, {}, false};
    if (count == 2 && call_.operands[1]->kind == SyntaxKind::kLiteral) {
      found.is_of_one = true;
      found.parts.assign(number_of_members(*call_.operands[1]), name_of_part(0));
      return found;
    }
    if (count != 2 && count != 3)
      fail(call_.range,
           "one object each of two or three collections can be combined: write " + std::string(kForm));
    for (std::size_t i = 0; i < count; ++i) found.parts.push_back(name_of_part(i));
    return found;
  }

 private:
  [[noreturn]] void fail(TextRange range, const std::string& problem) const {
    fail_in(text_, range, problem);
  }

  void check_function() const {
    const bool is_call = call_.kind == SyntaxKind::kCall;
    if (is_call && call_.name == "Combinations" && !call_.is_member) return;
    const std::string name = call_.name.substr(call_.name.rfind('.') + 1);
    const bool is_foreign = is_call && std::find(std::begin(kForeignNames), std::end(kForeignNames), name) !=
                                           std::end(kForeignNames);
    fail(call_.range,
         is_foreign ? "write " + std::string(kForm)
                    : "objects are those of a collection, " + std::string(kForm) + ", or " + kMergedForm);
  }

  std::size_t number_of_members(const Syntax& number) const {
    if (!is_integer(number.literal.scalar) || number.literal.scalar == ScalarType::kBool)
      fail(number.range, "expected how many objects to combine");
    const auto value = visit_scalar(number.literal.scalar, [&](auto tag) {
      return static_cast<std::int64_t>(number.literal.as<typename decltype(tag)::type>());
    });
    if (value < 2 || value > kMostMembers)
      fail(number.range, "2 to " + std::to_string(kMostMembers) + " objects can be combined");
    return static_cast<std::size_t>(value);
  }

  std::string name_of_part(std::size_t operand) const {
    return collection_in(*call_.operands[operand], text_);
  }

  const std::string& text_;
  const Syntax& call_;
};

std::vector<std::string> usual_fields(std::size_t count) {
  std::vector<std::string> fields;
  for (std::size_t i = 0; i < count; ++i) fields.emplace_back(1, static_cast<char>('a' + i));
  return fields;
}

}  // namespace

std::vector<std::string> merged_objects(const std::string& text) {
  const SyntaxPointer call = parse(text);
  const std::string_view name = call->kind == SyntaxKind::kCall ? call->name : std::string_view();
  if (name == "concatenate" || name == "ak.concatenate")
    fail_in(text, call->range, "write " + std::string(kMergedForm));
  if (name != "Concatenate" || call->is_member) return {};
  std::vector<std::string> parts;
  for (const SyntaxPointer& operand : call->operands) {
    parts.push_back(collection_in(*operand, text));
    if (std::find(parts.begin(), parts.end() - 1, parts.back()) != parts.end() - 1)
      fail_in(text, operand->range, "\"" + parts.back() + "\" is there twice");
  }
  if (parts.size() < 2)
    fail_in(text, call->range, "one collection after another: write " + std::string(kMergedForm));
  return parts;
}

CombinedObjects combined_objects(const std::string& text, const std::vector<std::string>& fields) {
  const SyntaxPointer syntax = parse(text);
  CombinedObjects found = CombinationReader(text, *syntax).run();
  found.fields = fields.empty() ? usual_fields(found.parts.size()) : fields;
  const auto fail = [&](const std::string& problem) { throw ExpressionError(text, 0, text.size(), problem); };
  if (found.fields.size() != found.parts.size())
    fail("these have " + std::to_string(found.parts.size()) + " members, not the " +
         std::to_string(fields.size()) + " of \"fields\"");
  for (const std::string& field : found.fields)
    if (is_combined_quantity(field))
      fail("\"" + field + "\" cannot name a member: it is that of all members together");
  return found;
}

bool is_combined_quantity(std::string_view member) {
  return std::find(std::begin(kQuantities), std::end(kQuantities), member) != std::end(kQuantities);
}

std::vector<std::string> combined_quantities() { return {std::begin(kQuantities), std::end(kQuantities)}; }

}  // namespace skimline
