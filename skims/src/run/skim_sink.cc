// SPDX-License-Identifier: BSD-3-Clause
#include "run/skim_sink.h"

#include "skimline/framework/error.h"
#include "skimline/io/rntuple_sink.h"
#include "skimline/io/tree_sink.h"

#include <optional>
#include <utility>

namespace skimline::skims {
namespace {

std::map<int, std::size_t> compressions_of(const io::WriteStatistics& statistics) {
  return statistics.compressions;
}
std::map<int, std::size_t> compressions_of(const io::TreeStatistics&) { return {}; }

template <typename Writer>
class SinkOf : public SkimSink {
 public:
  template <typename... Arguments>
  explicit SinkOf(Arguments&&... arguments) : sink_(std::forward<Arguments>(arguments)...) {}

  Sink& sink() override { return sink_; }

  SkimSummary finish() override {
    sink_.finish();
    return {sink_.files(), compressions_of(sink_.statistics())};
  }

 private:
  Writer sink_;
};

template <typename Options>
Options common_options(const SkimSinkOptions& from) {
  Options options;
  options.settings = from.settings;
  options.stop = from.stop;
  options.split = from.split;
  if (from.is_memory_short) options.max_idle_bytes = 0;
  return options;
}

std::unique_ptr<SkimSink> make_ntuple_sink(io::RootFileWriter& file, SkimColumns columns,
                                           const SkimSinkOptions& options) {
  auto ntuple = common_options<io::RNTupleSinkOptions>(options);
  ntuple.ntuple_name = options.name;
  ntuple.collections = std::move(columns.collections);
  return std::make_unique<SinkOf<io::RNTupleSink>>(file, std::move(columns.carried), columns.computed,
                                                   std::move(ntuple));
}

std::unique_ptr<SkimSink> make_tree_sink(io::RootFileWriter& file, SkimColumns columns,
                                         const SkimSinkOptions& options) {
  auto tree = common_options<io::TreeSinkOptions>(options);
  tree.tree_name = options.name;
  tree.collections = std::move(columns.collections);
  tree.computed = std::move(columns.not_of_input);
  return std::make_unique<SinkOf<io::TreeSink>>(file, columns.computed, std::move(tree));
}

// What writes one of io::output_formats().
struct SinkKind {
  io::DataFormat format;
  std::unique_ptr<SkimSink> (*make)(io::RootFileWriter& file, SkimColumns columns,
                                    const SkimSinkOptions& options);
};

constexpr SinkKind kSinkKinds[] = {
    {io::DataFormat::kRNTuple, make_ntuple_sink},
    {io::DataFormat::kTTree, make_tree_sink},
    {io::DataFormat::kParquet, make_ntuple_sink},
    {io::DataFormat::kArrow, make_ntuple_sink},
};

const SinkKind& sink_kind(io::DataFormat format) {
  for (const SinkKind& kind : kSinkKinds)
    if (kind.format == format) return kind;
  throw InternalError(std::string("no sink writes the format ") + io::name_of(format));
}

}  // namespace

std::unique_ptr<SkimSink> make_skim_sink(io::RootFileWriter& file, SkimColumns columns,
                                         const SkimSinkOptions& options) {
  return sink_kind(options.format).make(file, std::move(columns), options);
}

std::unique_ptr<SkimSink> sink_of_skim(io::RootFileWriter& file, const PlannedSkim& skim, StopFlag stop,
                                       bool is_memory_short, std::function<io::RootFileWriter&()> next_file) {
  SkimSinkOptions options;
  options.format = skim.config->format;
  options.name = skim.config->ntuple_name;
  options.settings = skim.config->settings;
  if (const std::optional<SkimSplit>& split = skim.config->split; split && next_file)
    options.split = {split->events, split->bytes, std::move(next_file)};
  options.is_memory_short = is_memory_short;
  options.stop = stop;
  return make_skim_sink(file, {skim.carried, skim.computed, skim.collections, skim.not_of_input}, options);
}

}  // namespace skimline::skims
