// SPDX-License-Identifier: BSD-3-Clause
// Writes all columns of an RNTuple into a TTree, for the tests against ROOT and uproot.
//
//   io_copy_to_tree SOURCE NTUPLE TARGET COMPRESSION CLUSTER_BYTES BASKET_BYTES THREADS [COLLECTION...]
//
// A collection is "name=column,column", or "name/count=column,column" if a column has its counts.

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"
#include "skimline/io/rntuple_source.h"
#include "skimline/io/tree_sink.h"

#include <cstdio>
#include <sstream>
#include <string>

namespace skimline::io {
namespace {

Collection parse_collection(const std::string& text) {
  Collection collection;
  const std::size_t equals = text.find('=');
  collection.name = text.substr(0, equals);
  collection.description = "items of " + collection.name;
  if (const std::size_t slash = collection.name.find('/'); slash != std::string::npos) {
    collection.count = collection.name.substr(slash + 1);
    collection.name.resize(slash);
  }
  std::istringstream columns(text.substr(equals + 1));
  for (std::string column; std::getline(columns, column, ',');) collection.columns.push_back(column);
  return collection;
}

void copy(int argc, char** argv) {
  RNTupleSource source({{argv[1], argv[2]}}, {.slice_entries = 3700});
  TreeSinkOptions options;
  options.path = argv[3];
  options.description = "a copy";
  options.settings.compression = parse_compression(argv[4]);
  options.settings.cluster_bytes = std::stoull(argv[5]);
  options.settings.page_bytes = std::stoull(argv[6]);
  for (int i = 8; i < argc; ++i) options.collections.push_back(parse_collection(argv[i]));
  TreeSink sink(source.schema(), options);
  PlanBuilder builder(source.schema());
  builder.write(kAllEntries, source.schema().names(), sink);
  RunOptions run_options;
  run_options.threads = std::stoi(argv[7]);
  run(std::move(builder).build(), source, run_options);
  sink.finish();
}

}  // namespace
}  // namespace skimline::io

int main(int argc, char** argv) {
  if (argc < 8) {
    std::fputs(
        "usage: io_copy_to_tree SOURCE NTUPLE TARGET COMPRESSION CLUSTER_BYTES BASKET_BYTES THREADS "
        "[COLLECTION...]\n",
        stderr);
    return 2;
  }
  try {
    skimline::io::copy(argc, argv);
  } catch (const skimline::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
