// SPDX-License-Identifier: BSD-3-Clause
// Yields as tables: samples as columns, steps and regions as rows.
#pragma once

#include "base/measured_table.h"
#include "report/yields.h"

#include <string>

#include <nlohmann/json.hpp>

namespace skimline::skims {

/// Whether yields say more than the numbers of events do.
bool is_worth_showing(const Yields& yields);

/// Returns the table: steps with statistical errors, then regions, with systematic ones where there are
/// variations.
MeasuredTable yield_table(const Yields& yields);

/// Returns lines that say what the numbers of the table are.
std::string notes_of(const Yields& yields);

/// Returns all numbers, variations included. Names need not be UTF-8.
nlohmann::ordered_json json_of(const Yields& yields);

}  // namespace skimline::skims
