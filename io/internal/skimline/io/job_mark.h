// SPDX-License-Identifier: BSD-3-Clause
// Which job has written a file, kept beside its content: the attribute "user.skimline.job".
#pragma once

#include <optional>
#include <string>

namespace skimline::io {

/// Notes that `job` has written the file. Storage that keeps no attributes is left as it is.
void mark_as_output(const std::string& path, const std::string& job);

/// Returns the job that has written the file; nothing if that is not known, or its size is another one since.
std::optional<std::string> job_of(const std::string& path);

}  // namespace skimline::io
