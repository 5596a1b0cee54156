// SPDX-License-Identifier: BSD-3-Clause
// What writes the events of a skim: an RNTuple or a TTree, for callers that need not know which.
#pragma once

#include "plan/skim_plan.h"

#include "skimline/framework/schema.h"
#include "skimline/framework/sink.h"
#include "skimline/framework/stop_flag.h"
#include "skimline/io/input_source.h"
#include "skimline/io/output_split.h"
#include "skimline/io/root_file_writer.h"
#include "skimline/io/writer_settings.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

struct SkimSinkOptions {
  io::DataFormat format = io::DataFormat::kRNTuple;
  std::string name;  ///< of the RNTuple or TTree
  io::WriterSettings settings;
  io::OutputSplit split;
  bool is_memory_short = false;  ///< nothing is kept for later
  StopFlag stop;
};

/// What a sink takes.
struct SkimColumns {
  std::shared_ptr<const io::CarriedFields> carried;  ///< for an RNTuple only
  Schema computed;
  std::vector<io::Collection> collections;  ///< lists that share their counts
  std::set<std::string> not_of_input;       ///< names of columns that are made, in some files at least
};

/// What was written.
struct SkimSummary {
  std::vector<io::FileContent> files;
  /// How many columns each compression was chosen for, by ROOT's number.
  std::map<int, std::size_t> compressions{};
};

class SkimSink {
 public:
  virtual ~SkimSink() = default;
  virtual Sink& sink() = 0;
  /// After the run.
  virtual SkimSummary finish() = 0;
};

/// Makes the sink for a file, which must outlive it. Throws what io::RNTupleSink and io::TreeSink throw.
std::unique_ptr<SkimSink> make_skim_sink(io::RootFileWriter& file, SkimColumns columns,
                                         const SkimSinkOptions& options);

/// The same for a planned skim, as its config says; `next_file` makes further files if it is split.
std::unique_ptr<SkimSink> sink_of_skim(io::RootFileWriter& file, const PlannedSkim& skim, StopFlag stop,
                                       bool is_memory_short,
                                       std::function<io::RootFileWriter&()> next_file = nullptr);

}  // namespace skimline::skims
