// SPDX-License-Identifier: BSD-3-Clause
// Skims of one part of a sample, on their way into a store.
#pragma once

#include "parts/sample_parts.h"
#include "run/skim_sink.h"

#include "skimline/framework/runner.h"
#include "skimline/io/root_file_writer.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace skimline::skims {

/// Writes the skims that a store lacks of a part. Without finish(), nothing remains.
class SkimsOfPart {
 public:
  /// Connects them to the plan of what is missing, which must outlive this. Throws FileError.
  SkimsOfPart(PlannedPart& part, const RunOptions& options);

  /// After the run: completes the files and gives them their names, but for those that another run has made
  /// since: a file that is sound stays, as others may be reading it.
  void finish();
  std::size_t size() const { return skims_.size(); }

 private:
  struct Skim {
    std::string path;
    std::unique_ptr<io::RootFileWriter> file;
    std::unique_ptr<SkimSink> sink;
    bool has_checksums;   // of its own
    std::uint64_t begin;  // of what the sink writes
  };

  int threads_;
  std::vector<Skim> skims_;
};

}  // namespace skimline::skims
