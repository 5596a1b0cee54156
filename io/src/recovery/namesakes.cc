// SPDX-License-Identifier: BSD-3-Clause
#include "recovery/namesakes.h"

#include "ttree/tree_outline.h"

#include "skimline/io/format_error.h"
#include "skimline/io/tree_metadata.h"

#include <string_view>

namespace skimline::io {
namespace {

std::string_view name_of(const RootKey& key) {
  return std::string_view(key.path).substr(key.path.rfind('/') + 1);
}

void add_baskets(const TreeDescriptor& tree, std::unordered_set<std::uint64_t>& offsets) {
  for (const BranchData& branch : tree.branch_data)
    for (const TreeBasket& basket : branch.baskets)
      if (!basket.is_embedded) offsets.insert(basket.offset);
}

void add(const TreeDescriptor& tree, Namesakes& found) {
  for (const TreeBranch& branch : tree.branches) found.branches.insert(branch.name);
  add_baskets(tree, found.baskets);
}

// What older objects of one and the same tree list the newer ones list too.
void add_older(const FoundFile& found, const RootKey& key, Namesakes& namesakes) {
  try {
    TreeOutline outline;
    add_baskets(read_outlined_tree(*found.file, key, outline), namesakes.older_baskets);
  } catch (const FormatError&) {  // what it has listed is not known
  } catch (const FileError& error) {
    if (error.fault() != FileFault::kDamaged) throw;
  }
}

}  // namespace

Namesakes namesakes_of(const FoundFile& found, const RootKey& key) {
  Namesakes namesakes;
  for (const RootKey& other : found.file->keys()) {
    if (!is_tree_class(other.class_name) || name_of(other) != name_of(key)) continue;
    if (other.path == key.path) {
      if (other.cycle < key.cycle) add_older(found, other, namesakes);
      continue;
    }
    try {
      TreeOutline outline;
      add(read_outlined_tree(*found.file, other, outline), namesakes);
    } catch (const FormatError&) {
      namesakes.are_unknown = true;
    } catch (const FileError& error) {
      if (error.fault() != FileFault::kDamaged) throw;
      namesakes.are_unknown = true;
    }
  }
  return namesakes;
}

}  // namespace skimline::io
