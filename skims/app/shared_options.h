// SPDX-License-Identifier: BSD-3-Clause
// Options that several commands have.
#pragma once

#include "skimline/skims/config.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace skimline::skims {

/// Returns what "2/8" says, for an option. Throws CLI::ValidationError.
Shard share_of(const char* option, const std::string& text);

/// Why a text is no number that is counted from 0, for checks of options; empty if it may be one. A negative
/// number, or a larger one, would be taken for one near 2^64.
std::string problem_of_count(const std::string& text);

/// Adds --force to a command that writes files: whether they may replace any.
void add_force(CLI::App& command, bool& force);

/// Adds --cache, which counts for all files behind URLs.
void add_cache(CLI::App& command);

/// Adds --progress: auto, json or none.
void add_progress(CLI::App& command, std::string& progress);

/// What --compression takes; where a file is written anew also "auto".
inline constexpr const char* kCompressions =
    "none, zstd:1 to zstd:19, lz4:1 to lz4:12, zlib:1 to zlib:9, lzma:1 to lzma:9";

/// Adds --compression of an output that is written anew; its default is what `compression` is.
void add_compression(CLI::App& command, std::string& compression);

/// Adds --threads. 0 means one per core.
void add_threads(CLI::App& command, int& threads,
                 const char* description = "Threads to use; 0 means one per core. Results do not change");

/// Returns how many threads there are to be had of those wanted. Logs a warning if these are fewer.
int granted_threads(int wanted);

/// Adds what every command that takes a config understands beside it: --set, --input, --samples,
/// --limit-files, --limit-events, --shard and --cache.
void add_config_options(CLI::App& command, ConfigOptions& options);

/// Adds --allow-duplicates and --require-checksums.
void add_input_checks(CLI::App& command, ConfigOptions& options);

/// Adds an option that may be given several times, with one text each.
void add_list(CLI::App& command, const std::string& name, std::vector<std::string>& list,
              const std::string& description);

/// Adds --memory-limit.
void add_memory_limit(CLI::App& command, ConfigOptions& options);

/// Throws ConfigError if a pattern of --include matches none of the `names` of histograms.
void refuse_unmatched(const std::vector<std::string>& names, const std::vector<std::string>& patterns);

}  // namespace skimline::skims
