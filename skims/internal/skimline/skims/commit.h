// SPDX-License-Identifier: BSD-3-Clause
// Which state of the sources this is.
#pragma once

#include <string_view>

namespace skimline::skims {

/// The commit that the library was built from, with "-dirty" behind it if files had changed; "unknown" if it
/// was not built from a checkout.
std::string_view commit();

}  // namespace skimline::skims
