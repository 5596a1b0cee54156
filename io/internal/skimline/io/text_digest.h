// SPDX-License-Identifier: BSD-3-Clause
// Short names for long texts.
#pragma once

#include <string>
#include <string_view>

namespace skimline::io {

/// 128 bits of XXH3 as 32 hexadecimal digits: equal texts have equal ones, and nobody will meet two others
/// that do unless they are made to.
std::string text_digest(std::string_view text);

}  // namespace skimline::io
