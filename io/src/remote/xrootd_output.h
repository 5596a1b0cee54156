// SPDX-License-Identifier: BSD-3-Clause
// Outputs on servers of XRootD.
#pragma once

#include "remote/remote_output.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace skimline::io {

/// Throws FileError if there is no plug-in.
std::unique_ptr<RemoteOutput> xrootd_output(const std::string& name);

/// Nothing if there is no such file. Throws FileError.
std::optional<std::uint64_t> xrootd_size(const std::string& name);

}  // namespace skimline::io
