// SPDX-License-Identifier: BSD-3-Clause
// Other trees whose columns a TTree offers as its own.
#pragma once

#include <string>

namespace skimline::io {

/// A friend that a TTree names; it is not followed.
struct TreeFriend {
  std::string alias;
  std::string path;  ///< of the file, as stored; empty if it is the same one
  std::string tree;
};

}  // namespace skimline::io
