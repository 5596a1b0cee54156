// SPDX-License-Identifier: BSD-3-Clause
#include "root/class_members.h"

#include "columns/type_name.h"
#include "root/element_type.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace skimline::io {
namespace {

// What only some versions of ROOT spell out.
TypeName without_helpers(TypeName type) {
  constexpr std::array<std::string_view, 5> kHelpers = {"allocator", "less", "hash", "equal_to",
                                                        "char_traits"};
  std::erase_if(type.arguments, [&](const TypeName& argument) {
    return std::find(kHelpers.begin(), kHelpers.end(), argument.name) != kHelpers.end();
  });
  for (TypeName& argument : type.arguments) argument = without_helpers(argument);
  return type;
}

bool is_reduced(int type) {
  return type < kBehindNumbers && (type % kFixedArray == kDouble32 || type % kFixedArray == kFloat16);
}

std::string text_of(const ClassMember& member) {
  std::string text = member.name + " " + std::to_string(member.type);
  if (member.type >= kBehindNumbers || member.type <= 0)
    text += " " + without_helpers(parse_type_name(class_of(member))).text();
  if (is_reduced(member.type)) text += " " + member.comment;
  text += " " + std::to_string(member.array_length) + " " + member.count_name + "\n";
  return text;
}

}  // namespace

std::string class_of(const ClassMember& member) {
  return member.element_class == "TStreamerBase" ? member.name : member.type_name;
}

std::string stored_members(const ClassLayout& layout) {
  std::string text;
  for (const ClassMember& member : layout.members) text += text_of(member);
  return text;
}

}  // namespace skimline::io
