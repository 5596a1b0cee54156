// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "skimline/io/output_file.h"
#include "skimline/skims/config.h"

#include <memory>
#include <string>

namespace skimline::skims {

/// Whether both paths lead to one file, also if it does not exist yet.
bool is_same_file(const std::string& a, const std::string& b);

/// A file that a run writes beside its outputs, about the run: complete or absent, and told before the run if
/// it cannot be.
class SideFile {
 public:
  /// Creates the file under a temporary name. Throws ConfigError, which begins with `asked_by`, if it cannot
  /// be a file of this run: its folder does not exist, or it is the config, an input or an output; FileError
  /// if it cannot be created.
  SideFile(const std::string& asked_by, const std::string& path, const Config& config);

  const std::string& path() const { return file_->path(); }

  /// Writes all of it and gives it its name. Throws FileError.
  void write(const std::string& text);

 private:
  std::unique_ptr<io::OutputFile> file_;
};

}  // namespace skimline::skims
