// SPDX-License-Identifier: BSD-3-Clause
#include "log.h"

#include "skimline/skims/shown_text.h"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>

#include <nlohmann/json.hpp>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

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
  AnnouncingSink(std::shared_ptr<spdlog::sinks::sink> shown, std::function<void()> before)
      : shown_(std::move(shown)), before_(std::move(before)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (before_) before_();
    const ShownText text(std::string_view(message.payload.data(), message.payload.size()));
    spdlog::details::log_msg harmless = message;
    harmless.payload = text.str();
    shown_->log(harmless);
  }
  void flush_() override { shown_->flush(); }
  void set_pattern_(const std::string& pattern) override { shown_->set_pattern(pattern); }
  void set_formatter_(std::unique_ptr<spdlog::formatter> formatter) override {
    shown_->set_formatter(std::move(formatter));
  }

  std::shared_ptr<spdlog::sinks::sink> shown_;
  std::function<void()> before_;
};

spdlog::level::level_enum least_level(const LogOptions& options) {
  if (options.is_quiet) return spdlog::level::err;
  return options.is_verbose ? spdlog::level::debug : spdlog::level::info;
}

constexpr const char* kMarked = "marked";

std::shared_ptr<spdlog::logger> make_logger(const char* name, const char* pattern, const LogOptions& options,
                                            const std::function<void()>& before) {
  auto sink =
      std::make_shared<AnnouncingSink>(std::make_shared<spdlog::sinks::stderr_color_sink_st>(), before);
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

void start_log(const LogOptions& options, std::function<void()> before) {
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
  if (options.format == LogFormat::kText) return "skimline: error: " + message + "\n";
  spdlog::memory_buf_t line;
  JsonFormatter().format({"", spdlog::level::err, message}, line);
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
