// SPDX-License-Identifier: BSD-3-Clause
// One output of events in several files.
#pragma once

#include <cstdint>
#include <functional>

namespace skimline::io {

class RootFileWriter;

/// When a sink goes on in another file. Where files end follows from what is written, never from threads.
/// Clusters are not cut to fit into bytes: one that is larger has a file of its own.
struct OutputSplit {
  std::uint64_t max_entries = 0;  ///< that a file has; 0 for any number
  std::uint64_t max_bytes = 0;  ///< of the clusters as they are stored; 0 for any number, as with max_entries
  /// Makes the file that comes next, which must outlive the sink. Called by Sink::commit() and finish().
  std::function<RootFileWriter&()> next_file{};
};

/// What a sink has written into one file.
struct FileContent {
  std::uint64_t num_entries = 0;
  std::uint64_t content_hash = 0;  ///< for RootFileWriter::commit()
};

}  // namespace skimline::io
