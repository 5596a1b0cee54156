// SPDX-License-Identifier: BSD-3-Clause
// Loaded before the C library: system calls on files called a.root fail as SKIMLINE_FAILURES says,
// "pread:EIO:3" or "open:ETIMEDOUT:2", so many times.
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

struct Failures {
  std::string call;
  int error = 0;
  std::atomic<int> left{0};
};

int error_of(const std::string& name) {
  if (name == "EIO") return EIO;
  if (name == "ESTALE") return ESTALE;
  if (name == "ETIMEDOUT") return ETIMEDOUT;
  if (name == "EINTR") return EINTR;
  if (name == "EACCES") return EACCES;
  std::abort();
}

Failures& failures() {
  static Failures made;
  static const bool is_read = [] {
    const char* text = std::getenv("SKIMLINE_FAILURES");
    if (!text) return false;
    const std::string all = text;
    const std::size_t first = all.find(':'), second = all.find(':', first + 1);
    made.call = all.substr(0, first);
    made.error = error_of(all.substr(first + 1, second - first - 1));
    made.left = std::atoi(all.c_str() + second + 1);
    return true;
  }();
  (void)is_read;
  return made;
}

bool is_it(const char* path) {
  const std::size_t size = std::strlen(path);
  return size >= 6 && std::strcmp(path + size - 6, "a.root") == 0;
}

bool fails(const char* call) {
  if (failures().call != call || failures().left.fetch_sub(1) <= 0) return false;
  errno = failures().error;
  return true;
}

bool is_it(int descriptor) {
  char path[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t size = ::readlink(link.c_str(), path, sizeof path - 1);
  if (size < 0) return false;
  path[size] = '\0';
  return is_it(path);
}

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

ssize_t read_or_fail(const char* name, int descriptor, void* buffer, size_t size, off_t offset) {
  if (is_it(descriptor) && fails("pread")) return -1;
  return next<ssize_t (*)(int, void*, size_t, off_t)>(name)(descriptor, buffer, size, offset);
}

int open_or_fail(const char* name, const char* path, int flags, mode_t mode) {
  if (is_it(path) && fails("open")) return -1;
  return next<int (*)(const char*, int, mode_t)>(name)(path, flags, mode);
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

}  // namespace

extern "C" {

ssize_t pread(int descriptor, void* buffer, size_t size, off_t offset) {
  return read_or_fail("pread", descriptor, buffer, size, offset);
}

ssize_t pread64(int descriptor, void* buffer, size_t size, off64_t offset) {
  return read_or_fail("pread64", descriptor, buffer, size, offset);
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_or_fail("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_or_fail("open64", path, flags, mode);
}
}
