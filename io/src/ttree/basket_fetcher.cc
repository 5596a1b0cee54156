// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/basket_fetcher.h"

#include "storage/claimed_reads.h"
#include "storage/coalesced_reads.h"

#include <algorithm>

namespace skimline::io {

FileError BasketFetcher::located(BasketNumber which, const std::string& problem, FileFault fault) const {
  const TreeBasket& where = basket(which);
  std::string text = "TTree \"" + tree.path + "\", branch \"" + tree.branches[which.branch].name +
                     "\", basket " + std::to_string(which.number) + " (entries " +
                     std::to_string(where.first_entry) + " to " + std::to_string(where.end_entry()) + ") ";
  text += where.is_embedded ? "in the tree's own record" : "at byte " + std::to_string(where.offset);
  return FileError(file.path(), text + ": " + problem, fault);
}

FileError BasketFetcher::error(BasketNumber which, const std::string& problem) const {
  try {
    file.check_unchanged();
  } catch (const FileError& change) {
    return change;
  }
  return located(which, problem, FileFault::kDamaged);
}

void BasketFetcher::verify(BasketNumber which, std::span<const std::byte> record) const {
  const TreeBasket& where = basket(which);
  if (checksums != nullptr && !where.is_embedded) checksums->verify(where.offset, record);
}

bool BasketFetcher::is_verified(BasketNumber which, const UnpackedBasket& unpacked) const {
  const bool is_verified =
      checksums != nullptr || (basket(which).is_embedded ? tree.is_object_verified : unpacked.is_verified);
  if (!is_verified && requires_checksums)
    throw located(which, "has no checksum, and what is read must have one", FileFault::kUnverified);
  return is_verified;
}

std::span<const std::byte> BasketFetcher::embedded(const TreeBasket& basket) const {
  return std::span(tree.object).subspan(basket.offset, basket.size);
}

std::span<const std::byte> BasketFetcher::read(BasketNumber which, BufferPool::Buffer& memory) const {
  const TreeBasket& where = basket(which);
  if (where.is_embedded) return embedded(where);
  memory = pool.take(where.size);
  file.read(where.offset, {memory.get(), where.size});
  ++counts.read_calls;
  counts.bytes_read += where.size;
  return {memory.get(), where.size};
}

std::vector<ByteRange> BasketFetcher::ranges_of(std::span<const BasketClaim> claims) const {
  std::vector<ByteRange> ranges;
  for (const BasketClaim& claim : claims)
    ranges.push_back({basket(claim.which).offset, basket(claim.which).offset + basket(claim.which).size});
  return ranges;
}

void BasketFetcher::fetch_together(std::span<const BasketClaim> claims) const {
  const CoalescedReads parts(ranges_of(claims), gap(), pool);
  std::uint64_t num_requests = 0;
  try {
    num_requests = file.read(parts.reads());
  } catch (const FileError& problem) {
    const std::string prefix = problem.path() + ": ";
    const std::string text = problem.what();
    throw located(claims.front().which, text.starts_with(prefix) ? text.substr(prefix.size()) : text,
                  problem.fault());
  }
  counts.read_calls += num_requests;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (num_requests > 0) counts.bytes_read += parts.bytes(i).size();
    claims[i].target->provide(parts.memory(i), parts.bytes(i));
  }
}

std::vector<std::vector<BasketClaim>> BasketFetcher::groups(std::vector<BasketClaim> claims) const {
  const auto in_file = std::partition(claims.begin(), claims.end(), [this](const BasketClaim& claim) {
    return basket(claim.which).is_embedded;
  });
  for (auto claim = claims.begin(); claim != in_file; ++claim)
    claim->target->provide(nullptr, embedded(basket(claim->which)));
  std::sort(in_file, claims.end(), [this](const BasketClaim& a, const BasketClaim& b) {
    return basket(a.which).offset < basket(b.which).offset;
  });
  const std::vector<ByteRange> ranges = ranges_of({in_file, claims.end()});
  return groups_of_calls<BasketClaim>({in_file, claims.end()}, ranges, gap(), file.is_remote());
}

std::exception_ptr BasketFetcher::fetch_or_fail(std::span<const BasketClaim> together) const noexcept {
  return fetch_or_fail_all(together, [&] { fetch_together(together); });
}

void BasketFetcher::wait_for(const SharedBasket& basket) const {
  if (!basket.is_pending()) return basket.wait_until_fetched();
  const CountedWait wait(counts);
  basket.wait_until_fetched();
}

void BasketFetcher::fetch(std::vector<BasketClaim> claims) const {
  const CountedWait wait(counts);
  fetch_groups(groups(std::move(claims)), readers, [fetcher = *this](std::span<const BasketClaim> together) {
    return fetcher.fetch_or_fail(together);
  });
}

}  // namespace skimline::io
