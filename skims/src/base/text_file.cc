// SPDX-License-Identifier: BSD-3-Clause
#include "base/text_file.h"

#include "base/interruption.h"

#include "skimline/framework/error.h"
#include "skimline/io/url.h"
#include "skimline/io/url_secrets.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace skimline::skims {
namespace {

constexpr std::size_t kReadBytes = 1 << 16;
constexpr int kMillisecondsBetweenLooks = 100;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw ConfigError(path + ": " + what + ": " + std::strerror(errno));
}

// A pipe that nobody has opened for writing yet says nothing, not even that it ends.
void wait_for_bytes(int descriptor) {
  pollfd waiting{.fd = descriptor, .events = POLLIN, .revents = 0};
  do throw_if_interrupted();
  while (::poll(&waiting, 1, kMillisecondsBetweenLooks) <= 0);
}

// With its mark, or without one letters that all have a byte that is 0.
bool is_utf16(std::string_view begin) {
  if (begin.starts_with("\xFF\xFE") || begin.starts_with("\xFE\xFF")) return true;
  if (begin.size() < 4 || begin.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < begin.size(); i += 2)
    if ((begin[i] == '\0') != (begin[0] == '\0') || (begin[i + 1] == '\0') == (begin[0] == '\0'))
      return false;
  return true;
}

// So that nobody waits for a large file to be read, and is shown its bytes.
void refuse_binary(const std::string& path, const std::string& begin) {
  if (begin.starts_with(std::string_view("root\0", 5)))
    throw ConfigError(path + ": is a ROOT file; a text such as a config is expected");
  if (is_utf16(begin)) throw ConfigError(path + ": is UTF-16; save it as UTF-8, which is expected");
  if (begin.find('\0') != std::string::npos)
    throw ConfigError(path + ": is a binary file; a text such as a config is expected");
}

// Returns the number of bytes, 0 at the end.
std::size_t read_some(const std::string& path, int descriptor, char* bytes, std::size_t size) {
  for (;;) {
    wait_for_bytes(descriptor);
    const ssize_t count = ::read(descriptor, bytes, size);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR && errno != EAGAIN) fail(path, "cannot be read");
  }
}

}  // namespace

std::string read_text_file(const std::string& path, std::size_t max_bytes) {
  std::error_code ignored;
  if (path.find('\0') != std::string::npos) throw ConfigError("no file has a null character in its name");
  if (io::is_url(path) && !std::filesystem::exists(path, ignored))
    throw ConfigError(io::hide_secrets(path) +
                      ": configs and lists are read from files of this machine only");
  if (std::filesystem::is_directory(path, ignored)) throw ConfigError(path + ": is a folder, not a config");
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.number() < 0) fail(path, "cannot be opened");
  std::string text;
  for (std::size_t size = 0;;) {
    text.resize(size + kReadBytes);
    const std::size_t count = read_some(path, file.number(), text.data() + size, kReadBytes);
    const bool is_first = size == 0;
    size += count;
    if (is_first) refuse_binary(path, text.substr(0, std::min<std::size_t>(count, 512)));
    if (size > max_bytes)
      throw ConfigError(path + ": is larger than " + std::to_string(max_bytes >> 20) +
                        " MiB, the most that such a text may have");
    if (count > 0) continue;
    text.resize(size);
    return io::hide_secrets(text);
  }
}

}  // namespace skimline::skims
