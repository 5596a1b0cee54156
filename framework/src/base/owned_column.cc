// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/owned_column.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <sys/mman.h>

namespace skimline {
namespace {

// From here on memory is mapped on its own: moving its pages is cheaper than copying.
constexpr std::size_t kMapped = std::size_t{1} << 20;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kLargePage = std::size_t{2} << 20;

std::byte* checked(void* memory) {
  if (!memory || memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

std::size_t rounded_up(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

// Memory at a multiple of large pages, which can be used and moved only then. They make first touching it as
// cheap as filling it.
std::byte* map(std::size_t capacity) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  const std::size_t whole = capacity + kLargePage;
  std::byte* memory = checked(::mmap(nullptr, whole, PROT_READ | PROT_WRITE, flags, -1, 0));
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::size_t before = rounded_up(address, kLargePage) - address;
  if (before > 0) ::munmap(memory, before);
  ::munmap(memory + before + capacity, kLargePage - before);
  ::madvise(memory + before, capacity, MADV_HUGEPAGE);
  return memory + before;
}

// Grows or shrinks what map() gave.
std::byte* remap(std::byte* memory, std::size_t from, std::size_t to) {
  if (::mremap(memory, from, to, 0) != MAP_FAILED) return memory;
  std::byte* other = map(to);
  if (::mremap(memory, from, to, MREMAP_MAYMOVE | MREMAP_FIXED, other) == other) return other;
  ::munmap(other, to);
  throw std::bad_alloc();
}

}  // namespace

OwnedBytes::OwnedBytes(OwnedBytes&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)) {}

OwnedBytes& OwnedBytes::operator=(OwnedBytes&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(capacity_, other.capacity_);
  return *this;
}

OwnedBytes::~OwnedBytes() { free(); }

void OwnedBytes::free() {
  if (capacity_ >= kMapped)
    ::munmap(data_, capacity_);
  else
    std::free(data_);
}

void OwnedBytes::reallocate(std::size_t capacity) {
  const bool is_mapped = capacity_ >= kMapped, will_be_mapped = capacity >= kMapped;
  capacity = will_be_mapped ? rounded_up(capacity, kPage) : std::max<std::size_t>(capacity, 1);
  if (is_mapped && will_be_mapped) {
    data_ = remap(data_, capacity_, capacity);
  } else if (!is_mapped && !will_be_mapped) {
    data_ = checked(std::realloc(data_, capacity));
  } else {
    std::byte* memory = will_be_mapped ? map(capacity) : checked(std::malloc(capacity));
    if (size_ > 0) std::memcpy(memory, data_, size_);
    free();
    data_ = memory;
  }
  capacity_ = capacity;
}

// Whole large pages: what lies in a part of one would stay in small ones.
void OwnedBytes::reserve(std::size_t size) {
  if (size <= capacity_) return;
  const std::size_t capacity = std::max(size, capacity_ + capacity_ / 2);
  reallocate(capacity >= kMapped ? rounded_up(capacity, kLargePage) : capacity);
}

void OwnedBytes::resize(std::size_t size) {
  reserve(size);
  size_ = size;
}

void OwnedBytes::shrink() {
  if (size_ + kPage <= capacity_) reallocate(size_);
}

std::size_t num_offset_levels(Type type) {
  return static_cast<std::size_t>(type.depth) + (type.scalar == ScalarType::kString ? 1 : 0);
}

OwnedColumn::OwnedColumn(Type column_type) : type(column_type), offsets(num_offset_levels(column_type)) {
  for (OwnedBytes& level : offsets) {
    level.resize(sizeof(std::int64_t));
    level.as<std::int64_t>()[0] = 0;
  }
}

std::size_t OwnedColumn::value_size() const {
  return type.scalar == ScalarType::kString ? 1 : size_of(type.scalar);
}

std::uint64_t OwnedColumn::num_entries() const {
  return offsets.empty() ? values.size() / value_size() : offsets.front().as<std::int64_t>().size() - 1;
}

std::uint64_t OwnedColumn::bytes_of(std::uint64_t count) const {
  std::uint64_t bytes = 0;
  for (const OwnedBytes& level : offsets) {
    bytes += count * sizeof(std::int64_t);
    count = static_cast<std::uint64_t>(level.as<std::int64_t>()[count]);
  }
  return bytes + count * value_size();
}

OwnedColumn OwnedColumn::copy(std::uint64_t first, std::uint64_t count) const {
  OwnedColumn part(type);
  for (std::size_t level = 0; level < offsets.size(); ++level) {
    const auto from = offsets[level].as<std::int64_t>().subspan(first, count + 1);
    part.offsets[level].resize(from.size_bytes());
    const auto to = part.offsets[level].as<std::int64_t>();
    const std::int64_t base = from.front();
    std::transform(from.begin(), from.end(), to.begin(), [&](std::int64_t offset) { return offset - base; });
    first = static_cast<std::uint64_t>(base);
    count = static_cast<std::uint64_t>(to.back());
  }
  part.values.resize(count * value_size());
  if (count > 0) std::memcpy(part.values.data(), values.data() + first * value_size(), part.values.size());
  return part;
}

void OwnedColumn::truncate(std::uint64_t count) {
  for (OwnedBytes& level : offsets) {
    const auto end = static_cast<std::uint64_t>(level.as<std::int64_t>()[count]);
    level.resize((count + 1) * sizeof(std::int64_t));
    level.shrink();
    count = end;
  }
  values.resize(count * value_size());
  values.shrink();
}

}  // namespace skimline
