// SPDX-License-Identifier: BSD-3-Clause
// Files that will be opened soon.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace skimline::io {

/// Asks the system for the ends of files, where their lists and metadata are, before they are opened, so that
/// many small files do not each wait for the storage in turn. Only files of this machine; what cannot be
/// opened is left to whoever reads it.
class ExpectedFiles {
 public:
  /// The paths must outlive this.
  explicit ExpectedFiles(const std::vector<std::string>& paths) : paths_(paths) {}

  /// Says that the file of this number is the next to be opened.
  void reach(std::size_t number);

 private:
  const std::vector<std::string>& paths_;
  std::size_t next_ = 0;
};

}  // namespace skimline::io
