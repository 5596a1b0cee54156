// SPDX-License-Identifier: BSD-3-Clause
#include "log.h"

#include "skimline/skims/shown_text.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string_view>

#include <nlohmann/json.hpp>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

namespace skimline::skims {
namespace {

using Json = nlohmann::ordered_json;

class JsonFormatter : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    const auto level = spdlog::level::to_string_view(message.level);
    const Json json{{"time", utc_time(message.time)},
                    {"level", std::string(level.data(), level.size())},
                    {"message", std::string(message.payload.data(), message.payload.size())}};
    const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    out.append(line.data(), line.data() + line.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<JsonFormatter>(); }
};

// Lets something be done before each message that the sink behind it shows, and nothing control the terminal.
class AnnouncingSink : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  AnnouncingSink(std::shared_ptr<spdlog::sinks::sink> shown, std::function<void()> before, bool colours)
      : shown_(std::move(shown)), before_(std::move(before)), colours_(colours) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (before_) before_();
    const ShownText text(std::string_view(message.payload.data(), message.payload.size()));
    spdlog::details::log_msg harmless = message;
    const std::string with_colours = colours_ ? coloured(text.str()) : text.str();
    harmless.payload = with_colours;
    shown_->log(harmless);
  }
  void flush_() override { shown_->flush(); }
  void set_pattern_(const std::string& pattern) override { shown_->set_pattern(pattern); }
  void set_formatter_(std::unique_ptr<spdlog::formatter> formatter) override {
    shown_->set_formatter(std::move(formatter));
  }

  std::shared_ptr<spdlog::sinks::sink> shown_;
  std::function<void()> before_;
  bool colours_;  // the text of messages, which marks itself what it is
};

spdlog::level::level_enum least_level(const LogOptions& options) {
  if (options.is_quiet) return spdlog::level::err;
  return options.is_verbose ? spdlog::level::debug : spdlog::level::info;
}

constexpr const char* kMarked = "marked";

constexpr const char* kReset = "\x1b[0m";
constexpr const char* kBold = "\x1b[1m";
constexpr const char* kBoldGreen = "\x1b[1;32m";

struct MessageKind {
  std::string_view word;
  const char* color;
};
constexpr MessageKind kMessageKinds[] = {
    {"error:", "\x1b[1;31m"}, {"warning:", "\x1b[1;35m"}, {"note:", "\x1b[1;36m"}};

bool is_mark(std::string_view line) {
  return line.find('^') != line.npos && line.find_first_not_of(" ^~") == line.npos;
}

// "a.json:4:36: error: ...", or "warning: ..." without a place.
std::string coloured_line(const std::string& line) {
  if (is_mark(line)) return kBoldGreen + line + kReset;
  if (line.starts_with(" ")) return line;  // of a config
  for (const MessageKind& kind : kMessageKinds) {
    const std::size_t place = line.starts_with(kind.word) ? 0 : line.find(": " + std::string(kind.word));
    if (place == std::string::npos) continue;
    const std::size_t begin = place == 0 ? 0 : place + 2, end = begin + kind.word.size();
    const std::string front = begin == 0 ? "" : kBold + line.substr(0, begin) + kReset;
    return front + kind.color + line.substr(begin, kind.word.size()) + kReset + line.substr(end);
  }
  return line;
}

std::shared_ptr<spdlog::logger> make_logger(const std::string& name, const char* pattern,
                                            const LogOptions& options, const std::function<void()>& before) {
  const bool has_colours = is_coloured(options);
  auto terminal = std::make_shared<spdlog::sinks::stderr_color_sink_st>(
      has_colours ? spdlog::color_mode::always : spdlog::color_mode::never);
  auto sink = std::make_shared<AnnouncingSink>(std::move(terminal), before, has_colours && name == kMarked);
  auto logger = std::make_shared<spdlog::logger>(name, std::move(sink));
  logger->set_level(least_level(options));
  logger->flush_on(spdlog::level::trace);
  if (options.format == LogFormat::kJson)
    logger->set_formatter(make_json_formatter());
  else
    logger->set_pattern(pattern);
  return logger;
}

}  // namespace

bool is_coloured(const LogOptions& options) {
  if (options.format == LogFormat::kJson || options.color == ColorMode::kNever) return false;
  if (options.color == ColorMode::kAlways) return true;
  const char *const refused = std::getenv("NO_COLOR"), *const terminal = std::getenv("TERM");
  const bool may_be = (refused == nullptr || *refused == '\0') &&
                      (terminal == nullptr || std::string_view(terminal) != "dumb");
  return may_be && isatty(STDERR_FILENO) != 0;
}

std::string coloured(const std::string& text) {
  std::string result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result += coloured_line(text.substr(begin, end - begin));
    if (end < text.size()) result += '\n';
    begin = end + 1;
  }
  return result;
}

void start_log(const LogOptions& options, const std::function<void()>& before) {
  spdlog::drop(kMarked);
  spdlog::register_logger(make_logger(kMarked, "%v", options, before));
  spdlog::set_default_logger(make_logger("skimline", "%n: %^%l%$: %v", options, before));
}

void log_marked(spdlog::level::level_enum level, const std::string& message) {
  // Loggers end the line themselves.
  const std::size_t last = message.find_last_not_of('\n');
  spdlog::get(kMarked)->log(level, "{}", message.substr(0, last == std::string::npos ? 0 : last + 1));
}

std::string error_line(const LogOptions& options, const std::string& message) {
  return options.format == LogFormat::kText ? "skimline: error: " + message + "\n"
                                            : json_line(spdlog::level::err, message);
}

std::string json_line(spdlog::level::level_enum level, const std::string& message) {
  spdlog::memory_buf_t line;
  JsonFormatter().format({"", level, message}, line);
  return std::string(line.data(), line.size());
}

std::unique_ptr<spdlog::formatter> make_json_formatter() { return std::make_unique<JsonFormatter>(); }

std::string utc_time(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  const auto since = time.time_since_epoch();
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(since).count() % 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[40];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text + length, sizeof text - length, ".%03dZ", static_cast<int>(milliseconds));
  return text;
}

}  // namespace skimline::skims
