// SPDX-License-Identifier: BSD-3-Clause
#include "merging/stored_classes.h"

#include "columns/type_name.h"
#include "root/class_members.h"
#include "root/described_classes.h"

#include <unordered_set>
#include <vector>

namespace skimline::io {
namespace {

class ClassCollector {
 public:
  explicit ClassCollector(const ClassLayouts& layouts) : described_(layouts) {}

  void add(const std::string& type_name) { pending_.push_back(parse_type_name(type_name)); }
  /// The class of what is in a collection.
  void add_item(const std::string& type_name) {
    add(type_name);
    add_with_bases(pending_.back().text());
  }

  StoredClasses collect() {
    while (!pending_.empty()) {
      TypeName type = std::move(pending_.back());
      pending_.pop_back();
      type.is_pointer = false;
      if (const std::string name = type.text(); done_.insert(name).second) add_class(name);
      for (const TypeName& item : type.arguments) add_with_bases(item.text());
      pending_.insert(pending_.end(), type.arguments.begin(), type.arguments.end());
    }
    return std::move(classes_);
  }

 private:
  void add_class(const std::string& name) {
    for (const ClassLayout* layout : described_.versions(name)) {
      classes_[in_version(name, *layout)].insert(stored_members(*layout));
      for (const ClassMember& member : layout->members) add(class_of(member));
    }
  }

  // Where objects are stored member by member, nothing says in which version their bases are.
  void add_with_bases(const std::string& name) {
    if (!items_.insert(name).second) return;
    for (const ClassLayout* layout : described_.versions(name))
      classes_[in_version(name, *layout) + ", with its bases,"].insert(
          described_.members_with_bases(*layout));
  }

  static std::string in_version(const std::string& name, const ClassLayout& layout) {
    return name + " in version " + std::to_string(layout.version);
  }

  DescribedClasses described_;
  std::vector<TypeName> pending_;
  std::unordered_set<std::string> done_, items_;
  StoredClasses classes_;
};

}  // namespace

StoredClasses stored_classes(const TreeDescriptor& tree) {
  ClassCollector collector(*tree.classes);
  for (const TreeBranch& branch : tree.branches) {
    if (branch.object_class.empty()) continue;
    collector.add(branch.object_class);
    if (!branch.clones_class.empty()) collector.add_item(branch.clones_class);
  }
  return collector.collect();
}

}  // namespace skimline::io
