// SPDX-License-Identifier: BSD-3-Clause
// Outputs in object stores: sent in parts, which are an object once the store is told that they are all.
#pragma once

#include "remote/remote_output.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace skimline::io {

std::unique_ptr<RemoteOutput> s3_output(const std::string& name);

/// Nothing if there is no such object. Throws FileError.
std::optional<std::uint64_t> s3_size(const std::string& name);

}  // namespace skimline::io
