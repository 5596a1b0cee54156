// SPDX-License-Identifier: BSD-3-Clause
// What the program says beside its results, on standard error.
#pragma once

#include <functional>
#include <string>

#include <spdlog/common.h>
#include <spdlog/formatter.h>

namespace skimline::skims {

enum class LogFormat { kText, kJson };

/// Whether messages are coloured: where standard error is a terminal that can and may be, or as is said.
enum class ColorMode { kAuto, kAlways, kNever };

struct LogOptions {
  bool is_verbose = false;  ///< says what is done, too
  bool is_quiet = false;    ///< says errors only
  LogFormat format = LogFormat::kText;
  ColorMode color = ColorMode::kAuto;
};

/// Whether messages are coloured now: never as JSON, and with kAuto neither where NO_COLOR is set to anything
/// nor on a terminal that is called "dumb".
bool is_coloured(const LogOptions& options);

/// Returns marked messages with colours: places bold, what they are red, magenta or cyan, marks green.
/// Control characters must be gone from the text already.
std::string coloured(const std::string& text);

/// Makes spdlog's default logger write "skimline: error: message" or, as JSON, one object per line with
/// "time", "level" and "message". `before` is called before each message.
void start_log(const LogOptions& options, const std::function<void()>& before = {});

/// Logs a message that says itself where it belongs, such as "analysis.json:4:36: warning: ..." with a mark
/// below: as text it is shown as it is.
void log_marked(spdlog::level::level_enum level, const std::string& message);

/// Returns the line that the log shows for an error, for where it cannot be used.
std::string error_line(const LogOptions& options, const std::string& message);

/// Returns the line of a log of JSON, for where the log cannot be used.
std::string json_line(spdlog::level::level_enum level, const std::string& message);

/// Returns the formatter behind LogFormat::kJson. What is not UTF-8 in a message is replaced.
std::unique_ptr<spdlog::formatter> make_json_formatter();

/// Returns the time as "2025-03-07T09:05:03.120Z".
std::string utc_time(std::chrono::system_clock::time_point time);

}  // namespace skimline::skims
