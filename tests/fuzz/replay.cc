// SPDX-License-Identifier: BSD-3-Clause
// Runs a fuzzing target where there is no libFuzzer: over each file of its corpus, and over changed copies of
// each. Which ones depends on nothing but the corpus; SKIMLINE_FUZZ_SECONDS prolongs the sequence.
#include "fuzz_target.h"
#include "fuzz_time.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include <sys/resource.h>
#ifdef SKIMLINE_SANITIZED
#include <sanitizer/common_interface_defs.h>
#endif

using skimline::testing::FuzzTime;

extern "C" __attribute__((weak)) std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                                                     std::size_t max_size, unsigned seed);

namespace {

using Input = std::vector<std::uint8_t>;

constexpr int kCopies = 300;
constexpr std::size_t kMaxGrowth = 256;
constexpr std::uint64_t kMemory = std::uint64_t{2} << 30;

std::minstd_rand random_bits;
Input current;

std::size_t random_below(std::size_t end) { return end == 0 ? 0 : random_bits() % end; }

void save_current() {
  std::ofstream("fuzz-finding", std::ios::binary)
      .write(reinterpret_cast<const char*>(current.data()), static_cast<std::streamsize>(current.size()));
  std::fputs("the input is saved as ./fuzz-finding\n", stderr);
}

// A target that takes much memory for little input gets std::bad_alloc, or is ended by the sanitizer.
void limit_memory() {
#ifdef SKIMLINE_SANITIZED
  __sanitizer_set_death_callback(save_current);
#else
  const rlimit limit{kMemory, kMemory};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

bool run(const Input& input) {
  current = Input(input);  // anew, so that its memory ends where it does
  try {
    LLVMFuzzerTestOneInput(current.data(), current.size());
    return true;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "finding: %s\n", error.what());
    save_current();
    return false;
  }
}

Input changed(const Input& original) {
  Input input = original;
  const std::size_t max_size = original.size() + kMaxGrowth;
  for (std::size_t change = 0; change <= random_below(3); ++change) {
    const std::size_t size = input.size();
    input.resize(max_size);
    input.resize(LLVMFuzzerCustomMutator ? LLVMFuzzerCustomMutator(input.data(), size, max_size,
                                                                   static_cast<unsigned>(random_bits()))
                                         : LLVMFuzzerMutate(input.data(), size, max_size));
  }
  input.shrink_to_fit();
  return input;
}

std::vector<Input> read_corpus(const char* folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Input> corpus;
  for (const std::filesystem::path& path : paths) {
    std::ifstream stream(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return corpus;
}

}  // namespace

#ifdef SKIMLINE_SANITIZED
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "max_allocation_size_mb=2048:hard_rss_limit_mb=2048";
}
#endif

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size) {
  static constexpr std::uint8_t kValues[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
  if (size == 0) return 0;
  const std::size_t place = random_below(size);
  const std::size_t length = 1 + random_below(std::min<std::size_t>(size - place, 8));
  switch (random_below(6)) {
    case 0:
      data[place] = static_cast<std::uint8_t>(data[place] ^ 1u << random_below(8));
      break;
    case 1:
      data[place] = static_cast<std::uint8_t>(random_bits());
      break;
    case 2:
      std::fill_n(data + place, length, kValues[random_below(std::size(kValues))]);
      break;
    case 3:
      std::copy_n(data + random_below(size - length + 1), length, data + place);
      break;
    case 4:
      std::memmove(data + place, data + place + length, size - place - length);
      return size - length;
    default:
      if (size + length > max_size) break;
      std::memmove(data + place + length, data + place, size - place);
      return size + length;
  }
  return size;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  const std::vector<Input> corpus = read_corpus(argv[1]);
  if (corpus.empty()) {
    std::fprintf(stderr, "no inputs in %s\n", argv[1]);
    return 1;
  }
  limit_memory();
  const FuzzTime time;
  std::size_t runs = 0;
  for (const Input& input : corpus) {
    if (!run(input)) return 1;
    ++runs;
  }
  for (int round = 0; round < kCopies || time.is_left(); ++round) {
    for (const Input& input : corpus) {
      if (!run(changed(input))) return 1;
      ++runs;
    }
  }
  std::printf("%zu inputs, %zu runs\n", corpus.size(), runs);
  return 0;
}
