// SPDX-License-Identifier: BSD-3-Clause
// Yields as tables: samples as columns, steps and regions as rows.
#pragma once

#include "base/measured_table.h"
#include "report/yields.h"

#include <string>

namespace skimline::skims {

/// Whether yields say more than the numbers of events do.
bool is_worth_showing(const Yields& yields);

/// Returns the table: steps with statistical errors, then regions, with systematic ones where there are
/// variations.
MeasuredTable yield_table(const Yields& yields);

/// Returns lines that say what the numbers of the table are.
std::string notes_of(const Yields& yields);

/// Returns all numbers as JSON, variations included.
std::string to_json(const Yields& yields);

}  // namespace skimline::skims
