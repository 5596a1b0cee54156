// SPDX-License-Identifier: BSD-3-Clause
// The JSON Schema of configs, inside the program.
#pragma once

namespace skimline::skims {

/// The JSON Schema of configs, as configs/schema has it.
extern const char* const kConfigSchema;

}  // namespace skimline::skims
