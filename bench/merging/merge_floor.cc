// SPDX-License-Identifier: BSD-3-Clause
// The least work of merging histogram files: read, decompress, add and compress every object, with the same
// libraries and as many threads, and write nothing.
//
//     merge_floor THREADS COMPRESSION FILES...
//
// Prints "<seconds> s with <stored bytes> <decompressed bytes>". Objects are taken by their number in the
// file; all their bytes are added as big-endian doubles.
#include "skimline/io/compression.h"
#include "skimline/io/root_file.h"

#include <atomic>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

namespace {

using namespace skimline::io;
using Files = std::vector<std::unique_ptr<RootFile>>;

void add(std::vector<double>& sums, const std::vector<std::byte>& object) {
  sums.resize(object.size() / sizeof(double));
  for (std::size_t i = 0; i < sums.size(); ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, object.data() + i * sizeof(double), sizeof bits);
    sums[i] += std::bit_cast<double>(__builtin_bswap64(bits));
  }
}

struct Work {
  std::atomic<std::uint64_t> stored{0}, decompressed{0};

  void merge(const Files& files, std::size_t number, CompressionSetting compression) {
    std::vector<double> sums;
    std::vector<std::byte> object, block;
    for (const auto& file : files) {
      const RootKey& key = file->keys()[number];
      object = file->read_object(key);
      add(sums, object);
      stored += key.record_size;
      decompressed += object.size();
    }
    compress_block(object, compression, block);
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return EXIT_FAILURE;
  const auto start = std::chrono::steady_clock::now();
  const CompressionSetting compression = parse_compression(argv[2]);
  Files files;
  for (int i = 3; i < argc; ++i) files.push_back(std::make_unique<RootFile>(argv[i]));
  Work work;
  oneapi::tbb::task_arena arena(std::atoi(argv[1]));
  arena.execute([&] {
    oneapi::tbb::parallel_for(std::size_t{0}, files.front()->keys().size(),
                              [&](std::size_t number) { work.merge(files, number, compression); });
  });
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  std::printf("%.3f s with %llu %llu\n", taken.count(), static_cast<unsigned long long>(work.stored),
              static_cast<unsigned long long>(work.decompressed));
  return EXIT_SUCCESS;
}
