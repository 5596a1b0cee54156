// SPDX-License-Identifier: BSD-3-Clause
// Which fields of a source can go into an output.
#pragma once

#include "skimline/io/input_source.h"
#include "skimline/skims/left_out_columns.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// Prepares to carry fields. Those that the files store too differently are taken out of `names` and
/// returned.
std::vector<LeftOutColumn> carry_alike(io::InputSource& source, std::vector<std::string>& names,
                                       io::Carrying& carrying);

/// Where the files differ and what was made of it, columns that cannot be used included.
std::vector<std::string> differences_of(const io::InputSource& source);

/// A field of the source that no column shows, for an output that cannot have it.
LeftOutColumn left_out(const io::UnsupportedField& field, io::DataFormat output, const Schema& schema);

/// Which of the lists that are written anew belong together in an output.
std::vector<io::Collection> written_collections(const io::InputSource& source, io::DataFormat output);

}  // namespace skimline::skims
