// SPDX-License-Identifier: BSD-3-Clause
// Where one thread fills the columns of an RNTuple.
#pragma once

#include "skimline/framework/type.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
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
    // A copy, since the compiler has to assume that the element could be written over next_.
    std::byte* const next = next_;
    std::memcpy(next, &element, sizeof element);
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
  void push(T value) { put(value); }
  void append(std::span<const T> values) {
    put_all(reinterpret_cast<const std::byte*>(values.data()), values.size());
  }
};

/// Takes the sizes of lists. Throws SchemaError if the lists of a cluster have 2^64 values together.
class ListFiller : public ColumnFiller {
 public:
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
  StringFiller(ListFiller& ends, ValueFiller<std::int8_t>& characters)
      : ends_(&ends), characters_(&characters) {}
  void push(std::string_view text) {
    characters_->append({reinterpret_cast<const std::int8_t*>(text.data()), text.size()});
    ends_->push(text.size());
  }

 private:
  ListFiller* ends_;
  ValueFiller<std::int8_t>* characters_;
};

/// Takes entries of an RNTuple on behalf of one thread: by row or by whole spans of columns.
///
/// Columns are named by the fields that lead to them: "energy", "Muon.pt" for the values of a member of a
/// collection of records, "hits" for the values of a vector, of vectors of vectors too. The sizes of lists
/// are those of "Muon" and "hits", of "Muon.hits" for a vector that is a member, and of "hits._0" for the
/// inner lists of a vector of vectors.
///
///     auto& n = context->list("Muon");
///     auto& pt = context->values<float>("Muon.pt");
///     n.push(2); pt.push(31.5f); pt.push(12.f);
///     context->commit_entries();
///
/// Not thread-safe. Clusters are sealed by the thread that fills them; only their place in the file is
/// decided under the writer's lock. Takes at most about twice the target size of a cluster in memory, if
/// entries are committed often enough.
///
/// After an exception from the context or one of its fillers the context can only be destroyed, and the
/// writer's finish() will fail.
class FillContext {
 public:
  explicit FillContext(std::unique_ptr<ClusterFiller> cluster);
  /// A context that is not closed makes the writer's finish() fail.
  ~FillContext();
  FillContext(const FillContext&) = delete;
  FillContext& operator=(const FillContext&) = delete;

  /// Where the values of a column go, for as long as the context lives. Throws SchemaError, with the nearest
  /// name, if there is no column of values of type T.
  template <typename T>
  ValueFiller<T>& values(std::string_view name) {
    return static_cast<ValueFiller<T>&>(value_filler(name, scalar_type_of<T>));
  }
  ListFiller& list(std::string_view name);
  StringFiller strings(std::string_view name);

  /// Says that the values given since the last call are `count` entries. Writes the cluster if it is full:
  /// entries committed together are in one cluster. Throws SchemaError naming a column that has too few or
  /// too many values, ConfigError for a value that the encoding of its column cannot hold (which may also
  /// come from the filler, when a page is full), FileError if the file cannot be written.
  void commit_entries(std::uint64_t count = 1);

  /// Writes what is left. Throws like commit_entries(), also for values that belong to no entry. No other
  /// call may follow, but closing again does nothing.
  void close();

 private:
  ColumnFiller& value_filler(std::string_view name, ScalarType scalar);

  std::unique_ptr<ClusterFiller> cluster_;
};

}  // namespace skimline::io
