// SPDX-License-Identifier: BSD-3-Clause
#include "root/record_placement.h"

#include "skimline/framework/error.h"

namespace skimline::io {
namespace {

// Enough for the lists and anchors of a file with a few objects, however much of a block the StreamerInfo
// takes.
constexpr std::uint64_t kLeastRoom = 2048;

std::uint64_t next_block(std::uint64_t offset) { return (offset + kBlockSize - 1) / kBlockSize * kBlockSize; }

void check_record_size(const RecordKey& key) {
  if (key.record_size() >= std::uint64_t{1} << 31) throw InternalError("a record of 2 GiB or more");
}

}  // namespace

RecordPlacement::RecordPlacement(std::uint64_t front)
    : front_(front), data_(next_block(front + kLeastRoom)), end_(data_) {}

void RecordPlacement::append(RecordKey& key) {
  key.is_long |= end_ > kSmallFileLimit || key.directory > kSmallFileLimit;
  check_record_size(key);
  key.offset = end_;
  end_ += key.record_size();
}

void RecordPlacement::append_aligned(RecordKey& blob, std::uint64_t payload_size, std::uint64_t into_block) {
  const std::uint64_t after_key = end_ + blob.size();
  const std::uint64_t filler = (into_block + kBlockSize - after_key % kBlockSize) % kBlockSize;
  blob.object_size = filler + payload_size;
  append(blob);
}

std::uint64_t RecordPlacement::append_records(std::uint64_t size) {
  const std::uint64_t begin = end_;
  end_ += size;
  return begin;
}

void RecordPlacement::place(RecordKey& key, std::uint64_t num_reserved) {
  key.is_long |= key.directory > kSmallFileLimit;
  if (!fits_in_front(key.record_size() + num_reserved)) return append(key);
  put_in_front(key);
}

void RecordPlacement::place_object(RecordKey& key, RecordKey* blob, std::uint64_t num_reserved) {
  key.is_long |= key.directory > kSmallFileLimit;
  const std::uint64_t size = key.record_size() + (blob == nullptr ? 0 : blob->record_size());
  objects_have_room_ = objects_have_room_ && fits_in_front(size + num_reserved);
  for (RecordKey* record : {&key, blob})
    if (record != nullptr) objects_have_room_ ? put_in_front(*record) : append(*record);
}

void RecordPlacement::put_in_front(RecordKey& key) {
  key.offset = front_;
  front_ += key.record_size();
}

// What is left must be nothing or have room for the key of the blob that fills it; the latter is the simpler
// demand.
bool RecordPlacement::fits_in_front(std::uint64_t size) const {
  return front_ + size + blob_key(0).size() <= data_;
}

void RecordPlacement::drop_room_before_nothing() {
  if (end_ == data_) end_ = data_ = front_;
}

std::optional<RecordKey> RecordPlacement::close_front() {
  if (front_ == data_) return std::nullopt;
  RecordKey filler = blob_key(0);
  filler.object_size = data_ - front_ - filler.size();
  filler.offset = front_;
  front_ = data_;
  return filler;
}

}  // namespace skimline::io
