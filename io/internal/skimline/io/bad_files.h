// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with several of the files that are opened together.
#pragma once

#include "skimline/framework/error.h"

#include <exception>
#include <span>
#include <utility>
#include <vector>

namespace skimline::io {

/// Says what the first fault says.
class BadFiles : public FileError {
 public:
  BadFiles(const FileError& first, std::vector<std::exception_ptr> faults)
      : FileError(first), faults_(std::move(faults)) {}
  /// In the order of the files; not all need be FileErrors.
  const std::vector<std::exception_ptr>& faults() const { return faults_; }

 private:
  std::vector<std::exception_ptr> faults_;
};

/// Throws the first of the faults of some files, those without one being null; or, if wanted, BadFiles if
/// that is a FileError and more follow. Returns if there is none.
void throw_faults(std::span<const std::exception_ptr> of_files, bool wants_all);

}  // namespace skimline::io
