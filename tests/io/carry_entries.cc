// SPDX-License-Identifier: BSD-3-Clause
// Copies every field of the entries whose number is a multiple of MODULO, for the tests against ROOT and
// uproot.
//
//   io_carry_entries SOURCE NTUPLE TARGET MODULO [COMPRESSION] [SLICE_ENTRIES]

#include "skimline/framework/error.h"
#include "skimline/io/rntuple_sink.h"
#include "skimline/io/rntuple_source.h"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace skimline::io {
namespace {

// Passes one slice through the steps of a sink.
void write_slice(RNTupleSource& source, std::size_t number, std::uint64_t modulo, RNTupleSink& sink) {
  const EntryRange slice = source.slices()[number];
  std::vector<std::uint32_t> positions;
  for (std::uint64_t entry = 0; entry < slice.count; ++entry)
    if ((slice.first + entry) % modulo == 0) positions.push_back(static_cast<std::uint32_t>(entry));
  const std::unique_ptr<SliceReader> reader = source.open_slice(number);
  const std::unique_ptr<Portion> portion = sink.begin();
  sink.append(*portion, {{0, slice.count}, positions.data(), positions.size()}, {});
  sink.gather(*portion, *reader);
  sink.stitch(*portion);
  sink.seal(*portion);
  sink.commit(*portion);
  sink.write(*portion);
}

void carry(int argc, char** argv) {
  RNTupleSourceOptions source_options;
  if (argc > 6) source_options.slice_entries = std::stoull(argv[6]);
  RNTupleSource source({{argv[1], argv[2]}}, source_options);
  std::vector<std::string> names = source.schema().names();
  for (const UnsupportedField& field : source.unsupported_fields()) names.push_back(field.name);
  const RNTupleSource::Carrying carrying = source.carry(names);

  RNTupleSinkOptions options;
  options.path = argv[3];
  const std::string ntuple = argv[2];
  options.ntuple_name = ntuple.substr(ntuple.rfind('/') + 1);
  if (argc > 5) options.compression = parse_compression(argv[5]);
  RNTupleSink sink(carrying.fields, Schema(), options);
  for (std::size_t slice = 0; slice < source.slices().size(); ++slice)
    write_slice(source, slice, std::stoull(argv[4]), sink);
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
