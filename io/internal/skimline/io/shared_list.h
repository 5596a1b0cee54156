// SPDX-License-Identifier: BSD-3-Clause
// Values that many files have alike and that are kept once.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace skimline::io {

/// A list whose copies share its memory until one of them is changed. Several threads may read copies, while
/// others change theirs.
template <typename T>
class SharedList {
 public:
  SharedList() : SharedList(std::vector<T>{}) {}
  explicit SharedList(std::vector<T> items) : items_(std::make_shared<std::vector<T>>(std::move(items))) {}

  const T& operator[](std::size_t number) const { return (*items_)[number]; }
  const T& at(std::size_t number) const { return items_->at(number); }
  const T& front() const { return items_->front(); }
  const T& back() const { return items_->back(); }
  std::size_t size() const { return items_->size(); }
  bool empty() const { return items_->empty(); }
  auto begin() const { return items_->cbegin(); }
  auto end() const { return items_->cend(); }

  /// The list for changes, which copies do not see.
  std::vector<T>& own() {
    if (items_.use_count() > 1) items_ = std::make_shared<std::vector<T>>(*items_);
    return *items_;
  }
  T& emplace_back() { return own().emplace_back(); }
  void push_back(T item) { own().push_back(std::move(item)); }

  friend bool operator==(const SharedList& a, const SharedList& b) {
    return a.items_ == b.items_ || *a.items_ == *b.items_;
  }

 private:
  std::shared_ptr<std::vector<T>> items_;
};

}  // namespace skimline::io
