// SPDX-License-Identifier: BSD-3-Clause
// What RNTuples say of the classes of streamed objects, of several of them as one.
#pragma once

#include <string>
#include <vector>

namespace skimline::io {

/// Takes the descriptions of all files. ROOT reads no RNTuple that has more than one.
class TypeInfos {
 public:
  void add(const std::vector<std::string>& of_file);

  /// Returns one that has all classes of all, unless there is none.
  std::vector<std::string> united() const;

 private:
  std::vector<std::string> all_;  // each once
};

}  // namespace skimline::io
