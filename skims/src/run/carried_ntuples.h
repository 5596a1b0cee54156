// SPDX-License-Identifier: BSD-3-Clause
// RNTuples or TTrees that lie beside the events of inputs, as "Runs" and "LuminosityBlocks" do, carried
// along.
#pragma once

#include "run/written_entries.h"

#include "skimline/io/input_options.h"
#include "skimline/io/root_file_writer.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// What is carried along with the events.
inline constexpr std::array<const char*, 2> kCarriedNTuples{"Runs", "LuminosityBlocks"};

/// Writes all entries of the RNTuple or TTree `name`, as it is stored beside the events of inputs, into a
/// file: those of the first input come first. Inputs without it, and columns that not all others have with
/// one type, are left out with a warning. Returns nothing, and writes nothing, if no input has it.
///
/// If only a part of an input is processed, one of the parts may carry this: as if it were the first entry.
///
/// The classes of the format must be among those of the output. Throws what RNTupleSource and run() throw.
std::optional<WrittenEntries> carry_ntuple(const std::vector<io::InputLocation>& inputs,
                                           const std::string& name, io::RootFileWriter& output,
                                           const WriteOptions& options = {},
                                           io::InputOptions input_options = {});

/// Whether any of the inputs has one of this name beside the entries that are read.
bool has_beside(const std::vector<io::InputLocation>& inputs, const std::string& name,
                const io::InputOptions& input_options);

}  // namespace skimline::skims
