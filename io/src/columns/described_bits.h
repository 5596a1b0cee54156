// SPDX-License-Identifier: BSD-3-Clause
// What files say of the bits of one column, where they do not say the same.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skimline::io {

/// Compares the descriptions of the columns of several files with those of the first file that names their
/// bits.
class DescribedBits {
 public:
  void add(const std::string& column, std::string_view description, const std::string& file);

  /// A sentence for each column whose bits have other names in some file, in the order in which they were
  /// found.
  const std::vector<std::string>& differences() const { return differences_; }

 private:
  struct Known {
    std::string description, file;
    bool differs = false;
  };
  std::unordered_map<std::string, Known> known_;  // by column, of those whose bits have names
  std::vector<std::string> differences_;
};

}  // namespace skimline::io
