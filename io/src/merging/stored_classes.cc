// SPDX-License-Identifier: BSD-3-Clause
#include "merging/stored_classes.h"

#include "columns/type_name.h"
#include "root/class_members.h"

#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace skimline::io {
namespace {

class ClassCollector {
 public:
  explicit ClassCollector(const ClassLayouts& layouts) {
    for (const ClassLayout& layout : layouts.all())
      layouts_[parse_type_name(layout.name).text()].push_back(&layout);
  }

  void add(const std::string& type_name) { pending_.push_back(parse_type_name(type_name)); }

  StoredClasses collect() {
    while (!pending_.empty()) {
      TypeName type = std::move(pending_.back());
      pending_.pop_back();
      type.is_pointer = false;
      if (const std::string name = type.text(); done_.insert(name).second) add_class(name);
      pending_.insert(pending_.end(), type.arguments.begin(), type.arguments.end());
    }
    return std::move(classes_);
  }

 private:
  void add_class(const std::string& name) {
    const auto described = layouts_.find(name);
    if (described == layouts_.end()) return;
    for (const ClassLayout* layout : described->second) {
      classes_[name + " in version " + std::to_string(layout->version)].insert(stored_members(*layout));
      for (const ClassMember& member : layout->members) add(class_of(member));
    }
  }

  std::unordered_map<std::string, std::vector<const ClassLayout*>> layouts_;
  std::vector<TypeName> pending_;
  std::unordered_set<std::string> done_;
  StoredClasses classes_;
};

}  // namespace

StoredClasses stored_classes(const TreeDescriptor& tree) {
  ClassCollector collector(*tree.classes);
  for (const TreeBranch& branch : tree.branches) {
    if (branch.object_class.empty()) continue;
    collector.add(branch.object_class);
    if (!branch.clones_class.empty()) collector.add(branch.clones_class);
  }
  return collector.collect();
}

}  // namespace skimline::io
