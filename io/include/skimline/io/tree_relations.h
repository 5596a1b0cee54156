// SPDX-License-Identifier: BSD-3-Clause
// What a TTree names beside its own branches.
#pragma once

#include <string>

namespace skimline::io {

/// A friend that a TTree names.
struct TreeFriend {
  std::string alias;
  std::string path;             ///< of the file, as stored; empty if it is the same one
  std::string tree, problem{};  ///< and why it cannot be used; empty if it can, or if that is not known
};

/// An alias as TTree::SetAlias makes it.
struct TreeAlias {
  std::string name, expression;
  std::string problem{};  ///< why it cannot be used; empty if it can, or if that is not known
};

}  // namespace skimline::io
