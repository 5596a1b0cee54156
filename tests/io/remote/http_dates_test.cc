// SPDX-License-Identifier: BSD-3-Clause
#include "remote/http_dates.h"

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

TEST(HttpDates, AreSecondsSince1970) {
  EXPECT_EQ(seconds_of_http_date("Thu, 01 Jan 1970 00:00:00 GMT"), 0);
  EXPECT_EQ(seconds_of_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), 784111777);
  EXPECT_EQ(seconds_of_http_date("Thu, 29 Feb 2024 23:59:59 GMT"), 1709251199);
  EXPECT_EQ(seconds_of_http_date("Tue, 19 Jan 2038 03:14:08 GMT"), std::int64_t{1} << 31);
}

TEST(HttpDates, OthersAreNone) {
  for (const char* text :
       {"", "0", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 anF 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Sun, 00 Nov 1994 08:49:37 GMT"})
    EXPECT_EQ(seconds_of_http_date(text), std::nullopt) << text;
}

TEST(HttpDates, ASecondIsOverLater) {
  EXPECT_FALSE(is_second_over(100, 99));
  EXPECT_FALSE(is_second_over(100, 100));
  EXPECT_FALSE(is_second_over(100, 101));
  EXPECT_TRUE(is_second_over(100, 102));
}

}  // namespace
}  // namespace skimline::io
