// SPDX-License-Identifier: BSD-3-Clause
// The record of a run as objects of a ROOT file.
#pragma once

#include "skimline/io/compression.h"
#include "skimline/io/root_file.h"
#include "skimline/io/root_file_writer.h"
#include "skimline/skims/run_record.h"

#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// Returns the record as objects of a ROOT file: "skimline/record" is a TObjString that holds JSON,
/// "skimline/cutflow/<sample>" and "skimline/weighted_cutflow/<sample>" are TH1D with exact sums, which any
/// tool adds rightly. Samples, metadata and inputs are in alphabetical order, so that parts that are merged
/// give the bytes of the whole.
std::vector<io::RootObject> record_objects(const RunRecord& record, io::CompressionSetting compression = {});

/// The classes of these objects.
std::vector<std::string> record_classes();

/// Returns the record of a file, or nothing if it carries none. Texts that another tool left side by side, as
/// hadd does, are merged. Throws FileError if it is damaged.
std::optional<RunRecord> read_record(const io::RootFile& file);

}  // namespace skimline::skims
