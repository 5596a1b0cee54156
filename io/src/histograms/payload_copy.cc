// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/payload_copy.h"

#include "storage/byte_reader.h"

#include <algorithm>
#include <utility>

namespace skimline::io {

void PayloadCopy::replace(PayloadRange range, Write write) {
  replacements_.push_back({range, std::move(write)});
}

std::vector<std::byte> PayloadCopy::finish(const std::vector<PayloadRange>& frames,
                                           const std::vector<std::size_t>& references) {
  std::sort(replacements_.begin(), replacements_.end(),
            [](const Replacement& a, const Replacement& b) { return a.range.begin < b.range.begin; });
  std::size_t done = 0;
  for (Replacement& replacement : replacements_) {
    carry(done, replacement.range.begin);
    replacement.write(copy_, pointers_);
    done = replacement.range.end;
    replacement.end = copy_.size();
  }
  carry(done, payload_.size());
  for (const PayloadRange& frame : frames) correct_size(frame);
  for (const std::size_t reference : references) correct_reference(reference);
  return std::move(copy_).take();
}

void PayloadCopy::carry(std::size_t begin, std::size_t end) {
  copy_.raw(payload_.subspan(begin, end - begin));
}

// Where in the copy a byte is that was not replaced, or the one behind what was.
std::size_t PayloadCopy::place_of(std::size_t place) const {
  const auto behind =
      std::upper_bound(replacements_.begin(), replacements_.end(), place,
                       [](std::size_t at, const Replacement& each) { return at < each.range.end; });
  if (behind == replacements_.begin()) return place;
  const Replacement& last = *std::prev(behind);
  return last.end + (place - last.range.end);
}

bool PayloadCopy::is_replaced(const PayloadRange& range) const {
  const auto behind =
      std::upper_bound(replacements_.begin(), replacements_.end(), range.begin,
                       [](std::size_t at, const Replacement& each) { return at < each.range.end; });
  return behind != replacements_.end() && behind->range.begin <= range.begin &&
         range.end <= behind->range.end;
}

void PayloadCopy::correct_size(const PayloadRange& frame) {
  if (is_replaced(frame)) return;
  const std::size_t begin = place_of(frame.begin);
  const std::size_t size = place_of(frame.end) - begin - sizeof(std::uint32_t);
  copy_.set_big<std::uint32_t>(begin, kByteCountBit | static_cast<std::uint32_t>(size));
}

void PayloadCopy::correct_reference(std::size_t place) {
  if (is_replaced({place, place + sizeof(std::uint32_t)})) return;
  const auto word = ByteReader(payload_.subspan(place, sizeof(std::uint32_t))).big<std::uint32_t>();
  const std::size_t shift = key_size_ + kReferenceOffset;
  const std::size_t target = place_of((word & ~kClassReferenceBit) - shift) + shift;
  copy_.set_big<std::uint32_t>(place_of(place), kClassReferenceBit | static_cast<std::uint32_t>(target));
}

}  // namespace skimline::io
