// SPDX-License-Identifier: BSD-3-Clause
// From the files that a sample names to files that exist.
#pragma once

#include "config/samples/input_texts.h"

#include "skimline/io/input_options.h"
#include "skimline/io/opened_files.h"
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

/// A file that exists, or a URL, and what leads to it.
struct MetFile {
  NamedFile named_by;
  std::string pattern;      ///< the path as it is given
  io::InputLocation input;  ///< as it is opened
  bool is_only_match = true;
};

/// Whether a path on this machine is a pattern, unless it exists as it stands.
bool is_file_pattern(const std::string& path);

/// Returns the pattern that matches a folder alone, whatever letters are in its name.
std::string pattern_of_folder(const std::string& folder);

/// Returns the files of one sample that exist, in the order of `files`; matches of one pattern are sorted by
/// name. A pattern without a match and a folder are errors; URLs are not looked for, unless they are
/// patterns.
std::vector<MetFile> meet_files(const std::vector<NamedFile>& files, InputTexts& texts);

/// Returns the files of one sample, where those of a chain stand in the place of it. A file that is met twice
/// is an error.
FoundInputs find_inputs(const std::vector<MetFile>& files, io::OpenedFiles& opened, InputTexts& texts);

}  // namespace skimline::skims
