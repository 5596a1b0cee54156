// SPDX-License-Identifier: BSD-3-Clause
// Tells on standard error how far a command is.
#pragma once

#include "log.h"

#include "skimline/skims/job_options.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace skimline::skims {

/// How it is told: a line that is written over and over, lines from time to time, these as messages of a log
/// of JSON, lines of JSON, or not.
enum class ProgressStyle { kTerminal, kLines, kMessages, kJson, kNone };

/// Makes lines of numbers. Knows neither clock nor terminal.
class ProgressText {
 public:
  using Clock = std::chrono::steady_clock;

  /// `unit` is what is counted, "events" for instance.
  ProgressText(ProgressStyle style, std::string unit, Clock::time_point start)
      : style_(style), unit_(std::move(unit)), start_(start) {}

  /// Returns the line to show, or nothing if it is too early for another one. `memory` is that of the process
  /// in bytes.
  std::optional<std::string> update(const JobProgress& job, Clock::time_point now, std::uint64_t memory);

  /// Returns the line for the end, or nothing. Only JSON has one, always.
  std::optional<std::string> finish(Clock::time_point now, std::uint64_t memory);

 private:
  std::string format(Clock::time_point now, std::uint64_t memory, bool is_done) const;
  std::string text(double seconds, std::uint64_t memory) const;
  std::string json(double seconds, std::uint64_t memory, bool is_done) const;
  double share() const;

  ProgressStyle style_;
  std::string unit_;
  Clock::time_point start_;
  std::optional<Clock::time_point> last_;
  JobProgress job_;
  std::string sample_;
};

/// Shows progress on standard error. show() may be called from any thread, but from one at a time.
class Progress {
 public:
  Progress(ProgressStyle style, std::string unit);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const JobProgress& job);
  void show(std::uint64_t done, std::uint64_t total);

  /// Shows the end. Without it, nothing remains on a terminal either.
  void finish();

  /// Makes room for another message on the terminal.
  static void clear_line();

 private:
  void put(const std::string& line);

  ProgressStyle style_;
  ProgressText text_;
};

/// Returns the style for "auto", "json" or "none", as standard error is a terminal or not, and messages are
/// objects or not.
ProgressStyle progress_style(const std::string& name, const LogOptions& log);

}  // namespace skimline::skims
