// SPDX-License-Identifier: BSD-3-Clause
// Outputs by their URLs.
#pragma once

#include "remote/remote_output.h"

#include <memory>
#include <string>

namespace skimline::io {

/// The output that a URL names; asks nobody. Throws FileError if it names no single file.
std::unique_ptr<RemoteOutput> open_output(const std::string& name);

}  // namespace skimline::io
