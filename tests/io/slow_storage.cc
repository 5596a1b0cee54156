// SPDX-License-Identifier: BSD-3-Clause
// Loaded before the C library: reads of files called *.root take as long as SKIMLINE_STORAGE says, "50:100"
// for 50 ms until the first byte comes, and 100 MB/s that all reads share. Reads in flight at once wait
// together; how many reads there were, at most at once, and that began while no other was in flight, is
// written to SKIMLINE_STORAGE_REPORT.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;

class Storage {
 public:
  Storage() {
    const char* text = std::getenv("SKIMLINE_STORAGE");
    if (!text) return;
    char* end = nullptr;
    latency_ = std::chrono::duration<double, std::milli>(std::strtod(text, &end));
    if (*end == ':') bytes_per_second_ = 1e6 * std::strtod(end + 1, nullptr);
  }

  ~Storage() {
    if (const char* path = std::getenv("SKIMLINE_STORAGE_REPORT"))
      std::ofstream(path) << num_reads_ << ' ' << most_in_flight_ << ' ' << num_alone_;
  }

  void wait_for(std::size_t bytes) {
    ++num_reads_;
    const int now = ++in_flight_;
    if (now == 1) ++num_alone_;
    for (int most = most_in_flight_; most < now && !most_in_flight_.compare_exchange_weak(most, now);)
      continue;
    const auto first_byte = Clock::now() + std::chrono::duration_cast<Clock::duration>(latency_);
    std::this_thread::sleep_until(last_byte(first_byte, bytes));
    --in_flight_;
  }

 private:
  Clock::time_point last_byte(Clock::time_point first_byte, std::size_t bytes) {
    if (bytes_per_second_ <= 0) return first_byte;
    const std::chrono::duration<double> time(static_cast<double>(bytes) / bytes_per_second_);
    const std::lock_guard lock(mutex_);
    free_ = std::max(free_, first_byte) + std::chrono::duration_cast<Clock::duration>(time);
    return free_;
  }

  std::chrono::duration<double, std::milli> latency_{0};
  double bytes_per_second_ = 0;
  std::atomic<int> num_reads_ = 0, in_flight_ = 0, most_in_flight_ = 0, num_alone_ = 0;
  std::mutex mutex_;
  Clock::time_point free_;
};

bool is_slow(int descriptor) {
  char path[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t size = ::readlink(link.c_str(), path, sizeof path);
  return size >= 5 && std::memcmp(path + size - 5, ".root", 5) == 0;
}

ssize_t read_slowly(const char* name, int descriptor, void* buffer, size_t size, off_t offset) {
  static Storage storage;
  static const bool is_on = std::getenv("SKIMLINE_STORAGE") != nullptr;
  if (is_on && is_slow(descriptor)) storage.wait_for(size);
  return reinterpret_cast<ssize_t (*)(int, void*, size_t, off_t)>(::dlsym(RTLD_NEXT, name))(
      descriptor, buffer, size, offset);
}

}  // namespace

extern "C" {

ssize_t pread(int descriptor, void* buffer, size_t size, off_t offset) {
  return read_slowly("pread", descriptor, buffer, size, offset);
}

ssize_t pread64(int descriptor, void* buffer, size_t size, off64_t offset) {
  return read_slowly("pread64", descriptor, buffer, size, offset);
}
}
