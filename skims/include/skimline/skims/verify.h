// SPDX-License-Identifier: BSD-3-Clause
// The command `skimline verify`: are files what was written?
#pragma once

#include "skimline/framework/stop_flag.h"
#include "skimline/io/data_format.h"
#include "skimline/io/verification.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// What verify() reads, and how.
struct VerifyOptions {
  std::vector<std::string> paths;
  /// 0 means one per core the process may run on.
  int threads = 0;
  /// Writes a file of checksums for each file in which nothing is wrong, see io::write_checksums().
  bool writes_checksums = false;
  /// Where files of checksums are; empty for beside the files.
  std::string checksum_folder{};
  /// Makes it throw Interrupted soon once it is set.
  StopFlag stop;
};

/// One RNTuple or TTree of a file, or a file that could not be opened or whose metadata are damaged.
struct VerifiedEvents {
  std::string path;
  std::string name;  ///< empty if the file could not be opened or holds nothing
  io::DataFormat format = io::DataFormat::kRNTuple;
  std::string problem;  ///< of the file or the metadata, complete; empty if pages or baskets could be read
  io::EventsVerification verification;

  /// Whether nothing is wrong.
  bool is_sound() const { return problem.empty() && verification.faults.empty(); }
};

/// Histograms and other objects of a file.
struct VerifiedObjects {
  std::string path;
  std::string problem;  ///< what stopped it, complete; empty if all objects could be looked at
  io::ObjectVerification verification;

  /// Whether nothing is wrong.
  bool is_sound() const { return problem.empty() && verification.faults.empty(); }
};

/// A file of checksums that was written, or why it was not.
struct WrittenChecksums {
  std::string path;
  std::size_t num_records = 0;
  std::string problem;  ///< complete; empty if it was written
};

/// What came of all files.
struct VerifyReport {
  std::vector<VerifiedEvents> events;    ///< file by file
  std::vector<VerifiedObjects> objects;  ///< of files that have some, or in which other records are damaged
  std::vector<WrittenChecksums> checksums;

  /// Whether nothing is wrong, and all checksums are written that were asked for.
  bool is_sound() const;
};

/// Verifies every page of every RNTuple, reads every basket of every TTree, verifies or reads all
/// histograms and other objects, and goes on after damage.
VerifyReport verify(const VerifyOptions& options);

/// Returns one line for each RNTuple and TTree, one for the other objects of a file, and one for each
/// damaged page, basket or object.
std::string to_text(const VerifyReport& report);

}  // namespace skimline::skims
