// SPDX-License-Identifier: BSD-3-Clause
// When something was, as servers say it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace skimline::io {

/// "Sun, 06 Nov 1994 08:49:37 GMT" as seconds since 1970; nothing for anything else.
std::optional<std::int64_t> seconds_of_http_date(const std::string& text);

/// Whether a file that was modified in one second can no longer become another one in the same second.
bool is_second_over(std::int64_t modified, std::int64_t now);

/// Seconds since 1970, by the clock of this machine.
std::int64_t seconds_now();

}  // namespace skimline::io
