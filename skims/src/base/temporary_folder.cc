// SPDX-License-Identifier: BSD-3-Clause
#include "base/temporary_folder.h"

#include "skimline/framework/error.h"
#include "skimline/io/unfinished_outputs.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace skimline::skims {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  path_ = (fs::temp_directory_path() / "skimline-XXXXXX").string();
  if (!::mkdtemp(path_.data()))
    throw FileError(path_, "cannot be made: " + std::generic_category().message(errno),
                    FileFault::kUnwritable);
  io::note_temporary_folder(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  io::forget_temporary_folder(path_);
}

}  // namespace skimline::skims
