// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/known_headers.h"

#include "rntuple/held_values.h"

#include <algorithm>
#include <utility>

namespace skimline::io {
namespace {

HeldValues<KnownHeader>& held_headers() {
  static HeldValues<KnownHeader> held;
  return held;
}

auto is_stored_as(std::span<const std::byte> stored, std::uint64_t raw_size) {
  return [stored, raw_size](const KnownHeader& known) {
    return known.raw_size == raw_size &&
           std::equal(known.stored.begin(), known.stored.end(), stored.begin(), stored.end());
  };
}

}  // namespace

std::shared_ptr<const KnownHeader> find_header(std::span<const std::byte> stored, std::uint64_t raw_size) {
  return held_headers().find(is_stored_as(stored, raw_size));
}

std::shared_ptr<const KnownHeader> share_header(KnownHeader header) {
  auto shared = std::make_shared<const KnownHeader>(std::move(header));
  return held_headers().add(shared, is_stored_as(shared->stored, shared->raw_size));
}

}  // namespace skimline::io
