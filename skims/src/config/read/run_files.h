// SPDX-License-Identifier: BSD-3-Clause
// All files that a run of a config has to do with.
#pragma once

#include "skimline/io/file_identity.h"
#include "skimline/skims/config.h"

#include <string>
#include <vector>

namespace skimline::skims {

enum class WrittenKind { kHistograms, kSkim, kCutflow, kReport, kHtmlReport, kTrace };

/// A file that a run writes.
struct WrittenFile {
  WrittenKind kind = WrittenKind::kHistograms;
  std::string path;
  std::string what;  ///< "the output of the histograms"
  Location place;    ///< what asks for it
  const SkimConfig* skim = nullptr;
  const Sample* sample = nullptr;  ///< of the skim
};

/// Returns all that a run writes, skims of every sample; the report if it is wanted. Of skims that are split
/// the first file, and those of earlier runs.
std::vector<WrittenFile> written_files(const Config& config);

/// Returns all that a run reads: the config and what it includes, lists, masks, corrections, models, inputs,
/// friends.
io::FilesInUse read_files(const Config& config);

}  // namespace skimline::skims
