// SPDX-License-Identifier: BSD-3-Clause
#include "progress.h"

#include "base/process_facts.h"

#include "skimline/framework/number_text.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <string>

#include <nlohmann/json.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

namespace skimline::skims {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::milliseconds kTerminalInterval{100}, kJsonInterval{500};
constexpr std::chrono::seconds kLineInterval{30};
// Runs on a terminal that are over by then show nothing.
constexpr std::chrono::seconds kTerminalPatience{1};

std::atomic<bool> line_is_shown{false};

// "812", "1.23 M"
std::string short_number(double value) {
  const char* prefixes[] = {"", " k", " M", " G", " T"};
  std::size_t power = 0;
  for (; value >= 999.5 && power + 1 < std::size(prefixes); ++power) value /= 1000;
  const int decimals = power == 0 ? 0 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fixed_digits(value, decimals) + prefixes[power];
}

std::string bytes_text(double bytes) {
  const std::string number = short_number(bytes);
  return number + (number.find(' ') == std::string::npos ? " B" : "B");
}

// "0:42", "1:02:03"
std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(seconds));
  char text[48];
  if (whole >= 3600)
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
  else
    std::snprintf(text, sizeof text, "%lld:%02lld", whole / 60, whole % 60);
  return text;
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

// "[=====>    ]": ASCII, as the line is cut where the terminal ends.
std::string bar(double share) {
  constexpr std::size_t kWidth = 20;
  const auto filled = static_cast<std::size_t>(share * kWidth);
  return "[" + std::string(filled, '=') + (filled < kWidth ? ">" : "") +
         std::string(kWidth - std::min(filled + 1, kWidth), ' ') + "] ";
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

double remaining_seconds(double share, double seconds) {
  return share > 0 ? seconds * (1 - share) / share : 0;
}

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

// One call for a line, which other writers to the same file cannot break.
void write_to_standard_error(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::optional<std::string> ProgressText::update(const JobProgress& job, Clock::time_point now,
                                                std::uint64_t memory) {
  if (style_ == ProgressStyle::kNone) return std::nullopt;
  job_ = job;
  sample_ = job.sample;
  job_.sample = sample_;
  // Short runs say nothing.
  if (style_ == ProgressStyle::kTerminal && now - start_ < kTerminalPatience) return std::nullopt;
  const bool are_lines = style_ == ProgressStyle::kLines || style_ == ProgressStyle::kMessages;
  const Clock::time_point last = last_.value_or(are_lines ? start_ : Clock::time_point::min());
  const Clock::duration interval = are_lines                        ? Clock::duration(kLineInterval)
                                   : style_ == ProgressStyle::kJson ? Clock::duration(kJsonInterval)
                                                                    : Clock::duration(kTerminalInterval);
  if (last != Clock::time_point::min() && now - last < interval) return std::nullopt;
  last_ = now;
  return format(now, memory, false);
}

std::optional<std::string> ProgressText::finish(Clock::time_point now, std::uint64_t memory) {
  if (style_ != ProgressStyle::kJson) return std::nullopt;
  return format(now, memory, true);
}

std::string ProgressText::format(Clock::time_point now, std::uint64_t memory, bool is_done) const {
  const double seconds = std::chrono::duration<double>(now - start_).count();
  return style_ == ProgressStyle::kJson ? json(seconds, memory, is_done) : text(seconds, memory);
}

// Of the bytes where they are known, else of the entries.
double ProgressText::share() const {
  const double part =
      job_.num_bytes > 0
          ? ratio(static_cast<double>(job_.bytes_done), static_cast<double>(job_.num_bytes))
          : ratio(static_cast<double>(job_.entries_done), static_cast<double>(job_.num_entries));
  return std::min(part, 1.0);
}

std::string ProgressText::text(double seconds, std::uint64_t memory) const {
  const std::string percent = std::to_string(static_cast<int>(100 * share())) + " %";
  std::string line = style_ == ProgressStyle::kTerminal ? bar(share()) + right(percent, 5) : percent;
  if (!sample_.empty()) line += "  " + sample_;
  if (job_.num_files > 0)
    line += "  " + std::to_string(job_.files_done) + "/" + std::to_string(job_.num_files) +
            (job_.num_files == 1 ? " file" : " files");
  const double rate = ratio(static_cast<double>(job_.entries_done), seconds);
  line += "  " + short_number(rate) + " " + unit_ + "/s";
  if (job_.num_bytes > 0)
    line += "  " + bytes_text(ratio(static_cast<double>(job_.bytes_done), seconds)) + "/s";
  if (share() > 0) line += "  " + duration_text(remaining_seconds(share(), seconds)) + " left";
  return line + "  " + bytes_text(static_cast<double>(memory)) + " memory";
}

std::string ProgressText::json(double seconds, std::uint64_t memory, bool is_done) const {
  const Json json{{"progress", share()},
                  {"done", is_done},
                  {"sample", sample_},
                  {unit_, job_.entries_done},
                  {"all_" + unit_, job_.num_entries},
                  {"files", job_.files_done},
                  {"all_files", job_.num_files},
                  {"bytes", job_.bytes_done},
                  {"all_bytes", job_.num_bytes},
                  {"seconds", seconds},
                  {"remaining_seconds", is_done ? 0 : remaining_seconds(share(), seconds)},
                  {"memory", memory}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Progress::Progress(ProgressStyle style, std::string unit)
    : style_(style), text_(style, std::move(unit), ProgressText::Clock::now()) {}

Progress::~Progress() { clear_line(); }

void Progress::show(const JobProgress& job) {
  if (style_ == ProgressStyle::kNone) return;
  if (const auto line = text_.update(job, ProgressText::Clock::now(), current_memory())) put(*line);
}

void Progress::show(std::uint64_t done, std::uint64_t total) {
  JobProgress job;
  job.entries_done = done;
  job.num_entries = total;
  show(job);
}

void Progress::finish() {
  clear_line();
  if (const auto line = text_.finish(ProgressText::Clock::now(), current_memory())) put(*line);
}

void Progress::clear_line() {
  if (line_is_shown.exchange(false)) write_to_standard_error("\r\x1b[K");
}

void Progress::put(const std::string& line) {
  if (style_ == ProgressStyle::kMessages)
    return write_to_standard_error(json_line(spdlog::level::info, line));
  if (style_ != ProgressStyle::kTerminal) return write_to_standard_error(line + "\n");
  line_is_shown = true;
  write_to_standard_error("\r" + line.substr(0, terminal_width() - 1) + "\x1b[K");
}

ProgressStyle progress_style(const std::string& name, const LogOptions& log) {
  if (name == "json") return ProgressStyle::kJson;
  if (name == "none" || log.is_quiet) return ProgressStyle::kNone;
  if (log.format == LogFormat::kJson) return ProgressStyle::kMessages;
  return isatty(STDERR_FILENO) != 0 ? ProgressStyle::kTerminal : ProgressStyle::kLines;
}

}  // namespace skimline::skims
