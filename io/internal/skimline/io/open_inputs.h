// SPDX-License-Identifier: BSD-3-Clause
// Opens files of RNTuples and TTrees, one after the other, as one source.
#pragma once

#include "skimline/io/input_options.h"
#include "skimline/io/input_source.h"

#include <memory>
#include <string>
#include <vector>

namespace skimline::io {

class RootFile;

/// Returns the paths of the RNTuples and TTrees of a file, in its order.
std::vector<std::string> data_names(const RootFile& file);

/// Opens the files of several samples at once, for open_inputs() with the same `files`, which must be there.
/// What cannot be opened is left to that to say.
void open_ahead(const std::vector<std::vector<InputLocation>>& samples, const InputOptions& options);

/// Opens files of RNTuples, TTrees or both and verifies their metadata. Columns that some files lack, and
/// that have no default, are unsupported, as are those with types that differ too much: where TTrees are
/// among the files, columns may have different types of numbers, and get the one that holds the values of
/// all. Throws FileError if a file cannot be read or trusted, and DefaultError for defaults that do not fit.
std::unique_ptr<InputSource> open_inputs(const std::vector<InputLocation>& locations,
                                         InputOptions options = {});

}  // namespace skimline::io
