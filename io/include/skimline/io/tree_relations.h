// SPDX-License-Identifier: BSD-3-Clause
// What a TTree names beside its own branches.
#pragma once

#include <string>

namespace skimline::io {

/// A friend that a TTree names; it is not followed.
struct TreeFriend {
  std::string alias;
  std::string path;  ///< of the file, as stored; empty if it is the same one
  std::string tree;
};

/// An alias as TTree::SetAlias makes it; it is not usable in expressions.
struct TreeAlias {
  std::string name;
  std::string expression;
};

}  // namespace skimline::io
