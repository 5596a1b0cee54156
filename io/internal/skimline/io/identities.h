// SPDX-License-Identifier: BSD-3-Clause
// What tells files and objects apart.
#pragma once

#include <string_view>

namespace skimline::io {

/// Whether a UUID consists of zeros.
bool is_null_uuid(std::string_view uuid);

/// Whether a UUID tells a file from all others: it is neither zero nor the one that uproot 3 gave to all.
bool is_distinctive(std::string_view uuid);

/// A name of an object without the cycle that may be behind it, as in "dir/Events;2".
std::string_view without_cycle(std::string_view name);

}  // namespace skimline::io
