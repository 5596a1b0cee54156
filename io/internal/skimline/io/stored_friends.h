// SPDX-License-Identifier: BSD-3-Clause
// The friends that TTrees name themselves.
#pragma once

#include "skimline/io/input_options.h"
#include "skimline/io/input_source.h"
#include "skimline/io/tree_relations.h"
#include "skimline/io/tree_source.h"

#include <memory>
#include <string>
#include <vector>

namespace skimline::io {

/// Returns the path of a friend's file: relative ones begin in the folder of the tree's file. Throws
/// ConfigError for one on another machine than that file, as files must not send readers anywhere.
std::string path_of_friend(const std::string& tree_file, const TreeFriend& other);

/// Opens the friends that a tree names; returns them with why they cannot be used, if that is so.
std::vector<TreeFriend> examined_friends(const TreeSource& tree, const InputOptions& options);

/// Returns the tree with the columns of its friends, "<alias>.<column>": entries go together by the columns
/// of the friend's index, if it has one, else in order. Friends of friends are not followed. Those that
/// cannot be used are unused_friends().
std::unique_ptr<InputSource> with_stored_friends(std::unique_ptr<TreeSource> tree,
                                                 const InputOptions& options);

}  // namespace skimline::io
