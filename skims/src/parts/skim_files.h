// SPDX-License-Identifier: BSD-3-Clause
// The events that a skim takes of a part, as files of a store.
#pragma once

#include "skimline/io/output_file.h"
#include "skimline/io/root_file_writer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace skimline::skims {

/// What their names end with.
inline constexpr const char* kSkimSuffix = ".skim.root";

/// Whether a file of a store has such a name.
bool is_skim_file(const std::string& path);

/// What such a file says that it is: the key in its name. Whoever writes one adds it.
io::RootObject object_of_skim_key(const std::string& path);
/// What such a file says of its bytes from `begin` to `end`, which have been written: for formats without
/// checksums of their own. Throws FileError.
io::RootObject object_of_skim_content(const io::OutputFile& file, std::uint64_t begin, std::uint64_t end);
/// The classes of such objects.
std::vector<std::string> classes_of_skim_objects();

/// Reads all of a file, in the threads of the caller's arena. Throws FileError if anything in it is damaged,
/// or if it was written under another key.
void check_skim_file(const std::string& path);

/// Notes that a file of a store is used now, which keeps it from being pruned soon.
void note_use(const std::string& path);
/// When it was used or written last, in nanoseconds; 0 if there is none.
std::int64_t last_use(const std::string& path);

/// Removes the file if it is damaged, and notes that it is used. Returns whether there is a sound one. Not
/// for who holds a SkimFolderLock.
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
