// SPDX-License-Identifier: BSD-3-Clause
// Takes the values of one column of an RNTuple into its open page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace skimline::io {

class ClusterFiller;

/// The open page of one column. Derived classes put elements into it.
class ColumnFiller {
 public:
  virtual ~ColumnFiller() = default;

 protected:
  ColumnFiller() = default;

  template <typename Element>
  void put(Element element) {
    if (next_ == end_) make_room();
    // As what it is, not as bytes, which the compiler would have to assume to be those of next_.
    std::byte* const next = next_;
    *reinterpret_cast<Element*>(next) = element;
    next_ = next + sizeof element;
  }
  void put_all(const std::byte* elements, std::size_t count);
  /// Grows the open page, or seals it if it is full.
  void make_room();
  ClusterFiller& cluster() { return *cluster_; }

  std::byte* next_ = nullptr;  ///< where the next element goes
  std::byte* end_ = nullptr;   ///< of the memory of the open page

 private:
  friend class ClusterFiller;
  std::uint64_t num_open() const { return static_cast<std::uint64_t>(next_ - begin_) >> size_log2_; }

  ClusterFiller* cluster_ = nullptr;
  std::size_t column_ = 0;
  std::size_t element_size_ = 1;
  int size_log2_ = 0;  // of the element size: a shift costs less than a division
  std::byte* begin_ = nullptr;
};

/// Takes the values of a column of scalars. A std::vector<bool> is no span: push its values one by one.
template <typename T>
class ValueFiller : public ColumnFiller {
 public:
  /// Adds one value, or several. Throws ConfigError if the encoding of the column cannot hold a value of a
  /// full page, FileError if a full page cannot be written.
  void push(T value) { put(value); }
  void append(std::span<const T> values) {
    put_all(reinterpret_cast<const std::byte*>(values.data()), values.size());
  }
};

/// Takes the sizes of lists. Throws SchemaError if the lists of a cluster have 2^64 values together.
class ListFiller : public ColumnFiller {
 public:
  /// Adds the size of one list, or of several.
  void push(std::uint64_t size) {
    end_of_list_ += size;
    if (end_of_list_ < size) fail();
    put(end_of_list_);
  }
  void append(std::span<const std::uint32_t> sizes);

 private:
  friend class ClusterFiller;
  [[noreturn]] void fail();
  std::uint64_t end_of_list_ = 0;  // from the start of the cluster
};

/// Takes strings.
class StringFiller {
 public:
  /// FillContext::strings() makes them.
  StringFiller(ListFiller& ends, ValueFiller<std::int8_t>& characters)
      : ends_(&ends), characters_(&characters) {}
  /// Adds one string. Throws as ValueFiller::push().
  void push(std::string_view text) {
    characters_->append({reinterpret_cast<const std::int8_t*>(text.data()), text.size()});
    ends_->push(text.size());
  }

 private:
  ListFiller* ends_;
  ValueFiller<std::int8_t>* characters_;
};

}  // namespace skimline::io
