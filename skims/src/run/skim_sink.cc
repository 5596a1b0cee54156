// SPDX-License-Identifier: BSD-3-Clause
#include "run/skim_sink.h"

#include "skimline/io/rntuple_sink.h"
#include "skimline/io/tree_sink.h"

#include <utility>

namespace skimline::skims {
namespace {

template <typename Writer>
class SinkOf : public SkimSink {
 public:
  template <typename... Arguments>
  explicit SinkOf(Arguments&&... arguments) : sink_(std::forward<Arguments>(arguments)...) {}

  Sink& sink() override { return sink_; }

  SkimSummary finish() override {
    sink_.finish();
    return {sink_.statistics().num_entries, sink_.content_hash()};
  }

 private:
  Writer sink_;
};

template <typename Options>
Options common_options(const SkimSinkOptions& from) {
  Options options;
  options.settings = from.settings;
  options.stop = from.stop;
  if (from.is_memory_short) options.max_idle_bytes = 0;
  return options;
}

}  // namespace

std::unique_ptr<SkimSink> make_skim_sink(io::RootFileWriter& file, SkimColumns columns,
                                         const SkimSinkOptions& options) {
  if (options.format == io::DataFormat::kTTree) {
    auto tree = common_options<io::TreeSinkOptions>(options);
    tree.tree_name = options.name;
    tree.collections = std::move(columns.collections);
    tree.computed = std::move(columns.not_of_input);
    return std::make_unique<SinkOf<io::TreeSink>>(file, columns.computed, std::move(tree));
  }
  auto ntuple = common_options<io::RNTupleSinkOptions>(options);
  ntuple.ntuple_name = options.name;
  ntuple.collections = std::move(columns.collections);
  return std::make_unique<SinkOf<io::RNTupleSink>>(file, std::move(columns.carried), columns.computed,
                                                   std::move(ntuple));
}

std::vector<std::string> classes_of(io::DataFormat format) {
  return format == io::DataFormat::kTTree ? io::tree_classes() : std::vector<std::string>{"ROOT::RNTuple"};
}

}  // namespace skimline::skims
