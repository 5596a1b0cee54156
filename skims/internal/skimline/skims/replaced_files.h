// SPDX-License-Identifier: BSD-3-Clause
// No file is lost: what exists is replaced only if it is plainly an older output of the same job, or if that
// is asked for.
#pragma once

#include "skimline/skims/config.h"
#include "skimline/skims/job_options.h"

#include <string>
#include <vector>

namespace skimline::skims {

struct WrittenFile;

/// The job of a command whose outputs follow from these texts, paths for instance.
std::string job_called(const std::string& command, const std::vector<std::string>& arguments);

/// Throws ConfigError if `path` is a file that is neither empty nor written by `job`, as io::job_of() knows.
void check_replaced(const std::string& path, const std::string& job);

/// Throws ConfigError, which lists them, if a run of the config would replace files that no run of it has
/// written. Of files whose job is not known, as they were copied or their storage keeps no attributes, their
/// record or form must fit. Nothing is checked if the options allow to replace any.
void check_replaced(const Config& config, const JobOptions& options);

/// Whether the same check lets a run of the config replace this file, or take it away.
bool may_replace(const WrittenFile& file, const Config& config, const JobOptions& options);

/// Returns the job that writes the output `path` of the config: it is known by where the config is, as seen
/// from there, so that both may move.
std::string job_of_run(const Config& config, const std::string& path);

}  // namespace skimline::skims
