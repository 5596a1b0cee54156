// SPDX-License-Identifier: BSD-3-Clause
// Where the pages of one column of a cluster are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace skimline::io {

/// Where stored bytes are.
struct Locator {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

struct PageInfo {
  std::uint32_t num_elements = 0;
  bool has_checksum = false;
  Locator locator;  ///< without the checksum, which follows the bytes
};

/// Pages in element order, one behind the other in memory. A single one needs no memory of its own: files
/// with thousands of columns mostly have one page for each in a cluster.
class PageInfos {
 public:
  PageInfos() = default;
  ~PageInfos() = default;
  PageInfos(const PageInfos& other) : single_(other.single_), has_single_(other.has_single_) {
    if (other.several_) several_ = std::make_unique<std::vector<PageInfo>>(*other.several_);
  }
  PageInfos(PageInfos&&) noexcept = default;
  PageInfos& operator=(const PageInfos& other) { return *this = PageInfos(other); }
  PageInfos& operator=(PageInfos&&) noexcept = default;

  /// Says how many there will be.
  void reserve(std::size_t size) {
    if (size > 1) vector().reserve(size);
  }
  void push_back(const PageInfo& page) {
    if (several_ || has_single_) return vector().push_back(page);
    single_ = page;
    has_single_ = true;
  }

  bool empty() const { return size() == 0; }
  std::size_t size() const { return several_ ? several_->size() : has_single_ ? 1 : 0; }
  const PageInfo* begin() const { return several_ ? several_->data() : &single_; }
  const PageInfo* end() const { return begin() + size(); }
  PageInfo* begin() { return several_ ? several_->data() : &single_; }
  PageInfo* end() { return begin() + size(); }
  const PageInfo& operator[](std::size_t page) const { return begin()[page]; }
  PageInfo& operator[](std::size_t page) { return begin()[page]; }
  const PageInfo& back() const { return end()[-1]; }

 private:
  std::vector<PageInfo>& vector() {
    if (!several_) several_ = std::make_unique<std::vector<PageInfo>>(begin(), end());
    return *several_;
  }

  std::unique_ptr<std::vector<PageInfo>> several_;  // unless there is one at most
  PageInfo single_;
  bool has_single_ = false;
};

}  // namespace skimline::io
