// SPDX-License-Identifier: BSD-3-Clause
// Copies every field of the entries whose number is a multiple of MODULO, for the tests against ROOT and
// uproot.
//
//   io_carry_entries SOURCE NTUPLE TARGET MODULO [COMPRESSION] [SLICE_ENTRIES]

#include "carry_slice.h"

#include "skimline/framework/error.h"
#include "skimline/io/rntuple_sink.h"
#include "skimline/io/rntuple_source.h"

#include <cstdint>
#include <cstdio>
#include <string>

namespace skimline::io {
namespace {

void carry(int argc, char** argv) {
  InputOptions source_options;
  if (argc > 6) source_options.slice_entries = std::stoull(argv[6]);
  RNTupleSource source({{argv[1], argv[2]}}, source_options);
  const Carrying carrying = source.carry(all_fields(source));

  RNTupleSinkOptions options;
  options.path = argv[3];
  const std::string ntuple = argv[2];
  options.ntuple_name = ntuple.substr(ntuple.rfind('/') + 1);
  if (argc > 5) options.settings.compression = parse_compression(argv[5]);
  RNTupleSink sink(carrying.fields, Schema(), options);
  const std::uint64_t modulo = std::stoull(argv[4]);
  for (std::size_t slice = 0; slice < source.slices().size(); ++slice)
    carry_slice(source, slice, sink, [&](std::uint64_t entry) { return entry % modulo == 0; });
  sink.finish();
}

}  // namespace
}  // namespace skimline::io

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fputs("usage: io_carry_entries SOURCE NTUPLE TARGET MODULO [COMPRESSION] [SLICE_ENTRIES]\n", stderr);
    return 2;
  }
  try {
    skimline::io::carry(argc, argv);
    return 0;
  } catch (const skimline::Error& error) {
    std::fprintf(stderr, "io_carry_entries: %s\n", error.what());
    return 1;
  }
}
