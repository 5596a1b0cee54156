// SPDX-License-Identifier: BSD-3-Clause
#include "root/described_classes.h"

#include "columns/type_name.h"
#include "root/class_members.h"
#include "root/element_type.h"

#include <algorithm>

namespace skimline::io {
namespace {

constexpr int kDeepestBase = 16;
constexpr std::size_t kLongestText = 65536;

// Of two descriptions of one version, the later one has later bases: a class may keep its version where these
// change.
std::vector<int> versions_in(const ClassLayout& layout) {
  std::vector<int> numbers{layout.version};
  for (const ClassMember& member : layout.members)
    if (member.element_class == "TStreamerBase") numbers.push_back(member.base_version);
  return numbers;
}

template <typename Members>
bool differs_from_any(const ClassLayout& layout, DescribedClasses::Versions versions, Members members) {
  return std::any_of(versions.begin(), versions.end(), [&](const ClassLayout* other) {
    return other != &layout && other->version == layout.version && members(*other) != members(layout);
  });
}

}  // namespace

DescribedClasses::DescribedClasses(const ClassLayouts& layouts) {
  for (const ClassLayout& layout : layouts.all()) {
    std::vector<const ClassLayout*>& versions = by_name_[parse_type_name(layout.name).text()];
    const auto older = std::find_if(versions.begin(), versions.end(), [&](const ClassLayout* other) {
      return versions_in(*other) <= versions_in(layout);
    });
    versions.insert(older, &layout);
  }
}

DescribedClasses::Versions DescribedClasses::versions(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found != by_name_.end() ? Versions(found->second) : Versions();
}

const ClassLayout* DescribedClasses::layout_of(const ClassMember& base) const {
  const Versions all = versions(parse_type_name(base.name).text());
  const auto find = [&](auto is_it) -> const ClassLayout* {
    const auto found = std::find_if(all.begin(), all.end(), is_it);
    return found != all.end() ? *found : nullptr;
  };
  const ClassLayout* layout = nullptr;
  if (base.base_checksum != 0)
    layout = find([&](const ClassLayout* each) { return each->checksum == base.base_checksum; });
  return layout != nullptr
             ? layout
             : find([&](const ClassLayout* each) { return each->version == base.base_version; });
}

std::string DescribedClasses::members_with_bases(const ClassLayout& layout) const {
  std::string text;
  append_members(layout, 0, text);
  return text;
}

// Damaged files may have any number of bases in bases.
void DescribedClasses::append_members(const ClassLayout& layout, int depth, std::string& text) const {
  text += stored_members(layout);
  for (const ClassMember& member : layout.members) {
    const bool is_whole = member.type == kObjectBase || member.type == kNamedBase;
    if (member.element_class != "TStreamerBase" || is_whole) continue;
    if (depth >= kDeepestBase || text.size() > kLongestText) return;
    text += '(';
    if (const ClassLayout* base = layout_of(member)) append_members(*base, depth + 1, text);
    text += ')';
  }
}

bool DescribedClasses::has_rival(const ClassLayout& layout) const {
  return differs_from_any(layout, versions(parse_type_name(layout.name).text()), stored_members);
}

bool DescribedClasses::has_rival_with_bases(const ClassLayout& layout) const {
  return differs_from_any(layout, versions(parse_type_name(layout.name).text()),
                          [this](const ClassLayout& each) { return members_with_bases(each); });
}

}  // namespace skimline::io
