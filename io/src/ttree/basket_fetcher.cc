// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/basket_fetcher.h"

#include "storage/byte_ranges.h"

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

void BasketFetcher::fetch_together(std::span<const BasketClaim> claims, std::uint64_t end) const {
  const std::uint64_t begin = basket(claims.front().which).offset;
  const auto bytes = std::make_shared<const BufferPool::Buffer>(pool.take(end - begin));
  try {
    file.read(begin, {bytes->get(), end - begin});
  } catch (const FileError& problem) {
    const std::string prefix = problem.path() + ": ";
    const std::string text = problem.what();
    throw located(claims.front().which, text.starts_with(prefix) ? text.substr(prefix.size()) : text,
                  problem.fault());
  }
  ++counts.read_calls;
  for (const BasketClaim& claim : claims) {
    const TreeBasket& where = basket(claim.which);
    counts.bytes_read += where.size;
    claim.target->provide(bytes, {bytes->get() + (where.offset - begin), where.size});
  }
}

void BasketFetcher::fetch(std::vector<BasketClaim> claims) const {
  const auto in_file = std::partition(claims.begin(), claims.end(), [this](const BasketClaim& claim) {
    return basket(claim.which).is_embedded;
  });
  for (auto claim = claims.begin(); claim != in_file; ++claim)
    claim->target->provide(nullptr, embedded(basket(claim->which)));
  std::sort(in_file, claims.end(), [this](const BasketClaim& a, const BasketClaim& b) {
    return basket(a.which).offset < basket(b.which).offset;
  });
  const std::span<const BasketClaim> stored(in_file, claims.end());
  std::vector<ByteRange> ranges;
  for (const BasketClaim& claim : stored) {
    const TreeBasket& where = basket(claim.which);
    ranges.push_back({where.offset, where.offset + where.size});
  }
  try {
    for (std::size_t done = 0; done < stored.size();) {
      const std::span<const ByteRange> left = std::span(ranges).subspan(done);
      const std::size_t count = count_together(left, coalesce_gap);
      std::uint64_t end = 0;
      for (const ByteRange& range : left.first(count)) end = std::max(end, range.end);
      fetch_together(stored.subspan(done, count), end);
      done += count;
    }
  } catch (...) {
    for (const BasketClaim& claim : stored)
      if (claim.target->is_pending()) claim.target->fail(std::current_exception());
    throw;
  }
}

}  // namespace skimline::io
