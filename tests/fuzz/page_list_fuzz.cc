// SPDX-License-Identifier: BSD-3-Clause
// The page list of an RNTuple whose schema is sound: a column of each type, of one unknown type, two
// representations and a deferred column.
//
// Input: first entry, number of entries (u64) and of clusters (u32) of the cluster group, the payload of the
// page list.
#include "bytes_builder.h"
#include "fuzz_target.h"
#include "memory_file.h"
#include "wrapped_ntuple.h"

#include "skimline/io/input_file.h"
#include "skimline/io/rntuple_metadata.h"

#include <string>

using namespace skimline;
using namespace skimline::testing;

namespace {

constexpr std::uint16_t kUnknownType = 0x1E;

struct Column {
  std::uint16_t type;
  std::uint32_t field;
  std::uint16_t flags = 0;
  std::uint16_t representation = 0;
};

Bytes column_record(const Column& column) {
  constexpr std::uint16_t kDeferred = 1, kHasRange = 2;
  const auto type = static_cast<io::ColumnType>(column.type);
  BytesBuilder record;
  record.little(column.type).little(io::fixed_bits(type).value_or(20)).little(column.field);
  record.little(column.flags).little(column.representation);
  if (column.flags & kDeferred) record.little(std::int64_t{14});
  if (column.flags & kHasRange)
    record.little(std::uint64_t{0}).little(std::uint64_t{0x3FF0000000000000});  // 0.0 and 1.0
  return record.bytes();
}

Bytes header() {
  BytesBuilder fields, columns;
  std::vector<Column> all;
  for (std::uint16_t type = 0; type <= kUnknownType; ++type)
    all.push_back({type, type, static_cast<std::uint16_t>(type == kUnknownType - 1 ? 2 : 0)});
  for (const Column& column : all)
    fields.record_frame(BytesBuilder()
                            .little(std::uint64_t{0})
                            .little(column.field)
                            .little(std::uint32_t{0})
                            .envelope_string("x" + std::to_string(column.field))
                            .pad_to(39)
                            .bytes());
  const auto num_fields = static_cast<std::uint32_t>(all.size());
  all.push_back({0x0C, 0x18, 0, 1});
  all.push_back({0x07, 0x13, 1, 1});
  for (const Column& column : all) columns.record_frame(column_record(column));
  const Bytes none;
  return BytesBuilder()
      .little(std::uint64_t{0})
      .envelope_string("E")
      .envelope_string("")
      .envelope_string("")
      .list_frame(num_fields, fields.bytes())
      .list_frame(static_cast<std::uint32_t>(all.size()), columns.bytes())
      .list_frame(0, none)
      .list_frame(0, none)
      .bytes();
}

Bytes footer(InputReader& input) {
  const ByteSpan group = input.take(20);
  const Bytes record = BytesBuilder()
                           .raw(group)
                           .pad_to(20)
                           .little(kPageListSize)
                           .little(static_cast<std::int32_t>(kPageListSize))
                           .little(kPageListOffset)
                           .bytes();
  const Bytes frame = BytesBuilder().record_frame(record).bytes();
  return BytesBuilder().pad_to(16).record_frame({}).list_frame(1, frame).list_frame(0, {}).bytes();
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Bytes fixed_header = header();
  InputReader input(input_bytes(data, size));
  const Bytes groups = footer(input);
  const MemoryFile memory(wrap({fixed_header, groups, input.rest()}));
  is_accepted([&] {
    const io::RootFile file(memory.path());
    const io::RNTupleDescriptor descriptor = io::read_descriptor(file, "E");
    for (const io::ClusterDescriptor& cluster : descriptor.clusters)
      for (const io::ColumnRange& range : cluster.columns)
        for (const io::PageInfo& page : range.pages)
          require(page.locator.offset + page.locator.size <= file.input().size(), "a page outside the file");
  });
  return 0;
}
