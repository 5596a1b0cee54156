// SPDX-License-Identifier: BSD-3-Clause
// What files say together of the runs that made them, for one file with the entries of all.
#pragma once

#include "skimline/io/root_file.h"
#include "skimline/skims/merged_record.h"
#include "skimline/skims/run_record.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace skimline::skims {

struct UnitedRecord {
  std::optional<RunRecord> record;  ///< nothing if no file has one
  std::uint64_t num_files_without = 0;
};

/// Returns the record of files whose entries are put together, each file once, with the sums of their
/// cutflows. Throws as merged_record() does, and Error where a sample was made in different steps.
UnitedRecord united_record(const std::vector<std::shared_ptr<const io::RootFile>>& files,
                           const OverlapRule& overlap);

}  // namespace skimline::skims
