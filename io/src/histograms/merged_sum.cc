// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/merged_sum.h"

#include "histograms/other_objects.h"
#include "root/file_seal.h"
#include "root/object_payload.h"
#include "root/stored_key.h"

#include "skimline/io/exact_sums_record.h"
#include "skimline/io/histogram_writer.h"

namespace skimline::io {
namespace {

constexpr std::size_t kLongKeyDifference = 8;

CellType cell_type(NumberType type) {
  return type == NumberType::kFloat ? CellType::kFloat
         : type == NumberType::kInt ? CellType::kInt
                                    : CellType::kDouble;
}

}  // namespace

void MergedSum::add(const HistogramRecord& record, const RecordBytes& bytes,
                    std::vector<std::byte>& scratch) {
  check(record, bytes);
  const bool may_be_exact = takes_exact_ && !needs_objects_;
  if (!may_be_exact && !bytes.sums.empty()) note(exact_sums_fit(bytes.sums, bytes.stored));
  if (needs_objects_ || (takes_exact_ && add_exact(bytes))) return;
  takes_exact_ = false;
  if (exact_)
    needs_objects_ = true;
  else
    add_object(record, bytes, scratch);
}

void MergedSum::restart() {
  const bool has_changed = has_changed_;
  *this = MergedSum(*histogram_, allows_changed_);
  has_changed_ = has_changed;
  takes_exact_ = false;
}

// Whatever becomes of the record, it must be what was written.
void MergedSum::check(const HistogramRecord& record, const RecordBytes& bytes) const {
  if (!record.is_sealed) {
    ByteReader reader(bytes.record);
    if (!is_key_of(parse_key(reader), histogram_->path, histogram_->class_name, record))
      throw FormatError(kAnotherKey);
    return;
  }
  check_sealed({.offset = record.offset,
                .size = record.record_size,
                .size_behind = static_cast<std::uint32_t>(record.room),
                .hash = record.hash},
               bytes.record);
  if (bytes.sums.size() != record.room) throw FormatError(kNoExactSums);
}

// Whether exact sums are those of the object in front of them.
void MergedSum::note(bool do_sums_fit) {
  if (!do_sums_fit && !allows_changed_) throw FormatError(kChangedObject);
  has_changed_ |= !do_sums_fit;
}

// Returns whether there are exact sums.
bool MergedSum::add_exact(const RecordBytes& bytes) {
  if (bytes.sums.empty()) return false;
  std::optional<histograms::Histogram> read = read_exact_sums(bytes.sums, bytes.stored);
  note(read.has_value());
  if (!read) return false;
  if (!exact_) {
    exact_ = std::move(read);
    return true;
  }
  if (const std::string difference = difference_of_bins(*exact_, *read); !difference.empty())
    throw Mismatch(difference);
  histograms::add(*exact_, *read);
  return true;
}

void MergedSum::add_object(const HistogramRecord& record, const RecordBytes& bytes,
                           std::vector<std::byte>& scratch) {
  decompress_object(bytes.stored, record.object_size, scratch);
  StoredObject object{std::move(scratch), record.key_size, bytes.process_offset};
  if (objects_)
    objects_->add(object);
  else
    objects_ = histogram_->is_other ? begin_object(histogram_->class_name, object)
                                    : begin_sum(histogram_->kind, object);
  scratch = std::move(object.payload);
}

RootObject MergedSum::take(CompressionSetting compression) {
  if (exact_) {
    exact_->name = histogram_->path;
    return root_object(*exact_, {.cells = cell_type(histogram_->kind.cells), .compression = compression});
  }
  RootObject object;
  object.class_name = histogram_->class_name;
  object.name = histogram_->path;
  object.title = histogram_->title;
  const std::size_t key_size = long_key_size(object);
  StoredObject sum = objects_->take(key_size);
  object.has_long_key = sum.key_size == key_size;
  needs_short_key_ = !object.has_long_key;
  object.process_offset = sum.process_offset;
  if (needs_short_key_ && sum.process_offset != 0)
    throw Mismatch(
        "it holds other objects, and its key has no room for the number of the process they are of");
  if (needs_short_key_ && sum.key_size != key_size - kLongKeyDifference)
    throw Mismatch("it holds other objects, which refer to a key of another length");
  set_payload(object, std::move(sum.payload), compression);
  return object;
}

}  // namespace skimline::io
