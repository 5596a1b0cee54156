// SPDX-License-Identifier: BSD-3-Clause
// The synthetic writing benchmark with Skimline's ParallelWriter, or only the work that cannot be saved.
//
//   random_write rows|spans|seal TARGET THREADS ENTRIES COMPRESSION
//
// Every thread writes ENTRIES entries. `seal` encodes, compresses and checksums the same pages and keeps
// nothing.

#include "random_tables.h"
#include "stopwatch.h"

#include "skimline/io/page_encoding.h"
#include "skimline/io/parallel_writer.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <xxhash.h>

namespace {

using skimline::bench::kTableSize;
using skimline::bench::RandomTables;
using skimline::bench::Stopwatch;
using namespace skimline::io;

// Calls `take` with the pieces of a table that make up `count` values from `position` on.
template <typename T, typename Take>
void for_pieces(const std::vector<T>& table, std::size_t& position, std::size_t count, Take take) {
  while (count > 0) {
    const std::size_t piece = std::min(count, table.size() - position);
    take(std::span(table).subspan(position, piece));
    position = (position + piece) % table.size();
    count -= piece;
  }
}

void write_rows(FillContext& context, const RandomTables& tables, std::uint64_t num_entries) {
  auto& ids = context.values<std::uint64_t>("eventId");
  auto& lists = context.list("particles");
  auto& particles = context.values<float>("particles");
  std::size_t value = 0;
  for (std::uint64_t entry = 0; entry < num_entries; ++entry) {
    const std::uint32_t size = tables.sizes[entry % kTableSize];
    ids.push(entry);
    lists.push(size);
    for (std::uint32_t i = 0; i < size; ++i) {
      particles.push(tables.values[value]);
      if (++value == kTableSize) value = 0;
    }
    context.commit_entries();
  }
}

void write_spans(FillContext& context, const RandomTables& tables, std::uint64_t num_entries) {
  auto& ids = context.values<std::uint64_t>("eventId");
  auto& lists = context.list("particles");
  auto& particles = context.values<float>("particles");
  std::vector<std::uint64_t> id_table(kTableSize);
  std::size_t value = 0;
  for (std::uint64_t first = 0; first < num_entries; first += kTableSize) {
    const std::uint64_t count = std::min<std::uint64_t>(kTableSize, num_entries - first);
    std::iota(id_table.begin(), id_table.end(), first);
    const auto sizes = std::span(tables.sizes).first(count);
    ids.append(std::span(id_table).first(count));
    lists.append(sizes);
    const std::size_t num_values =
        count == kTableSize ? tables.num_values : std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    for_pieces(tables.values, value, num_values, [&](auto piece) { particles.append(piece); });
    context.commit_entries(count);
  }
}

// Seals pages of 1 MiB in memory until as many elements are done.
void seal_pages(const PageEncoding& encoding, skimline::ScalarType scalar, const std::vector<std::byte>& page,
                std::uint64_t num_elements, CompressionSetting compression) {
  const std::size_t size = size_of(scalar);
  std::vector<std::byte> encoded, stored;
  for (std::uint64_t left = num_elements; left > 0;) {
    const std::uint64_t count = std::min<std::uint64_t>(left, page.size() / size);
    encoded.resize(encoded_size(encoding, count));
    encode_page(encoding, scalar, page.data(), count, encoded.data());
    stored.clear();
    compress_block(encoded, compression, stored);
    volatile std::uint64_t checksum = XXH3_64bits(stored.data(), stored.size());
    (void)checksum;
    left -= count;
  }
}

template <typename T, typename Make>
std::vector<std::byte> make_page(Make make) {
  std::vector<std::byte> page(1024 * 1024);
  for (std::size_t i = 0; i < page.size() / sizeof(T); ++i) {
    const T value = make(i);
    std::copy_n(reinterpret_cast<const std::byte*>(&value), sizeof value, page.data() + i * sizeof value);
  }
  return page;
}

void seal_only(const RandomTables& tables, std::uint64_t num_entries, CompressionSetting compression) {
  const bool is_compressed = compression.algorithm != CompressionAlgorithm::kNone;
  using skimline::ScalarType;
  std::uint64_t end = 0;
  const auto ids = make_page<std::uint64_t>([](std::size_t i) { return i; });
  const auto ends =
      make_page<std::uint64_t>([&](std::size_t i) { return end += tables.sizes[i % kTableSize]; });
  const auto values = make_page<float>([&](std::size_t i) { return tables.values[i % kTableSize]; });
  const std::uint64_t num_values = num_entries * tables.num_values / kTableSize;
  seal_pages(default_encoding(ScalarType::kUInt64, is_compressed), ScalarType::kUInt64, ids, num_entries,
             compression);
  seal_pages(default_index_encoding(is_compressed), ScalarType::kUInt64, ends, num_entries, compression);
  seal_pages(default_encoding(ScalarType::kFloat, is_compressed), ScalarType::kFloat, values, num_values,
             compression);
}

template <typename Work>
void in_threads(unsigned num_threads, const std::vector<RandomTables>& tables, Work work) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < num_threads; ++i) threads.emplace_back([&, i] { work(tables[i]); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fputs("usage: random_write rows|spans|seal TARGET THREADS ENTRIES COMPRESSION\n", stderr);
    return 2;
  }
  const std::string mode = argv[1];
  const auto num_threads = static_cast<unsigned>(std::stoul(argv[3]));
  const std::uint64_t num_entries = std::stoull(argv[4]);
  const CompressionSetting compression = parse_compression(argv[5]);
  std::vector<RandomTables> tables;
  for (unsigned i = 0; i < num_threads; ++i) tables.emplace_back(i + 1);

  ParallelWriterStatistics statistics;
  const Stopwatch stopwatch;
  if (mode == "seal") {
    in_threads(num_threads, tables,
               [&](const RandomTables& table) { seal_only(table, num_entries, compression); });
  } else {
    ParallelWriterOptions options;
    options.settings.compression = compression;
    ParallelWriter writer(argv[2],
                          {{"eventId", FieldType::of<std::uint64_t>()},
                           {"particles", FieldType::vector(FieldType::of<float>())}},
                          options);
    in_threads(num_threads, tables, [&](const RandomTables& table) {
      const auto context = writer.make_context();
      (mode == "rows" ? write_rows : write_spans)(*context, table, num_entries);
      context->close();
    });
    writer.finish();
    statistics = writer.statistics();
  }
  const double seconds = stopwatch.seconds();
  std::printf(
      "{\"seconds\": %.6f, \"processor_seconds\": %.6f, \"entries\": %llu, \"memory_bytes\": %llu, "
      "\"file_bytes\": %llu, \"clusters\": "
      "%llu, "
      "\"sealing\": %.6f, \"waiting\": %.6f, \"locked\": %.6f, \"longest_locked\": %.6f, \"writing\": "
      "%.6f}\n",
      seconds, stopwatch.processor_seconds(), static_cast<unsigned long long>(statistics.num_entries),
      static_cast<unsigned long long>(statistics.bytes_in_memory),
      static_cast<unsigned long long>(statistics.file_bytes),
      static_cast<unsigned long long>(statistics.num_clusters), statistics.seconds_sealing,
      statistics.seconds_waiting, statistics.seconds_locked, statistics.longest_seconds_locked,
      statistics.seconds_writing);
}
