// SPDX-License-Identifier: BSD-3-Clause
// Where everything in a streamed TTree stands that depends on its length or its place.
#pragma once

#include "root/class_walk.h"

#include "skimline/io/root_file.h"
#include "skimline/io/tree_descriptor.h"

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skimline::io {

/// Positions count from the start of the streamed object.
struct TreeOutline {
  std::size_t key_size = 0;  ///< of the record, which references count too
  MemberPlaces tree;
  std::unordered_map<std::size_t, MemberPlaces> parts;  ///< branches and leaves by TreeBranch::place
  std::vector<CountedObject> objects;                   ///< all that have others inside
  std::vector<std::size_t> pointers;

  void add_object(std::size_t begin, std::size_t end) { objects.push_back({begin, end}); }
  void add_bases(const MemberPlaces& places) {
    objects.insert(objects.end(), places.bases().begin(), places.bases().end());
  }
};

/// read_tree(), and the outline of the tree's object.
TreeDescriptor read_outlined_tree(const RootFile& file, std::string_view path, TreeOutline& outline);

/// The same of the object of a key, of a file that may be cut: baskets may lie behind its end. Throws
/// FileError and FormatError.
TreeDescriptor read_outlined_tree(const RootFile& file, const RootKey& key, TreeOutline& outline);

}  // namespace skimline::io
