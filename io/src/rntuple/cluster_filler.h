// SPDX-License-Identifier: BSD-3-Clause
// What is behind a fill context: the open pages of all columns, and the pages sealed so far.
#pragma once

#include "rntuple/rntuple_output.h"
#include "rntuple/writable_columns.h"
#include "storage/buffer_pool.h"

#include "skimline/io/column_filler.h"
#include "skimline/io/writer_settings.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace skimline::io {

/// Where complete clusters go. Thread-safe.
class ClusterTarget {
 public:
  virtual ~ClusterTarget() = default;
  virtual void take(std::uint64_t ticket, SealedCluster cluster, double seconds_sealing) = 0;
  virtual void close(std::uint64_t ticket) = 0;
  virtual void abandon() = 0;
};

/// Used by one thread at a time. Columns, pool and target must outlive it.
class ClusterFiller {
 public:
  ClusterFiller(const WritableColumns& columns, WriterSizes sizes, BufferPool& pool, ClusterTarget& target,
                std::uint64_t ticket);
  ~ClusterFiller();
  ClusterFiller(const ClusterFiller&) = delete;
  ClusterFiller& operator=(const ClusterFiller&) = delete;

  const WritableColumns& columns() const { return columns_; }
  ColumnFiller& column(std::size_t number) { return *states_[number].filler; }

  void make_room(ColumnFiller& filler);
  void put_all(ColumnFiller& filler, const std::byte* elements, std::uint64_t count);
  [[noreturn]] void fail_list_size(const ColumnFiller& filler);
  void commit_entries(std::uint64_t count);
  void close();

 private:
  struct ColumnState {
    std::unique_ptr<ColumnFiller> filler;
    BufferPool::Buffer memory;  // of the open page
    std::uint64_t elements_per_page = 1;
    bool fills_pages = false;  // it had a full page: pages need not begin small
    std::vector<SealedPage> pages;
    std::uint64_t num_sealed = 0;  // elements in them
    // As given, or chosen by the first page that is sealed.
    std::optional<CompressionSetting> compression;
  };

  // What is compared after every entry, close together in memory.
  struct ColumnCount {
    const ColumnFiller* filler = nullptr;
    const std::uint64_t* expected = nullptr;  // the elements that the committed entries have
    // Where the open page would begin if the sealed pages of this cluster were in front of it.
    std::uintptr_t origin = 0;
    int size_log2 = 0;

    std::uint64_t num_bytes() const { return reinterpret_cast<std::uintptr_t>(filler->next_) - origin; }
    std::uint64_t num_elements() const { return num_bytes() >> size_log2; }
  };

  // After an exception only kFailed is left, since what was half done cannot be taken back.
  enum class State { kOpen, kFailed, kClosed };

  template <typename Action>
  void act(Action action);
  void check_open() const;
  void set_memory(std::size_t column, std::uint64_t capacity, std::uint64_t num_kept);
  void drop_memory(std::size_t column);
  void set_origin(std::size_t column);
  void seal_open_page(std::size_t column);
  void seal(std::size_t column, const std::byte* elements, std::uint64_t count);
  void note_page(std::size_t column, std::uint64_t count, SealedBytes stored);
  CompressionSetting compression_of(std::size_t column, const std::byte* elements, std::uint64_t count);
  void encode(std::size_t column, const std::byte* elements, std::uint64_t count,
              std::vector<std::byte>& encoded) const;
  bool is_stored_as_in_memory(std::size_t column) const;
  void write_cluster();
  [[noreturn]] void fail_count() const;

  const WritableColumns& columns_;
  WriterSizes sizes_;
  BufferPool& pool_;
  ClusterTarget& target_;
  std::uint64_t ticket_;
  std::vector<ColumnState> states_;
  std::vector<ColumnCount> counts_;
  std::uint64_t num_entries_ = 0;         // committed, in this cluster
  std::uint64_t num_entries_before_ = 0;  // in complete clusters
  double seconds_sealing_ = 0;
  State state_ = State::kOpen;
};

}  // namespace skimline::io
