// SPDX-License-Identifier: BSD-3-Clause
// The classes that a file describes, by name, each in all its versions.
#pragma once

#include "skimline/io/class_layouts.h"

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace skimline::io {

/// Names are as TypeName::text() has them. The layouts must live as long.
class DescribedClasses {
 public:
  using Versions = std::span<const ClassLayout* const>;

  explicit DescribedClasses(const ClassLayouts& layouts);

  bool has(const std::string& name) const { return by_name_.contains(name); }
  /// The newest first; empty if there are none.
  Versions versions(const std::string& name) const;
  /// The layout of a base class that the class around it was stored with: by its checksum, else by its
  /// version. Returns nullptr if the file does not have it.
  const ClassLayout* layout_of(const ClassMember& base) const;
  /// The same as stored_members(), with the members of the bases: what follows one another where objects are
  /// stored member by member.
  std::string members_with_bases(const ClassLayout& layout) const;

  /// Whether another layout of its version has other members.
  bool has_rival(const ClassLayout& layout) const;
  /// The same, those of its bases included.
  bool has_rival_with_bases(const ClassLayout& layout) const;

 private:
  void append_members(const ClassLayout& layout, int depth, std::string& text) const;

  std::unordered_map<std::string, std::vector<const ClassLayout*>> by_name_;
};

}  // namespace skimline::io
