// SPDX-License-Identifier: BSD-3-Clause
// Writes one RNTuple from chunks of columns, of any number of entries each.
#pragma once

#include "column_data.h"
#include "work_queue.h"

#include "skimline/framework/stop_flag.h"
#include "skimline/io/parallel_writer.h"
#include "skimline/io/root_file_writer.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace skimline::python {

/// Entries are cut into blocks: a block ends with the entry with which it has `cluster_bytes` in memory. Each
/// block becomes a cluster. So the file depends on the entries alone, neither on the chunks in which they
/// come nor on threads. Blocks are encoded in the background, as many at a time as there are threads, from
/// copies; a chunk of more blocks than that is encoded where it lies, and done when extend() returns.
///
/// Thread-safe. After an exception of extend() but SchemaError nothing more can be written.
class ChunkWriter {
 public:
  /// Throws as ParallelWriter does. 0 threads mean one per core.
  /// The record of a run that the file `record_of` carries is written too, if it has a name.
  ChunkWriter(const std::string& path, const std::vector<io::OutputField>& fields,
              io::ParallelWriterOptions options, int threads, const std::string& record_of);
  /// Removes the file unless finish() returned.
  ~ChunkWriter();
  ChunkWriter(const ChunkWriter&) = delete;
  ChunkWriter& operator=(const ChunkWriter&) = delete;

  const std::vector<FieldNode>& nodes() const { return nodes_; }

  /// Takes entries: `columns` as nodes(), which may go once this returns, also by an exception. Throws
  /// SchemaError, with nothing taken, if a column has not `num_entries` elements or is damaged; FileError if
  /// the file cannot be written, Interrupted soon once `stop` is set.
  void extend(const std::vector<ColumnData>& columns, std::uint64_t num_entries, StopFlag stop);

  /// Completes the file. Throws as extend(). No other call but statistics() may follow.
  void finish(StopFlag stop);

  io::ParallelWriterStatistics statistics() const;

 private:
  // Copied entries, and behind them others that lie in a chunk.
  struct Block {
    std::vector<ColumnCopy> copies;
    std::uint64_t num_copied = 0;
    std::vector<ColumnData> columns;
    ElementRange range;
    std::uint64_t bytes = 0;
  };

  void check_usable() const;
  void take(const std::vector<ColumnData>& columns, std::uint64_t num_entries, StopFlag stop);
  std::uint64_t end_of_block(const std::vector<ColumnData>& columns, ElementRange rest) const;
  std::uint64_t bytes_of_entries(const std::vector<ColumnData>& columns, ElementRange range) const;
  void add_copy(const std::vector<ColumnData>& columns, ElementRange range);
  void submit(StopFlag stop);
  void write(std::uint64_t ticket, const Block& block);
  void append_all(io::FillContext& context, const std::vector<ColumnData>& columns, ElementRange range) const;

  std::vector<FieldNode> nodes_;
  std::uint64_t cluster_bytes_;
  std::uint64_t bytes_in_flight_;  // that may be copied
  std::mutex mutex_;
  std::vector<io::RootObject> objects_;
  io::RootFileWriter file_;
  std::unique_ptr<io::ParallelWriter> writer_;
  std::uint64_t file_bytes_ = 0;  // when it is complete
  Block block_;                   // the one that is not complete
  std::uint64_t next_ticket_ = 0;
  bool has_failed_ = false;
  bool is_finished_ = false;
  std::atomic<bool> is_cancelled_{false};
  WorkQueue queue_;  // the last: its threads use the others
};

}  // namespace skimline::python
