// SPDX-License-Identifier: BSD-3-Clause
// Writes one RNTuple from many threads of the user's own.
#pragma once

#include "skimline/io/field_type.h"
#include "skimline/io/fill_context.h"
#include "skimline/io/root_file_writer.h"
#include "skimline/io/writer_settings.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace skimline::io {

/// What the RNTuple is called, and how it is written.
struct ParallelWriterOptions {
  std::string ntuple_name = "Events";  ///< with the directories it lies in, "dir/Events"
  std::string description;
  /// The compression is that of columns that have none of their own.
  WriterSettings settings;
};

/// What was written, and what it took. Times are summed over the contexts.
struct ParallelWriterStatistics {
  std::uint64_t num_entries = 0;
  std::uint64_t num_clusters = 0;
  std::uint64_t num_pages = 0;
  std::uint64_t bytes_in_memory = 0;  ///< of all elements
  std::uint64_t file_bytes = 0;       ///< valid after finish()
  std::uint64_t peak_page_bytes = 0;  ///< most memory that pages had at a time, in all contexts together
  double seconds_sealing = 0;         ///< encoding, compressing and checksumming pages
  double seconds_waiting = 0;         ///< for the lock
  double seconds_locked = 0;          ///< holding the lock
  double longest_seconds_locked = 0;  ///< for one cluster
  double seconds_writing = 0;         ///< in calls to the storage
};

/// Makes one RNTuple of the entries of many fill contexts, each used by one thread at a time.
///
///     ParallelWriter writer("events.root", {{"x", FieldType::of<float>()}});
///     // in each thread:
///     auto context = writer.make_context();
///     context->values<float>("x").append(values);
///     context->commit_entries(values.size());
///     context->close();
///     // at the end:
///     writer.finish();
///
/// Clusters of contexts from make_context() stand in the file in the order in which they were complete.
/// Contexts with tickets make a file that does not depend on how threads ran: clusters stand in the order of
/// the tickets. Only one of the two ways can be used in one writer.
///
/// make_context() and the contexts may be used from different threads at the same time. The writer must
/// outlive its contexts.
class ParallelWriter {
 public:
  /// Writes a file of its own, which is complete and visible after finish(), else gone. Throws SchemaError
  /// for fields that cannot be written, FileError if the file cannot be made.
  ParallelWriter(std::string path, const std::vector<OutputField>& fields,
                 ParallelWriterOptions options = {});

  /// Writes into a file that may get other RNTuples and objects, of whose classes "ROOT::RNTuple" is one. It
  /// must outlive the writer and be committed after finish(), with the hash that returns.
  ParallelWriter(RootFileWriter& file, const std::vector<OutputField>& fields,
                 ParallelWriterOptions options = {});
  ~ParallelWriter();
  ParallelWriter(const ParallelWriter&) = delete;
  ParallelWriter& operator=(const ParallelWriter&) = delete;

  /// A context whose clusters come as they are complete. Throws ConfigError in a writer that has tickets.
  std::unique_ptr<FillContext> make_context();

  /// A context whose entries come after those of all smaller tickets. Tickets count from 0 and each must be
  /// used once. Clusters wait in memory until the contexts of smaller tickets are closed: tickets should be
  /// worked on nearly in order. Throws ConfigError for a ticket that was used before.
  std::unique_ptr<FillContext> make_context(std::uint64_t ticket);

  /// Completes the RNTuple; no other call but statistics() may follow. Returns a hash of its content. Throws
  /// Error if a context was not closed or a ticket not used: entries would be missing. Once a context was
  /// destroyed without being closed, the calls of the others throw too.
  std::uint64_t finish();

  /// What was written so far; exact after finish(). Thread-safe.
  ParallelWriterStatistics statistics() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace skimline::io
