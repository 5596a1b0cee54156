// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/unread_branches.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace skimline::io {
namespace {

UnsupportedField whole_branch(const TreeBranch& branch, const std::vector<const UnsupportedField*>& members) {
  UnsupportedField whole = *members.front();
  const bool is_of_all = std::all_of(members.begin(), members.end(), [&](const UnsupportedField* each) {
    return each->reason == whole.reason;
  });
  if (!is_of_all)
    whole.reason = "\"" + whole.name.substr(std::min(branch.path.size() + 1, whole.name.size())) + "\" " +
                   whole.reason + ", and so with " + std::to_string(members.size() - 1) + " other members";
  whole.name = branch.path;
  if (!branch.object_class.empty()) whole.type_name = branch.object_class;
  return whole;
}

}  // namespace

std::vector<UnsupportedField> unread_branches(const TreeDescriptor& tree, const TreeColumns& columns) {
  std::set<std::uint32_t> read;
  for (const TreeColumn& column : columns.columns) read.insert(column.branch);
  std::map<std::uint32_t, std::vector<const UnsupportedField*>> by_branch;
  for (const UnsupportedField& field : columns.unsupported) by_branch[field.field].push_back(&field);
  std::vector<UnsupportedField> fields;
  for (const UnsupportedField& field : columns.unsupported) {
    const std::vector<const UnsupportedField*>& members = by_branch.at(field.field);
    if (members.size() == 1 || read.contains(field.field))
      fields.push_back(field);
    else if (&field == members.front())
      fields.push_back(whole_branch(tree.branches.at(field.field), members));
  }
  return fields;
}

}  // namespace skimline::io
