// SPDX-License-Identifier: BSD-3-Clause
// A ROOT file whose contents are what was found of it.
#pragma once

#include "recovery/record_scan.h"

#include "skimline/io/root_file.h"

#include <memory>
#include <string>

namespace skimline::io {

/// An open file by its records, not by its directories, which may be missing or old.
struct FoundFile {
  FoundRecords records;
  std::unique_ptr<const RootFile> file;
};

/// What lies in a directory that is lost gets the path "directory_at_<offset>/". Throws FileError if the file
/// cannot be read.
FoundFile find_file(const std::string& path, const StopFlag& stop);

}  // namespace skimline::io
