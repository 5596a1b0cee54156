// SPDX-License-Identifier: BSD-3-Clause
// What correctionlib's sources are compiled with: JSON of an unexpected type is an exception, not the end of
// the process.
#pragma once

#include <stdexcept>

#define RAPIDJSON_ASSERT_THROWS
#define RAPIDJSON_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : throw std::runtime_error("a value has an unexpected type"))
