// SPDX-License-Identifier: BSD-3-Clause
// Header, footer and page list of an RNTuple: all that can be read without its pages.
//
// Input: u16 sizes of the payloads of header and footer, these two, the payload of the page list.
#include "bytes_builder.h"
#include "fuzz_target.h"
#include "memory_file.h"
#include "wrapped_ntuple.h"

#include "skimline/io/input_file.h"
#include "skimline/io/rntuple_metadata.h"
#include "skimline/io/rntuple_source.h"

#include <algorithm>

using namespace skimline;
using namespace skimline::testing;

namespace {

NTuplePayloads split(ByteSpan input) {
  InputReader reader(input);
  const auto header_size = reader.number<std::uint16_t>();
  const auto footer_size = reader.number<std::uint16_t>();
  NTuplePayloads payloads;
  payloads.header = reader.take(header_size);
  payloads.footer = reader.take(footer_size);
  payloads.page_list = reader.rest();
  return payloads;
}

Bytes joined(const NTuplePayloads& payloads) {
  return BytesBuilder()
      .little(static_cast<std::uint16_t>(payloads.header.size()))
      .little(static_cast<std::uint16_t>(payloads.footer.size()))
      .raw(payloads.header)
      .raw(payloads.footer)
      .raw(payloads.page_list)
      .bytes();
}

constexpr std::size_t kMaxRepetition = 50;

// What is kept is in proportion to the file.
void check_size(const io::RNTupleDescriptor& descriptor, std::size_t size) {
  constexpr std::size_t kSmallestCluster = 36;
  std::size_t text = 0;
  for (const std::string& path : descriptor.field_paths()) text += path.size();
  require(text <= size * kMaxRepetition, "longer paths than the file can justify");
  require(descriptor.clusters.size() <= size / kSmallestCluster, "more clusters than fit into the file");
}

void check_size(const io::RNTupleSource& source, std::size_t size) {
  std::size_t text = 0;
  for (const ColumnInfo& column : source.schema().columns()) text += column.description.size();
  require(text <= size * kMaxRepetition / 2, "longer descriptions than the file can justify");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes content = wrap(split(input_bytes(data, size)));
  const MemoryFile memory(content);
  is_accepted([&] {
    const io::RootFile file(memory.path());
    const io::RNTupleDescriptor descriptor = io::read_descriptor(file, "");
    check_size(descriptor, file.input().size());
  });
  is_accepted([&] { check_size(io::RNTupleSource({{memory.path(), ""}}), content.size()); });
  return 0;
}

// Changes one of the payloads and keeps the others in their places.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  NTuplePayloads payloads = split(input_bytes(data, size));
  ByteSpan* const parts[] = {&payloads.header, &payloads.footer, &payloads.page_list};
  ByteSpan& part = *parts[seed % 3];
  const std::size_t others = joined(payloads).size() - part.size();
  if (others >= max_size) return LLVMFuzzerMutate(data, size, max_size);
  Bytes changed(part.begin(), part.end());
  changed.resize(std::min<std::size_t>(max_size - others, 0xFFFF));
  changed.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(changed.data()),
                                  std::min(part.size(), changed.size()), changed.size()));
  part = changed;
  const Bytes result = joined(payloads);
  std::copy(result.begin(), result.end(), reinterpret_cast<std::byte*>(data));
  return result.size();
}
