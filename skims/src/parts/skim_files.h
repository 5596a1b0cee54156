// SPDX-License-Identifier: BSD-3-Clause
// The events that a skim takes of a part, as files of a store.
#pragma once

#include <string>

namespace skimline::skims {

/// What their names end with.
inline constexpr const char* kSkimSuffix = ".skim.root";

/// Whether a file of a store has such a name.
bool is_skim_file(const std::string& path);

/// Reads all of a file, in the threads of the caller's arena. Throws FileError if anything in it is damaged.
void check_skim_file(const std::string& path);

/// Removes the file if it is damaged. Returns whether there is a sound one. Not for who holds a
/// SkimFolderLock.
bool is_sound_skim(const std::string& path, int threads);

/// Keeps other processes and threads from replacing or removing skims in the folder of a file. Storage that
/// knows no locks does not matter: files are still whole or absent.
class SkimFolderLock {
 public:
  explicit SkimFolderLock(const std::string& path);
  ~SkimFolderLock();
  SkimFolderLock(const SkimFolderLock&) = delete;
  SkimFolderLock& operator=(const SkimFolderLock&) = delete;

  /// As is_sound_skim().
  bool has_sound_skim(int threads) const;

 private:
  const std::string& path_;
  int descriptor_;
};

}  // namespace skimline::skims
