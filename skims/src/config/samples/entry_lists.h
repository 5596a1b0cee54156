// SPDX-License-Identifier: BSD-3-Clause
// Lists of entries that ROOT has written, for the files of a sample.
#pragma once

#include "config/samples/input_texts.h"

#include "skimline/skims/config.h"

namespace skimline::skims {

/// Reads the list that the sample names and gives each of its inputs, all of which must be known, the entries
/// that are chosen of it. A list that cannot be read, and one of other files, is an error; inputs that it
/// does not mention are warned of, and nothing is taken of them.
void read_entry_list(Sample& sample, InputTexts& texts);

}  // namespace skimline::skims
