// SPDX-License-Identifier: BSD-3-Clause
#include "log.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <spdlog/details/log_msg.h>

namespace skimline::skims {
namespace {

std::string as_json(const std::string& message) {
  spdlog::details::log_msg shown("skimline", spdlog::level::warn, message);
  shown.time = std::chrono::system_clock::time_point(std::chrono::milliseconds(1741338303120));
  spdlog::memory_buf_t line;
  make_json_formatter()->format(shown, line);
  return {line.data(), line.size()};
}

TEST(JsonLog, IsOneValidObjectWhateverTheMessage) {
  std::string all_bytes;
  for (int byte = 0; byte < 256; ++byte) all_bytes += static_cast<char>(byte);
  for (const std::string& message : {std::string("plain"), std::string("a\nb\t\"c\" \\ {} %v"),
                                     std::string("ü"), std::string(), all_bytes}) {
    const std::string line = as_json(message);
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    const auto json = nlohmann::json::parse(line);
    EXPECT_EQ(json.size(), 3U);
    EXPECT_EQ(json.at("level"), "warning");
    EXPECT_EQ(json.at("time"), "2025-03-07T09:05:03.120Z");
    if (message != all_bytes) {
      EXPECT_EQ(json.at("message"), message);
    }
  }
}

}  // namespace
}  // namespace skimline::skims
