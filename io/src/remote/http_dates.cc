// SPDX-License-Identifier: BSD-3-Clause
#include "remote/http_dates.h"

#include <chrono>
#include <cstdio>
#include <string_view>

namespace skimline::io {
namespace {

// The number of a month from 1 on; 0 for none.
unsigned month_of(std::string_view name) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::size_t at = name.size() == 3 ? kMonths.find(name) : std::string_view::npos;
  return at == std::string_view::npos || at % 3 != 0 ? 0 : static_cast<unsigned>(at / 3 + 1);
}

}  // namespace

std::optional<std::int64_t> seconds_of_http_date(const std::string& text) {
  namespace chrono = std::chrono;
  unsigned day = 0;
  int year = 0, hour = 0, minute = 0, second = 0, end = 0;
  char month[4] = "";
  const int found = std::sscanf(text.c_str(), "%*3[A-Za-z], %2u %3[A-Za-z] %4d %2d:%2d:%2d GMT%n", &day,
                                month, &year, &hour, &minute, &second, &end);
  const chrono::year_month_day date{chrono::year(year), chrono::month(month_of(month)), chrono::day(day)};
  if (found != 6 || end == 0 || !date.ok()) return std::nullopt;
  const auto time = chrono::sys_days(date) + chrono::hours(hour) + chrono::minutes(minute);
  return chrono::duration_cast<chrono::seconds>(time.time_since_epoch()).count() + second;
}

// Clocks of servers and of what they have files from may differ a little.
bool is_second_over(std::int64_t modified, std::int64_t now) { return now - modified >= 2; }

std::int64_t seconds_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

}  // namespace skimline::io
