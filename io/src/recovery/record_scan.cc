// SPDX-License-Identifier: BSD-3-Clause
#include "recovery/record_scan.h"

#include "root/record_key.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace skimline::io {
namespace {

constexpr std::uint64_t kUsualKey = 512;
constexpr std::uint64_t kLongestKey = 65535;
// Of a key in front of its names, where places have 32 and 64 bits.
constexpr std::size_t kShortFront = 26, kLongFront = 34;
constexpr std::size_t kVersionAt = 4, kPlaceAt = 18;
constexpr std::size_t kSearchedAtOnce = std::size_t{1} << 20;
constexpr std::uint16_t kNewestKeyVersion = 100;  // of the format, which is at 4
constexpr std::uint64_t kFirstRecord = 64;        // where the oldest files have it

template <typename T>
T big_at(const std::byte* at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(static_cast<std::uint64_t>(value) << 8 | std::to_integer<std::uint64_t>(at[i]));
  return value;
}

// Whether a key may lie at `bytes`, which are at `offset` of the file: few other bytes say where they are.
bool says_its_place(const std::byte* bytes, std::uint64_t offset) {
  const auto version = big_at<std::uint16_t>(bytes + kVersionAt);
  if (version % kLargeRecord > kNewestKeyVersion) return false;
  return version > kLargeRecord ? big_at<std::uint64_t>(bytes + kPlaceAt) == offset
                                : big_at<std::uint32_t>(bytes + kPlaceAt) == offset;
}

class RecordSearch {
 public:
  RecordSearch(const InputFile& file, const StopFlag& stop) : file_(file), stop_(stop) {}

  FoundRecords find() {
    std::uint64_t offset = first_record();
    while (offset < file_.size()) {
      stop_.throw_if_set();
      if (const std::uint64_t freed = freed_at(offset); freed != 0) {
        offset += freed;
        continue;
      }
      const std::optional<StoredKey> key = key_at(offset);
      if (!key) {
        const std::uint64_t next = next_place(offset + 1);
        found_.bytes_skipped += next - offset;
        offset = next;
        continue;
      }
      note(*key);
      offset += key->record_size;
    }
    return std::move(found_);
  }

 private:
  // Where the header says, if it is one.
  std::uint64_t first_record() const {
    if (file_.size() < kTopDirectory) return file_.size();
    std::vector<std::byte> header(12);
    file_.read(0, header);
    const auto begin = big_at<std::uint32_t>(header.data() + 8);
    return begin >= kFirstRecord && begin <= kTopDirectory ? begin : kTopDirectory;
  }

  // ROOT turns the size of what is freed negative. Returns how much that is, if a record is behind it.
  std::uint64_t freed_at(std::uint64_t offset) const {
    const std::uint64_t freed = negative_size_at(offset);
    const std::uint64_t end = offset + freed;
    const bool is_sound = freed != 0 && (end == file_.size() || negative_size_at(end) != 0 || key_at(end));
    return is_sound ? freed : 0;
  }

  std::uint64_t negative_size_at(std::uint64_t offset) const {
    if (file_.size() - offset < sizeof(std::uint32_t)) return 0;
    std::byte bytes[sizeof(std::uint32_t)];
    file_.read(offset, bytes);
    const auto size = static_cast<std::int32_t>(big_at<std::uint32_t>(bytes));
    const auto freed = static_cast<std::uint64_t>(-static_cast<std::int64_t>(size));
    const bool is_freed = size < 0 && freed >= sizeof(std::uint32_t) && freed <= file_.size() - offset;
    return is_freed ? freed : 0;
  }

  std::optional<StoredKey> key_at(std::uint64_t offset) const {
    const std::uint64_t left = file_.size() - offset;
    if (left < kShortFront) return {};
    std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(left, kUsualKey)));
    file_.read(offset, bytes);
    if (bytes.size() < kLongFront || !says_its_place(bytes.data(), offset)) return {};
    const auto key_size = big_at<std::uint16_t>(bytes.data() + 14);
    if (key_size > bytes.size()) {
      bytes.resize(static_cast<std::size_t>(std::min(left, kLongestKey)));
      file_.read(offset, bytes);
    }
    try {
      ByteReader reader(bytes);
      StoredKey stored = parse_key(reader);
      const bool is_whole =
          stored.key_size >= kShortFront && stored.record_size <= left && !stored.class_name.empty();
      return is_whole ? std::optional(std::move(stored)) : std::nullopt;
    } catch (const FormatError&) {
      return {};
    }
  }

  // The next place that a key may lie at, or the end of the file.
  std::uint64_t next_place(std::uint64_t offset) const {
    std::vector<std::byte> bytes;
    while (file_.size() - offset >= kLongFront) {
      stop_.throw_if_set();
      const std::uint64_t left = file_.size() - offset;
      bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(left, kSearchedAtOnce)));
      file_.read(offset, bytes);
      const std::size_t places = bytes.size() - kLongFront + 1;
      for (std::size_t i = 0; i < places; ++i)
        if (says_its_place(bytes.data() + i, offset + i) && key_at(offset + i)) return offset + i;
      offset += places;
    }
    return file_.size();
  }

  void note(const StoredKey& key) {
    if (key.class_name == "TBasket") {
      found_.baskets[{key.title, key.name}].push_back({key.offset, key.record_size, key.cycle});
    } else if (key.is_directory) {
      note_directory(key);
    } else if (key.class_name == "TList" && key.name == "StreamerInfo") {
      found_.streamer_info = key;
    } else if (key.class_name == "RBlob") {
      found_.blobs.push_back(key);
    } else if (key.class_name != "TFile" && !key.name.empty()) {
      found_.objects.push_back(key);
    }
  }

  // The record of a directory says itself where it lies; the lists of its keys have keys of its class too.
  void note_directory(const StoredKey& key) {
    std::vector<std::byte> bytes(std::min<std::size_t>(key.record_size - key.key_size, kDirectorySize));
    file_.read(key.offset + key.key_size, bytes);
    try {
      ByteReader reader(bytes);
      const bool is_large = reader.big<std::uint16_t>() > kLargeRecord;
      reader.take(16);  // dates, sizes of the key list and of the name
      const std::uint64_t own = is_large ? reader.big<std::uint64_t>() : reader.big<std::uint32_t>();
      if (own == key.offset) found_.directories.push_back(key);
    } catch (const FormatError&) {
    }
  }

  const InputFile& file_;
  const StopFlag& stop_;
  FoundRecords found_;
};

}  // namespace

FoundRecords find_records(const InputFile& file, const StopFlag& stop) {
  return RecordSearch(file, stop).find();
}

}  // namespace skimline::io
