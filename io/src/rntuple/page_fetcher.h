// SPDX-License-Identifier: BSD-3-Clause
// From claimed pages to decoded ones: coalesced reads, checksums, decompression, decoding.
#pragma once

#include "rntuple/cluster_pages.h"
#include "root/checksum_file.h"
#include "storage/buffer_pool.h"
#include "storage/byte_ranges.h"
#include "storage/reader_threads.h"

#include "skimline/framework/error.h"
#include "skimline/io/input_file.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

namespace skimline::io {

/// Counts of all fetches of a source.
struct FetchCounts {
  std::atomic<std::uint64_t> bytes_read{0};
  std::atomic<std::uint64_t> read_calls{0};
  std::atomic<std::uint64_t> pages_decoded{0};
  std::atomic<std::uint64_t> bytes_decoded{0};
  std::atomic<std::uint64_t> pages_passed{0};
  std::atomic<std::uint64_t> bytes_passed{0};
  std::atomic<std::uint64_t> nanoseconds_waited{0};  ///< by threads, for storage
};

/// Counts the time from its making to its end as waited.
class CountedWait {
 public:
  explicit CountedWait(FetchCounts& counts) : counts_(counts) {}
  ~CountedWait() {
    const auto waited = std::chrono::steady_clock::now() - begin_;
    counts_.nanoseconds_waited +=
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(waited).count());
  }
  CountedWait(const CountedWait&) = delete;
  CountedWait& operator=(const CountedWait&) = delete;

 private:
  FetchCounts& counts_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// What fetching the pages of one file needs.
struct PageFetcher {
  const InputFile& file;
  const RNTupleDescriptor& descriptor;
  const std::vector<Stream>& streams;
  std::uint64_t coalesce_gap;
  BufferPool& pool;
  FetchCounts& counts;
  bool requires_checksums = false;
  const ChecksumFile* checksums = nullptr;  ///< of pages that have none; null if there are none
  ReaderThreads* readers = nullptr;         ///< that wait for slow storage; null if it is fast

  /// Reads the stored bytes of every claimed page, or fails those that are left and throws FileError.
  void fetch(std::size_t cluster, std::vector<Claim> claims) const;
  /// Wait for a page as Page::settle() and Page::wait_until_fetched() do, and count the time.
  void settle(const Page& page) const;
  void wait_for(const Page& page) const;
  /// The pages that are worth one read together.
  std::vector<std::vector<Claim>> groups(std::vector<Claim> claims) const;
  /// Reads the stored bytes of pages with one read, or fails them and returns why.
  std::exception_ptr fetch_or_fail(std::size_t cluster, std::span<const Claim> together) const noexcept;

  /// Verifies, decompresses and decodes a page that this thread started to decode, or fails it with a
  /// FileError naming file, RNTuple, column, cluster, its entries and the byte offset, which whoever waits
  /// for the page is thrown.
  void decode(std::size_t cluster, const Claim& claim) const noexcept;

  /// Whether a checksum proves the stored bytes of a page, its own or one beside the file. Throws FormatError
  /// if it is wrong.
  bool is_proven(const PageInfo& page, std::span<const std::byte> stored) const;

  /// Notes of a page whose content is sound whether a checksum proves it; if none does where one is required,
  /// throws FileError.
  void note_verified(std::size_t cluster, const Claim& claim, bool is_verified) const;

  /// An error about the content of a column in a cluster, or that the file changed, which explains it.
  FileError error(std::size_t stream, std::size_t cluster, const std::string& problem) const;
  /// An error about a page.
  FileError page_error(std::size_t cluster, const Claim& claim, const std::string& problem) const;

 private:
  std::uint64_t gap() const { return gap_worth_reading(file.cost(), coalesce_gap); }
  FileError located(std::size_t stream, std::size_t cluster, const std::string& problem,
                    FileFault fault) const;
  void fetch_together(std::size_t cluster, std::span<const Claim> claims) const;
  bool is_in_place(const Claim& claim) const;
  void verify(std::size_t cluster, const Claim& claim) const;
  void decode_or_throw(std::size_t cluster, const Claim& claim) const;
  BufferPool::Buffer decoded(std::size_t cluster, const Claim& claim) const;
};

}  // namespace skimline::io
