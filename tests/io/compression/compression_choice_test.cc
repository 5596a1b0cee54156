// SPDX-License-Identifier: BSD-3-Clause
#include "compression/compression_choice.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <zstd.h>

namespace skimline::io {
namespace {

using Bytes = std::vector<std::byte>;

const CompressionSetting kNothing{CompressionAlgorithm::kNone, 0};
const CompressionSetting kQuick{CompressionAlgorithm::kZstd, 1};
const CompressionSetting kThorough{CompressionAlgorithm::kZstd, 5};

template <typename Next>
Bytes bytes_of(std::size_t size, Next next) {
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(next());
  return bytes;
}

// What zstd itself says of a block with ROOT's header, which is stored raw if it is no smaller.
double stored_size(const Bytes& raw, int level) {
  Bytes compressed(ZSTD_compressBound(raw.size()));
  const std::size_t size =
      9 + ZSTD_compress(compressed.data(), compressed.size(), raw.data(), raw.size(), level);
  return static_cast<double>(std::min(size, raw.size()));
}

// The rule as docs/rationale.md has it, in microseconds.
CompressionSetting expected_choice(const Bytes& raw) {
  const auto size = static_cast<double>(raw.size());
  const double nothing = 0.4 * size, quick = 0.4 * stored_size(raw, 1) + 0.0008 * size,
               thorough = 0.4 * stored_size(raw, 5) + 0.003 * size;
  if (nothing <= quick && nothing <= thorough) return kNothing;
  return quick <= thorough ? kQuick : kThorough;
}

TEST(CompressionChoice, IsWhatTheRuleSays) {
  std::mt19937_64 random(1);
  std::set<std::string> chosen;
  for (const std::size_t size : {1u, 30u, 100u, 5000u, 65'536u})
    for (int kind = 0; kind < 40; ++kind) {
      const std::string words = "a few words of a text that come again and again, in another order";
      const Bytes sample =
          kind % 2 == 0 ? bytes_of(size, [&] { return random() % (2u + 13u * kind) / (1u + kind % 3); })
                        : bytes_of(size, [&, at = std::size_t{0}]() mutable {
                            if (random() % (2u + kind) == 0) at = random() % words.size();
                            return words[at++ % words.size()];
                          });
      const CompressionSetting choice = choose_compression(sample);
      EXPECT_EQ(choice, expected_choice(sample)) << "kind " << kind << ", " << size << " bytes";
      chosen.insert(compression_name(choice.root_number()));
    }
  EXPECT_EQ(chosen, (std::set<std::string>{"none", "zstd:1", "zstd:5"}));
}

TEST(CompressionChoice, OfWhatDoesNotCompressAndOfNothing) {
  std::mt19937_64 random(2);
  EXPECT_EQ(choose_compression(bytes_of(65'536, random)), kNothing);
  EXPECT_EQ(choose_compression({}), kNothing);
  EXPECT_EQ(choose_compression(Bytes(65'536)), kQuick);
}

TEST(CompressionChoice, KnowsWhatItMayChoose) {
  EXPECT_EQ(choice_numbered(501), kQuick);
  EXPECT_EQ(choice_numbered(505), kThorough);
  for (const std::uint32_t number : {0u, 1u, 101u, 207u, 401u, 404u, 500u, 502u, 506u, 519u, 4'294'967'295u})
    EXPECT_EQ(choice_numbered(number), std::nullopt) << number;
}

TEST(CompressionChoice, IsAskedForByName) {
  EXPECT_EQ(parse_writer_compression("auto"), std::nullopt);
  EXPECT_EQ(parse_writer_compression("zstd:1"), kQuick);
  EXPECT_EQ(parse_writer_compression("none"), kNothing);
  EXPECT_TRUE(may_compress(std::nullopt));
  EXPECT_TRUE(may_compress(kQuick));
  EXPECT_FALSE(may_compress(kNothing));
  for (const char* text : {"", "Auto", "auto:1", "zstd:20", "zip"}) try {
      parse_writer_compression(text);
      ADD_FAILURE() << text;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("\"auto\", \"none\""), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace skimline::io
