// SPDX-License-Identifier: BSD-3-Clause
// The record of a histogram's exact sums, with its hashes made right; whatever is accepted is written and
// read again.
//
// Input: the body of the record, uncompressed.
#include "fuzz_target.h"

#include "skimline/io/exact_sums_record.h"

#include <algorithm>
#include <string_view>

#include <xxhash.h>

using namespace skimline;
using namespace skimline::testing;

namespace {

constexpr std::size_t kKey = 42, kHeader = 32, kChecksum = 8;

// The record of an empty histogram, cut before its body: a key and a header that are right but for sizes.
Bytes front_of_record() {
  const auto axis = histograms::Axis::regular(1, 0, 1);
  const auto histogram = histograms::empty_histogram("", "", {axis}, histograms::Storage::kCount);
  Bytes payload = io::exact_sums_payload(histogram, {}, {io::CompressionAlgorithm::kNone, 0});
  payload.resize(kHeader);
  return payload;
}

void put_big(Bytes& bytes, std::size_t position, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    bytes[position + i] = static_cast<std::byte>(value >> (8 * (size - 1 - i)));
}

Bytes key_for(std::size_t payload_size) {
  Bytes key(kKey, std::byte{0});
  put_big(key, 0, kKey + payload_size, 4);
  put_big(key, 4, 1004, 2);
  put_big(key, 6, payload_size, 4);
  put_big(key, 10, (5u << 26) | (1u << 22) | (1u << 17), 4);
  put_big(key, 14, kKey, 2);
  put_big(key, 16, 1, 2);
  put_big(key, 26, 100, 8);
  key[34] = std::byte{5};
  const std::string_view name = "RBlob";
  std::transform(name.begin(), name.end(), key.begin() + 35,
                 [](char c) { return static_cast<std::byte>(c); });
  return key;
}

Bytes record_of(ByteSpan body, int version) {
  Bytes payload = front_of_record();
  payload[8] = static_cast<std::byte>(version);
  const std::uint64_t size = body.size();
  std::memcpy(payload.data() + kHeader - sizeof size, &size, sizeof size);
  payload.insert(payload.end(), body.begin(), body.end());
  const std::uint64_t checksum = XXH3_64bits(payload.data(), payload.size());
  payload.resize(payload.size() + kChecksum);
  std::memcpy(payload.data() + payload.size() - kChecksum, &checksum, kChecksum);
  Bytes record = key_for(payload.size());
  record.insert(record.end(), payload.begin(), payload.end());
  return record;
}

void try_version(ByteSpan body, int version) {
  const Bytes record = record_of(body, version);
  require(io::exact_sums_record_size(record) == record.size(), "the record is not known");
  is_accepted([&] {
    const auto read = io::read_exact_sums(record, {});
    require(read.has_value(), "the record is that of another object");
    const Bytes again = io::exact_sums_payload(*read, {}, {io::CompressionAlgorithm::kNone, 0});
    Bytes copy = key_for(again.size());
    copy.insert(copy.end(), again.begin(), again.end());
    const auto same = io::read_exact_sums(copy, {});
    require(same.has_value(), "what was read cannot be written and read");
    require(io::exact_sums_payload(*same, {}, {io::CompressionAlgorithm::kNone, 0}) == again,
            "what was written again is not the same");
  });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const int version : {1, 2}) try_version(input_bytes(data, size), version);
  return 0;
}
