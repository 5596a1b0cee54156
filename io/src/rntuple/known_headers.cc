// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/known_headers.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace skimline::io {
namespace {

using Header = std::shared_ptr<const KnownHeader>;

// Those that are held by nobody are forgotten.
class HeldHeaders {
 public:
  Header find(std::span<const std::byte> stored, std::uint64_t raw_size) {
    const std::lock_guard lock(mutex_);
    return found(stored, raw_size);
  }

  Header add(Header header) {
    const std::lock_guard lock(mutex_);
    if (Header known = found(header->stored, header->raw_size)) return known;
    std::erase_if(held_, [](const std::weak_ptr<const KnownHeader>& each) { return each.expired(); });
    // Files that all differ would be compared with each other.
    if (held_.size() < kMost) held_.push_back(header);
    return header;
  }

 private:
  static constexpr std::size_t kMost = 16;

  Header found(std::span<const std::byte> stored, std::uint64_t raw_size) const {
    for (const std::weak_ptr<const KnownHeader>& each : held_)
      if (Header known = each.lock();
          known && known->raw_size == raw_size && std::ranges::equal(known->stored, stored))
        return known;
    return nullptr;
  }

  std::mutex mutex_;
  std::vector<std::weak_ptr<const KnownHeader>> held_;
};

HeldHeaders& held_headers() {
  static HeldHeaders held;
  return held;
}

}  // namespace

std::shared_ptr<const KnownHeader> find_header(std::span<const std::byte> stored, std::uint64_t raw_size) {
  return held_headers().find(stored, raw_size);
}

std::shared_ptr<const KnownHeader> share_header(KnownHeader header) {
  return held_headers().add(std::make_shared<const KnownHeader>(std::move(header)));
}

}  // namespace skimline::io
