// SPDX-License-Identifier: BSD-3-Clause
// Writes all columns of an RNTuple, none of them carried, into another file, for the tests against ROOT and
// uproot.
//
//   io_copy_columns SOURCE NTUPLE TARGET [COMPRESSION] [CLUSTER_BYTES] [PAGE_BYTES]

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"
#include "skimline/io/rntuple_sink.h"
#include "skimline/io/rntuple_source.h"

#include <cstdio>
#include <string>

namespace skimline::io {
namespace {

void copy(int argc, char** argv) {
  RNTupleSource source({{argv[1], argv[2]}}, {.slice_entries = 37});
  RNTupleSinkOptions options;
  options.path = argv[3];
  if (argc > 4) options.settings.compression = parse_compression(argv[4]);
  if (argc > 5) options.settings.cluster_bytes = std::stoull(argv[5]);
  if (argc > 6) options.settings.page_bytes = std::stoull(argv[6]);
  RNTupleSink sink(source.schema(), options);
  PlanBuilder builder(source.schema());
  builder.write(kAllEntries, source.schema().names(), sink);
  run(std::move(builder).build(), source);
  sink.finish();
}

}  // namespace
}  // namespace skimline::io

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: io_copy_columns SOURCE NTUPLE TARGET [COMPRESSION] [CLUSTER_BYTES] [PAGE_BYTES]\n",
               stderr);
    return 2;
  }
  try {
    skimline::io::copy(argc, argv);
    return 0;
  } catch (const skimline::Error& error) {
    std::fprintf(stderr, "io_copy_columns: %s\n", error.what());
    return 1;
  }
}
