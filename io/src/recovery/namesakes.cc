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

void add(const TreeDescriptor& tree, Namesakes& found) {
  for (std::uint32_t i = 0; i < tree.branches.size(); ++i) {
    found.branches.insert(tree.branches[i].name);
    for (const TreeBasket& basket : tree.branch_data[i].baskets)
      if (!basket.is_embedded) found.baskets.insert(basket.offset);
  }
}

}  // namespace

Namesakes namesakes_of(const FoundFile& found, const RootKey& key) {
  Namesakes namesakes;
  for (const RootKey& other : found.file->keys()) {
    if (!is_tree_class(other.class_name) || other.path == key.path || name_of(other) != name_of(key))
      continue;
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
