// SPDX-License-Identifier: BSD-3-Clause
// The columns that a streamed value makes.
#include "columns/hidden_members.h"
#include "ttree/column_list.h"
#include "ttree/streamed_decoder.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace skimline::io {
namespace {

using Kind = StreamedValue::Kind;

class PartFinder {
 public:
  std::vector<StreamedPart> find(const StreamedValue& value) {
    visit(value, 0, value.type_name);
    return std::move(parts_);
  }

 private:
  // Items without a name of their type are called like their list.
  void visit(const StreamedValue& value, std::size_t depth, const std::string& list_name) {
    type_name_ = value.type_name.empty() ? list_name : value.type_name;
    if (!value.problem.empty()) return add({}, value.problem);
    switch (value.kind) {
      case Kind::kNumbers:
      case Kind::kBits:
      case Kind::kCounted:
      case Kind::kTriangle:
        return add_numbers(value, depth + (value.is_list() ? 1 : 0) + value.dimensions.size());
      case Kind::kString:
      case Kind::kHeadedString:
      case Kind::kCharacters:
        if (depth > kMaxDepth) return add({}, depth_problem(depth));
        return add({ScalarType::kString, static_cast<int>(depth)}, "");
      case Kind::kObject:
        return visit_members(value, depth);
      case Kind::kArray:
      case Kind::kHeadedArray:
      case Kind::kItems:
        return visit(value.parts.front(), depth + 1, std::string(type_name_));
      case Kind::kList:
      case Kind::kCollection:
      case Kind::kClones:
        return visit_items(value.parts.front(), depth);
      case Kind::kBoxed:
        return visit(value.parts.front().parts.front(), depth, std::string(type_name_));
      case Kind::kTagged:
      case Kind::kPointed:
        return visit(value.parts.front(), depth, std::string(type_name_));
      default:
        break;  // a TObject: nothing that one would want
    }
  }

  void visit_items(const StreamedValue& item, std::size_t depth) {
    const bool is_outermost = depth == 0 && is_object(item);
    if (is_outermost) list_ = name_;
    visit(item, depth + 1, std::string(type_name_));
    if (is_outermost) list_.reset();
  }

  static bool is_object(const StreamedValue& item) {
    return item.kind == Kind::kObject || (item.kind == Kind::kPointed && is_object(item.parts.front()));
  }

  void visit_members(const StreamedValue& object, std::size_t depth) {
    std::string unknown;
    const HiddenNames around = hidden_names_;
    for (std::uint32_t i = 0; i < object.parts.size(); ++i) {
      const StreamedValue& member = object.parts[i];
      if (member.is_hidden) continue;
      const std::size_t size = name_.size();
      if (!member.is_base) name_ += "." + member.name;
      path_.push_back(i);
      type_name_ = member.type_name;
      if (!unknown.empty()) {
        add({}, "follows \"" + unknown + "\", whose size is not known");
      } else if (!member.is_base && around.contains(member.name)) {
        add({}, kHiddenMember);
      } else {
        hidden_names_ = member.is_base ? hidden_in_bases(object, around) : HiddenNames();
        visit(member, depth, member.type_name);
      }
      if (member.kind == Kind::kUnknown) unknown = member.name;
      path_.pop_back();
      name_.resize(size);
    }
    hidden_names_ = around;
  }

  static HiddenNames hidden_in_bases(const StreamedValue& object, HiddenNames names) {
    for (const StreamedValue& member : object.parts)
      if (!member.is_base && !member.is_hidden) names.insert(member.name);
    return names;
  }

  void add_numbers(const StreamedValue& value, std::size_t depth) {
    if (depth > kMaxDepth) return add({}, depth_problem(depth));
    add({value.number.scalar, static_cast<int>(depth)}, "");
  }

  void add(Type type, std::string problem) {
    parts_.push_back({path_, name_, type_name_, type, std::move(problem), list_});
  }

  std::vector<std::uint32_t> path_;
  std::string name_, type_name_;
  std::optional<std::string> list_;  // of objects, that is visited
  HiddenNames hidden_names_;         // where a base class is visited
  std::vector<StreamedPart> parts_;
};

}  // namespace

std::vector<StreamedPart> parts_of(const StreamedValue& value) { return PartFinder().find(value); }

}  // namespace skimline::io
