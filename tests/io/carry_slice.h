// SPDX-License-Identifier: BSD-3-Clause
// What tests of carrying fields need of every source.
#pragma once

#include "skimline/io/rntuple_sink.h"
#include "skimline/io/rntuple_source.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace skimline::io {

/// The names of all fields of a source, whether or not expressions can hold them.
inline std::vector<std::string> all_fields(const RNTupleSource& source) {
  std::vector<std::string> names = source.schema().names();
  for (const UnsupportedField& field : source.unsupported_fields()) names.push_back(field.name);
  return names;
}

/// Takes those entries of a slice that `survives`, called with their number in the source, through the steps
/// of a sink that only carries fields.
template <typename Survives>
void carry_slice(RNTupleSource& source, std::size_t number, RNTupleSink& sink, Survives survives) {
  const EntryRange slice = source.slices()[number];
  std::vector<std::uint32_t> positions;
  for (std::uint64_t entry = 0; entry < slice.count; ++entry)
    if (survives(slice.first + entry)) positions.push_back(static_cast<std::uint32_t>(entry));
  const std::unique_ptr<SliceReader> reader = source.open_slice(number);
  const std::unique_ptr<Portion> portion = sink.begin();
  sink.append(*portion, {{0, slice.count}, positions.data(), positions.size()}, {});
  sink.gather(*portion, *reader);
  sink.stitch(*portion);
  sink.seal(*portion);
  sink.commit(*portion);
  sink.write(*portion);
}

}  // namespace skimline::io
