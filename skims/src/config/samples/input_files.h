// SPDX-License-Identifier: BSD-3-Clause
// From the files that a sample names to files that exist.
#pragma once

#include "config/samples/input_texts.h"

#include "skimline/skims/config.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// A file, a pattern, or with `@` a list of these; and what names it.
struct NamedFile {
  std::string text;                          ///< the path, with the RNTuple behind a colon unless it is known
  std::filesystem::path folder;              ///< that a relative path is seen from
  std::optional<std::string> ntuple_name;    ///< if it is known apart
  std::optional<std::uint64_t> num_entries;  ///< as a list of samples says
  Location place;                            ///< what names it
  bool may_be_list = true;                   ///< whether `@` in front means a list
};

struct FoundInputs {
  std::vector<Input> inputs;
  std::vector<std::string> chains;  ///< paths of files whose TChains named some of them
};

/// Returns the files of one sample that exist, in the order of `files`; matches of one pattern are sorted by
/// name, and the files of a chain stand in the place of it. A pattern without a match, a folder, and a file
/// that is met twice are errors; URLs are not looked for, unless they are patterns.
FoundInputs find_inputs(const std::vector<NamedFile>& files, InputTexts& texts);

}  // namespace skimline::skims
