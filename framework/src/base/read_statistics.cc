// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/read_statistics.h"

namespace skimline {

ReadStatistics& ReadStatistics::operator+=(const ReadStatistics& other) {
  bytes_read += other.bytes_read;
  read_calls += other.read_calls;
  seconds_waited += other.seconds_waited;
  pages_decoded += other.pages_decoded;
  bytes_decoded += other.bytes_decoded;
  pages_passed += other.pages_passed;
  bytes_passed += other.bytes_passed;
  pages_skipped += other.pages_skipped;
  bytes_skipped += other.bytes_skipped;
  bytes_verified += other.bytes_verified;
  bytes_unverified += other.bytes_unverified;
  return *this;
}

}  // namespace skimline
