// SPDX-License-Identifier: BSD-3-Clause
// The sums that RFC 1321 gives, and pieces of any size.
#include "remote/md5.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

std::string sum_of(std::string_view text) { return hex_text(md5_of(std::as_bytes(std::span(text)))); }

TEST(Md5, IsWhatTheStandardSays) {
  EXPECT_EQ(sum_of(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(sum_of("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(sum_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
            "d174ab98d277d9f5a5611c2c9f419d9f");
  EXPECT_EQ(sum_of("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(Md5, IsTheSameOfPieces) {
  const std::string text(1000, 'x');
  for (const std::size_t size : {1, 55, 56, 63, 64, 65, 999}) {
    Md5 sum;
    for (std::size_t at = 0; at < text.size(); at += size)
      sum.add(std::as_bytes(std::span(std::string_view(text).substr(at, size))));
    EXPECT_EQ(hex_text(sum.finish()), sum_of(text)) << size;
  }
}

TEST(Md5, IsSentInBase64) {
  EXPECT_EQ(base64_text(md5_of({})), "1B2M2Y8AsgTpgAmY7PhCfg==");
  constexpr std::uint8_t kThree[] = {'a', 'b', 'c'};
  EXPECT_EQ(base64_text(std::span(kThree)), "YWJj");
  EXPECT_EQ(base64_text(std::span(kThree).first(2)), "YWI=");
}

}  // namespace
}  // namespace skimline::io
