// SPDX-License-Identifier: BSD-3-Clause
// A folder for the time of an object.
#pragma once

#include <string>

namespace skimline::skims {

/// A new folder among those for temporary files, which only this user may read. It goes with all that is in
/// it.
class TemporaryFolder {
 public:
  /// Throws FileError.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace skimline::skims
