// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/bad_files.h"

namespace skimline::io {

void throw_faults(std::span<const std::exception_ptr> of_files, bool wants_all) {
  std::vector<std::exception_ptr> faults;
  for (const std::exception_ptr& fault : of_files) {
    if (!fault) continue;
    faults.push_back(fault);
    if (!wants_all) break;
  }
  if (faults.empty()) return;
  if (faults.size() == 1) std::rethrow_exception(faults.front());
  try {
    std::rethrow_exception(faults.front());
  } catch (const FileError& first) {
    throw BadFiles(first, std::move(faults));
  }
}

}  // namespace skimline::io
