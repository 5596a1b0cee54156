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
  options.compression = from.compression;
  options.cluster_bytes = from.cluster_bytes.value_or(options.cluster_bytes);
  options.stop = from.stop;
  if (from.is_memory_short) options.max_idle_bytes = 0;
  return options;
}

}  // namespace

std::unique_ptr<SkimSink> make_skim_sink(io::RootFileWriter& file, SkimColumns columns,
                                         const SkimSinkOptions& options) {
  const SkimSizes sizes = sizes_of(options);
  if (options.format == io::DataFormat::kTTree) {
    auto tree = common_options<io::TreeSinkOptions>(options);
    tree.tree_name = options.name;
    tree.basket_bytes = sizes.page_bytes;
    tree.collections = std::move(columns.collections);
    tree.computed = std::move(columns.not_of_input);
    return std::make_unique<SinkOf<io::TreeSink>>(file, columns.computed, std::move(tree));
  }
  auto ntuple = common_options<io::RNTupleSinkOptions>(options);
  ntuple.ntuple_name = options.name;
  ntuple.page_bytes = sizes.page_bytes;
  ntuple.collections = std::move(columns.collections);
  return std::make_unique<SinkOf<io::RNTupleSink>>(file, std::move(columns.carried), columns.computed,
                                                   std::move(ntuple));
}

std::vector<std::string> classes_of(io::DataFormat format) {
  return format == io::DataFormat::kTTree ? io::tree_classes() : std::vector<std::string>{"ROOT::RNTuple"};
}

SkimSizes sizes_of(const SkimSinkOptions& options) {
  SkimSizes sizes;
  if (options.format == io::DataFormat::kTTree) {
    const io::TreeSinkOptions defaults;
    sizes = {defaults.cluster_bytes, defaults.basket_bytes};
  } else {
    const io::RNTupleSinkOptions defaults;
    sizes = {defaults.cluster_bytes, defaults.page_bytes};
  }
  return {options.cluster_bytes.value_or(sizes.cluster_bytes), options.page_bytes.value_or(sizes.page_bytes)};
}

}  // namespace skimline::skims
