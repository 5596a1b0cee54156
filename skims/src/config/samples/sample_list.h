// SPDX-License-Identifier: BSD-3-Clause
// Files that describe samples, made for other programs: specifications of datasets for RDataFrame, filesets
// of coffea, and inputs of the analysis grand challenge (AGC).
#pragma once

#include "config/samples/input_texts.h"

#include "skimline/skims/config.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// A file as a list of samples gives it.
struct ListedFile {
  std::string path;
  std::optional<std::string> ntuple_name;  ///< unless it may follow the path
  std::optional<std::uint64_t> num_entries;
  Location location;  ///< in the list
};

struct ListedSample {
  Text name;  ///< as in the list, with its place there; that of AGC is "process__variation"
  std::vector<ListedFile> files;
  std::vector<NamedValue> metadata;  ///< names that expressions can use and values that they can hold
};

/// Reads a list of samples, whose kind is recognised by its content; warns of metadata that are left out.
std::vector<ListedSample> read_sample_list(const JsonValue& root, InputTexts& texts);

}  // namespace skimline::skims
