// SPDX-License-Identifier: BSD-3-Clause
#include "standard_output.h"

#include <cerrno>
#include <cstddef>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace skimline::skims {
namespace {

// Whoever made standard output one that does not wait means that for itself.
bool wait_until_writable() {
  pollfd waited{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&waited, 1, -1) > 0 || errno == EINTR;
}

}  // namespace

void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1) continue;
    // The lowest number that is free.
    static_cast<void>(::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

std::string print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    const int fault = errno;
    if (fault == EINTR || (fault == EAGAIN && wait_until_writable())) continue;
    return std::generic_category().message(fault);
  }
  return {};
}

std::string unprinted(const std::string& reason) { return "standard output cannot be written: " + reason; }

}  // namespace skimline::skims
