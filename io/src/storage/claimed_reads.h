// SPDX-License-Identifier: BSD-3-Clause
// Fetching what threads have claimed: a claim has a `target` that is given bytes or failed, and waited for.
#pragma once

#include "storage/byte_ranges.h"
#include "storage/reader_threads.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

namespace skimline::io {

/// Divides claims, sorted by where their ranges begin, into those that one call of InputFile::read() is for.
template <typename Claim>
std::vector<std::vector<Claim>> groups_of_calls(std::span<const Claim> claims,
                                                std::span<const ByteRange> ranges, std::uint64_t gap,
                                                bool is_remote) {
  std::vector<std::vector<Claim>> groups;
  while (!claims.empty()) {
    const std::size_t count = count_of_call(ranges, gap, is_remote);
    groups.emplace_back(claims.begin(), claims.begin() + static_cast<std::ptrdiff_t>(count));
    claims = claims.subspan(count);
    ranges = ranges.subspan(count);
  }
  return groups;
}

template <typename Claim>
void fail_pending(std::span<const Claim> claims, const std::exception_ptr& fault) {
  for (const Claim& claim : claims)
    if (claim.target->is_pending()) claim.target->fail(fault);
}

/// Calls `fetch`; if it throws, fails what is left of the claims and returns why.
template <typename Claim, typename Fetch>
std::exception_ptr fetch_or_fail_all(std::span<const Claim> claims, const Fetch& fetch) noexcept {
  try {
    fetch();
    return nullptr;
  } catch (...) {
    fail_pending(claims, std::current_exception());
    return std::current_exception();
  }
}

/// Fetches all groups, by `fetch(group)`, which fails and returns a fault and does not throw, and waits for
/// them: with readers the first here and the others there, else one after the other until one fails. Throws
/// the first fault.
template <typename Claim, typename Fetch>
void fetch_groups(const std::vector<std::vector<Claim>>& groups, ReaderThreads* readers, const Fetch& fetch) {
  const std::size_t num_own = readers != nullptr ? std::min<std::size_t>(1, groups.size()) : groups.size();
  for (std::size_t i = num_own; i < groups.size(); ++i)
    readers->submit([fetch, group = groups[i]] { fetch(group); });
  std::exception_ptr fault;
  for (std::size_t i = 0; i < num_own; ++i) {
    if (fault)
      fail_pending(std::span<const Claim>(groups[i]), fault);
    else
      fault = fetch(groups[i]);
  }
  // What readers use must stay until they are done, also where another group has failed.
  for (const std::vector<Claim>& group : groups)
    for (const Claim& claim : group) claim.target->settle();
  for (const std::vector<Claim>& group : groups)
    for (const Claim& claim : group) claim.target->wait_until_fetched();
}

}  // namespace skimline::io
