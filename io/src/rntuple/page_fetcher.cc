// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/page_fetcher.h"

#include "rntuple/stored_page.h"
#include "storage/claimed_reads.h"
#include "storage/coalesced_reads.h"

#include "skimline/io/compression.h"
#include "skimline/io/format_error.h"

#include <algorithm>
#include <exception>

namespace skimline::io {
namespace {

std::uint64_t stored_end(const PageInfo& page) { return page.locator.offset + stored_size(page); }

std::vector<ByteRange> ranges_of(std::span<const Claim> claims) {
  std::vector<ByteRange> ranges;
  for (const Claim& claim : claims) ranges.push_back({claim.info().locator.offset, stored_end(claim.info())});
  return ranges;
}

// Memory for pages between decompression and decoding; kept by the thread, never zeroed.
std::span<std::byte> scratch(std::size_t size) {
  thread_local std::unique_ptr<std::byte[]> memory;
  thread_local std::size_t capacity = 0;
  if (size > capacity) {
    memory.reset(new std::byte[size]);
    capacity = size;
  }
  return {memory.get(), size};
}

std::string place_of(const Claim& claim) {
  return "page at byte " + std::to_string(claim.info().locator.offset) + ": ";
}

std::string without_path(const FileError& error) {
  const std::string text = error.what();
  const std::string prefix = error.path() + ": ";
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

}  // namespace

FileError PageFetcher::located(std::size_t stream, std::size_t cluster, const std::string& problem,
                               FileFault fault) const {
  const ClusterDescriptor& where = descriptor.clusters[cluster];
  return FileError(file.path(),
                   "RNTuple \"" + descriptor.name + "\", column \"" + streams[stream].name + "\", cluster " +
                       std::to_string(cluster) + " (entries " + std::to_string(where.first_entry) + " to " +
                       std::to_string(where.first_entry + where.num_entries) + "): " + problem,
                   fault);
}

FileError PageFetcher::error(std::size_t stream, std::size_t cluster, const std::string& problem) const {
  try {
    file.check_unchanged();
  } catch (const FileError& change) {
    return change;
  }
  return located(stream, cluster, problem, FileFault::kDamaged);
}

FileError PageFetcher::page_error(std::size_t cluster, const Claim& claim, const std::string& problem) const {
  return error(claim.stream, cluster, place_of(claim) + problem);
}

bool PageFetcher::is_proven(const PageInfo& page, std::span<const std::byte> stored) const {
  const std::span<const std::byte> block = verified_block(page, stored);
  if (!page.has_checksum && checksums != nullptr && !block.empty())
    checksums->verify(page.locator.offset, block);
  return page.has_checksum || checksums != nullptr;
}

void PageFetcher::note_verified(std::size_t cluster, const Claim& claim, bool is_verified) const {
  if (is_verified) return claim.target->note_verified();
  if (requires_checksums)
    throw located(claim.stream, cluster, place_of(claim) + "has no checksum, and what is read must have one",
                  FileFault::kUnverified);
}

// Whether the stored bytes are the elements, where they can be used as they lie.
bool PageFetcher::is_in_place(const Claim& claim) const {
  const Stream& stream = streams[claim.stream];
  const PageEncoding& encoding = claim.layout->encoding;
  const bool is_same = stream.is_raw ? is_plain_raw(encoding) : is_plain(encoding, stream.scalar);
  const auto address = reinterpret_cast<std::uintptr_t>(claim.target->stored().data());
  return is_same && claim.info().locator.size == claim.info().num_elements * stream.element_size &&
         address % stream.element_size == 0;
}

void PageFetcher::verify(std::size_t cluster, const Claim& claim) const {
  note_verified(cluster, claim, is_proven(claim.info(), claim.target->stored()));
  ++counts.pages_decoded;
  counts.bytes_decoded += claim.info().locator.size;
}

BufferPool::Buffer PageFetcher::decoded(std::size_t cluster, const Claim& claim) const {
  const PageInfo& page = claim.info();
  const PageEncoding& encoding = claim.layout->encoding;
  const Stream& stream = streams[claim.stream];
  const std::span<const std::byte> stored = claim.target->stored();
  bool is_verified = is_proven(page, stored);
  const std::span<const std::byte> block = stored.first(page.locator.size);
  const std::size_t raw_size = encoded_size(encoding, page.num_elements);
  const std::size_t size = page.num_elements * stream.element_size;
  BufferPool::Buffer elements = pool.take(size);
  const auto decode = [&](std::span<const std::byte> raw) {
    if (stream.is_raw)
      decode_raw_page(encoding, raw, page.num_elements, elements.get());
    else
      decode_page(encoding, raw, page.num_elements, stream.scalar, elements.get());
  };
  if (!stream.is_raw && is_plain(encoding, stream.scalar)) {
    is_verified |= decompress_block(block, {elements.get(), raw_size});
  } else if (block.size() == raw_size) {
    decode(block);
  } else {
    const std::span<std::byte> raw = scratch(raw_size);
    is_verified |= decompress_block(block, raw);
    decode(raw);
  }
  note_verified(cluster, claim, is_verified);
  ++counts.pages_decoded;
  counts.bytes_decoded += size;
  return elements;
}

void PageFetcher::decode_or_throw(std::size_t cluster, const Claim& claim) const {
  try {
    if (is_in_place(claim)) {
      verify(cluster, claim);
      claim.target->set_as_stored();
    } else {
      claim.target->set(decoded(cluster, claim), streams[claim.stream].keeps_stored());
    }
  } catch (const FormatError& problem) {
    throw page_error(cluster, claim, problem.what());
  }
}

void PageFetcher::decode(std::size_t cluster, const Claim& claim) const noexcept {
  try {
    decode_or_throw(cluster, claim);
  } catch (...) {
    claim.target->fail(std::current_exception());
  }
}

void PageFetcher::fetch_together(std::size_t cluster, std::span<const Claim> claims) const {
  const CoalescedReads parts(ranges_of(claims), gap(), pool);
  std::uint64_t num_requests = 0;
  try {
    num_requests = file.read(parts.reads());
  } catch (const FileError& problem) {
    throw located(claims.front().stream, cluster, place_of(claims.front()) + without_path(problem),
                  problem.fault());
  }
  counts.read_calls += num_requests;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (num_requests > 0) counts.bytes_read += parts.bytes(i).size();
    claims[i].target->provide(parts.memory(i), parts.bytes(i));
  }
}

std::vector<std::vector<Claim>> PageFetcher::groups(std::vector<Claim> claims) const {
  std::stable_sort(claims.begin(), claims.end(), [](const Claim& a, const Claim& b) {
    return a.info().locator.offset < b.info().locator.offset;
  });
  const std::vector<ByteRange> ranges = ranges_of(claims);
  return groups_of_calls<Claim>(claims, ranges, gap(), file.is_remote());
}

std::exception_ptr PageFetcher::fetch_or_fail(std::size_t cluster,
                                              std::span<const Claim> together) const noexcept {
  return fetch_or_fail_all(together, [&] { fetch_together(cluster, together); });
}

void PageFetcher::settle(const Page& page) const {
  if (!page.is_pending()) return;
  const CountedWait wait(counts);
  page.settle();
}

void PageFetcher::wait_for(const Page& page) const {
  settle(page);
  page.wait_until_fetched();
}

void PageFetcher::fetch(std::size_t cluster, std::vector<Claim> claims) const {
  const CountedWait wait(counts);
  fetch_groups(groups(std::move(claims)), readers,
               [fetcher = *this, cluster](std::span<const Claim> together) {
                 return fetcher.fetch_or_fail(cluster, together);
               });
}

}  // namespace skimline::io
