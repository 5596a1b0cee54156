// SPDX-License-Identifier: BSD-3-Clause
// How this program was built.
#pragma once

#include <string>

namespace skimline::skims {

/// "g++ 12.2.0, Release", and the system: "glibc 2.36, x86_64".
std::string compiler();
std::string target_system();

/// The libraries with their versions, separated by commas.
std::string libraries();

/// What `skimline --version --verbose` prints.
std::string long_version();

}  // namespace skimline::skims
