// SPDX-License-Identifier: BSD-3-Clause
// The text of "skimline/record" objects: JSON with all of a record but its histograms.
#pragma once

#include "skimline/skims/run_record.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace skimline::skims {

/// Texts are smaller; longer ones are not read.
inline constexpr std::size_t kLargestRecordText = 256 << 20;

/// Puts samples, metadata, inputs and all else into alphabetical order, each once.
void make_canonical(RunRecord& record);

/// Returns the JSON for a canonical record.
nlohmann::ordered_json record_json(const RunRecord& record);
/// The same as text. Bytes that are not UTF-8 are replaced. Throws Error if it would be longer than is read.
std::string record_text(const RunRecord& record);

/// Returns the record of a text; histograms are empty. Throws Error saying what is wrong with it.
RunRecord parse_record(std::string_view text);

}  // namespace skimline::skims
