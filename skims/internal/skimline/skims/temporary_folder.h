// SPDX-License-Identifier: BSD-3-Clause
// A folder for the time of an object.
#pragma once

#include <string>

#include <sys/types.h>

namespace skimline::skims {

/// A new folder among those for temporary files, which only this user may read. It goes with all that is in
/// it; where the process was killed, it goes when the next one makes such a folder.
class TemporaryFolder {
 public:
  /// Throws FileError. Removes the folders of processes of this machine that are gone.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

  /// Removes it before the object goes. A process that was forked leaves what is another one's.
  void remove() noexcept;

 private:
  std::string outer_, path_;
  pid_t process_;
  int lock_ = -1;  // of a file beside `path_`
};

}  // namespace skimline::skims
