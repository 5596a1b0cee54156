// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/root_file.h"

#include "root/file_seal.h"
#include "root/record_key.h"
#include "root/stored_key.h"
#include "storage/byte_reader.h"

#include "skimline/io/compression.h"
#include "skimline/io/identities.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>

namespace skimline::io {
namespace {

constexpr std::size_t kUuidSize = 18;  // with its version
constexpr std::size_t kMaxDirectoryDepth = 64;
// Every path below a directory repeats that of the directory.
constexpr std::size_t kMaxDirectoryPath = 1000;

struct Header {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t free_list = 0;
  std::uint64_t name_size = 0;
  std::uint64_t streamer_info = 0;
  std::uint64_t streamer_info_size = 0;
  std::int32_t version = 0;
  std::string uuid;
};

std::string hexadecimal(std::span<const std::byte> bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

std::string read_uuid(ByteReader& reader) {
  reader.take(2);  // version of the UUID
  std::string uuid = hexadecimal(reader.take(16));
  for (const std::size_t dash : {8, 13, 18, 23}) uuid.insert(dash, 1, '-');
  return uuid;
}

// uproot gives another UUID to the directory than to the header. It says that it is ROOT 6.24/00; earlier it
// said 6.18/00, with the header that ROOT gives to large files alone, or less a million, a negative number.
bool is_of_uproot(const Header& header) {
  constexpr std::int32_t kVersionOfUproot = 62400;
  return header.version < 0 || header.version % kLargeFile == kVersionOfUproot ||
         (header.version >= kLargeFile && header.end <= kSmallFileLimit);
}

// Writers of RNTuples alone leave the UUID of the header empty.
void check_uuids(const Header& header, const std::string& of_directory) {
  if (is_of_uproot(header) || is_null_uuid(header.uuid) || is_null_uuid(of_directory)) return;
  if (header.uuid != of_directory)
    throw FormatError("its UUID is " + header.uuid + " in the header and " + of_directory +
                      " in the directory: one of them is damaged");
}

// The UUID in the record of a directory. Version 1 of directories has none.
std::string uuid_of_directory(std::span<const std::byte> directory) {
  ByteReader reader(directory);
  const auto version = reader.big<std::uint16_t>();
  if (version % kLargeRecord < 2) return {};
  reader.take(8 + 8);                             // dates, sizes of the key list and of the name
  reader.take(version > kLargeRecord ? 24 : 12);  // directory, parent, key list
  return read_uuid(reader);
}

// The record of an object begins with the key that the list repeats.
void check_key(const RootKey& listed, std::span<const std::byte> record) {
  ByteReader reader(record);
  const StoredKey own = parse_key(reader);
  // ROOT renamed the class of directories in lists that it wrote again.
  const std::string& class_name =
      own.is_directory && is_directory_class(listed.class_name) ? own.class_name : listed.class_name;
  if (!is_key_of(own, listed.path, class_name, listed) || own.title != listed.title ||
      own.cycle != listed.cycle)
    throw FormatError(kAnotherKey);
}

// Collects the keys of all directories.
class Contents {
 public:
  Contents(const InputFile& file, ChangedRecords changed) : file_(file), unlisted_bytes_(file.size()) {
    read_header(changed);
  }

  std::vector<RootKey> read() {
    read_directory({header_.begin, header_.begin + header_.name_size, nullptr}, "", 0);
    return std::move(keys_);
  }

  std::unique_ptr<const FileSeal> take_seal() { return std::move(seal_); }

  std::string uuid() {
    const std::uint64_t offset = header_.begin + header_.name_size;
    const std::vector<std::byte> content =
        bytes(offset, std::min<std::uint64_t>(kDirectorySize, file_.size() - offset));
    std::string uuid;
    parse_record("directory", offset, [&] {
      uuid = uuid_of_directory(content);
      check_uuids(header_, uuid);
    });
    return uuid;
  }

  // An empty key if there is none. It counts only for what is read or written with it, so that one that is
  // damaged is as good as none.
  RootKey streamer_info() {
    try {
      if (header_.streamer_info_size == 0) return {};
      const std::vector<std::byte> content = bytes(header_.streamer_info, header_.streamer_info_size);
      if (seal_) seal_->check(header_.streamer_info, content);
      ByteReader reader(content);
      RootKey key = parse_key(reader).as<RootKey>();
      const bool is_right = key.offset == header_.streamer_info && key.class_name == "TList" &&
                            key.record_size == header_.streamer_info_size;
      return is_right ? key : RootKey{};
    } catch (const FormatError&) {
      return {};
    }
  }

  // A list of free bytes is written when a file is closed. Bytes may follow the end of one that is.
  bool was_never_closed() const { return header_.free_list == 0 && header_.end < file_.size(); }

  std::vector<ByteExtent> take_structure() { return std::move(structure_); }

 private:
  // Says of what is wrong with a record's bytes where they begin.
  template <typename Parse>
  static void parse_record(const char* what, std::uint64_t offset, Parse parse) {
    try {
      parse();
    } catch (const FormatError& error) {
      throw FormatError(std::string(what) + " at byte " + decimal(offset) + ": " + error.what());
    }
  }

  std::vector<std::byte> bytes(std::uint64_t offset, std::uint64_t size) {
    if (offset > file_.size() || size > file_.size() - offset)
      throw FormatError("a record lies outside the file, at byte " + decimal(offset));
    std::vector<std::byte> content(static_cast<std::size_t>(size));
    file_.read(offset, content);
    structure_.push_back({offset, size});
    return content;
  }

  void read_header(ChangedRecords changed) {
    if (file_.size() == 0) throw FormatError("is empty");
    const std::vector<std::byte> content = bytes(0, std::min<std::uint64_t>(file_.size(), 100));
    if (content.size() < 4 || std::memcmp(content.data(), "root", 4) != 0)
      throw FormatError("is not a ROOT file");
    ByteReader reader(content);
    reader.take(4);
    Header& header = header_;
    header.version = reader.big<std::int32_t>();
    const bool is_large = header.version >= kLargeFile;
    header.begin = reader.big<std::uint32_t>();
    header.end = is_large ? reader.big<std::uint64_t>() : reader.big<std::uint32_t>();
    header.free_list = is_large ? reader.big<std::uint64_t>() : reader.big<std::uint32_t>();
    reader.take(8);  // size of the free list, number of its segments
    header.name_size = reader.big<std::uint32_t>();
    reader.take(1 + 4);  // width of offsets, compression
    header.streamer_info = is_large ? reader.big<std::uint64_t>() : reader.big<std::uint32_t>();
    header.streamer_info_size = reader.big<std::uint32_t>();
    if (reader.remaining() >= kUuidSize && header.begin >= content.size() - reader.remaining() + kUuidSize)
      header.uuid = read_uuid(reader);
    if (header.end > file_.size())
      throw FormatError("is truncated: it should have " + decimal(header.end) + " bytes and has " +
                        decimal(file_.size()));
    if (changed == ChangedRecords::kAllowed) return;
    if (std::optional<FileSeal> seal = FileSeal::read(file_, content, header.end))
      seal_ = std::make_unique<const FileSeal>(*std::move(seal));
  }

  // Where a directory is: its record, and in that what is not the key.
  struct DirectoryPlace {
    std::uint64_t record, payload;
    const StoredKey* listed;  // nullptr for that of the file itself
  };

  std::vector<std::byte> read_directory_record(const DirectoryPlace& place) {
    const std::uint64_t left = file_.size() - std::min(place.payload, file_.size());
    const std::uint64_t size = std::min<std::uint64_t>(kDirectorySize, left);
    if (!seal_) return place.listed == nullptr ? bytes(place.payload, size) : read_listed(place, size);
    std::vector<std::byte> record = bytes(place.record, seal_->at(place.record).size);
    seal_->check(place.record, record);
    const std::uint64_t key_size = place.payload - place.record;
    if (key_size > record.size()) throw FormatError("a directory lies outside its record");
    record.erase(record.begin(), record.begin() + static_cast<std::ptrdiff_t>(key_size));
    return record;
  }

  // A name that the list alone has would be that of another directory in outputs.
  std::vector<std::byte> read_listed(const DirectoryPlace& place, std::uint64_t size) {
    const std::uint64_t key_size = place.payload - place.record;
    if (place.payload > file_.size()) throw FormatError("a directory lies outside the file");
    std::vector<std::byte> record(static_cast<std::size_t>(key_size + size));
    file_.read(place.record, record);
    structure_.push_back({place.payload, size});
    parse_record("directory", place.record, [&] { check_key(place.listed->as<RootKey>(), record); });
    record.erase(record.begin(), record.begin() + static_cast<std::ptrdiff_t>(key_size));
    return record;
  }

  void read_directory(const DirectoryPlace& place, const std::string& prefix, std::size_t depth) {
    if (depth > kMaxDirectoryDepth || !visited_.insert(place.payload).second)
      throw FormatError("directories contain each other");
    std::uint64_t list_offset = 0;
    std::uint64_t list_size = 0;
    const std::vector<std::byte> content = read_directory_record(place);
    parse_record("directory", place.payload, [&] {
      ByteReader reader(content);
      const bool is_large = reader.big<std::uint16_t>() > kLargeRecord;
      reader.take(8);  // dates
      list_size = reader.big<std::uint32_t>();
      reader.take(is_large ? 20 : 12);
      list_offset = is_large ? reader.big<std::uint64_t>() : reader.big<std::uint32_t>();
    });
    // One below that nothing was written to has none.
    if (list_offset == 0 && depth > 0) return;
    if (list_offset == 0) throw FormatError("has no key list: it was never closed");
    for (const StoredKey& listed : read_key_list(list_offset, list_size)) add(listed, prefix, depth);
  }

  std::vector<StoredKey> read_key_list(std::uint64_t offset, std::uint64_t size) {
    const std::vector<std::byte> content = bytes(offset, size);
    if (seal_) seal_->check(offset, content);
    if (size > unlisted_bytes_) throw FormatError("directories share their key lists");
    unlisted_bytes_ -= size;
    std::vector<StoredKey> listed;
    parse_record("key list", offset, [&] {
      ByteReader own(content);
      const StoredKey key = parse_key(own);
      ByteReader reader(content);
      reader.take(key.key_size);
      const auto count = reader.big<std::uint32_t>();
      for (std::uint32_t i = 0; i < count; ++i) listed.push_back(parse_key(reader));
    });
    return listed;
  }

  void add(const StoredKey& listed, const std::string& prefix, std::size_t depth) {
    RootKey key = listed.as<RootKey>();
    key.path = prefix + key.path;
    key.name_begin = prefix.size();
    if (listed.is_directory && key.path.size() > kMaxDirectoryPath)
      throw FormatError("the path of a directory has " + decimal(key.path.size()) + " bytes");
    if (listed.is_directory)
      read_directory({key.offset, key.offset + key.key_size, &listed}, key.path + "/", depth + 1);
    else
      keys_.push_back(std::move(key));
  }

  const InputFile& file_;
  Header header_;
  std::unique_ptr<const FileSeal> seal_;
  std::uint64_t unlisted_bytes_;  // of the file, in no key list so far
  std::set<std::uint64_t> visited_;
  std::vector<RootKey> keys_;
  std::vector<ByteExtent> structure_;
};

// Of several keys with one path the newest comes first, and of equals the first.
std::vector<std::uint32_t> numbers_by_path(const std::vector<RootKey>& keys) {
  std::vector<std::uint32_t> numbers(keys.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  std::sort(numbers.begin(), numbers.end(), [&](std::uint32_t left, std::uint32_t right) {
    if (const int order = keys[left].path.compare(keys[right].path); order != 0) return order < 0;
    return keys[left].cycle != keys[right].cycle ? keys[left].cycle > keys[right].cycle : left < right;
  });
  return numbers;
}

std::unique_ptr<const InputFile> with_ends(std::string path) {
  auto input = std::make_unique<const InputFile>(std::move(path));
  input->keep_ends();
  return input;
}

// The keys of that path, by their numbers in `by_path`.
std::span<const std::uint32_t> cycles_of(std::string_view path, const std::vector<RootKey>& keys,
                                         const std::vector<std::uint32_t>& by_path) {
  const auto begin = std::lower_bound(
      by_path.begin(), by_path.end(), path,
      [&](std::uint32_t number, std::string_view wanted) { return keys[number].path < wanted; });
  auto end = begin;
  while (end != by_path.end() && keys[*end].path == path) ++end;
  return {begin, end};
}

}  // namespace

RootFile::RootFile(std::string path, ChangedRecords changed)
    : RootFile(with_ends(std::move(path)), changed) {}

RootFile::RootFile(std::unique_ptr<const InputFile> input, ChangedRecords changed)
    : input_(std::move(input)), changed_(changed) {
  try {
    Contents contents(*input_, changed);
    keys_ = contents.read();
    uuid_ = contents.uuid();
    streamer_info_ = contents.streamer_info();
    was_never_closed_ = contents.was_never_closed();
    structure_ = contents.take_structure();
    by_path_ = numbers_by_path(keys_);
    seal_ = contents.take_seal();
  } catch (const FormatError& error) {
    throw FileError(input_->path(), error.what());
  }
}

RootFile::RootFile(std::unique_ptr<const InputFile> input, std::vector<RootKey> keys, RootKey streamer_info)
    : input_(std::move(input)),
      changed_(ChangedRecords::kAllowed),
      keys_(std::move(keys)),
      streamer_info_(std::move(streamer_info)),
      by_path_(numbers_by_path(keys_)) {}

RootFile::~RootFile() = default;

const std::string& RootFile::path() const { return input_->path(); }

bool RootFile::has_namesake(const RootKey& key) const {
  const std::span<const std::uint32_t> cycles = cycles_of(key.path, keys_, by_path_);
  return std::any_of(cycles.begin(), cycles.end(),
                     [&](std::uint32_t number) { return keys_[number].name_begin != key.name_begin; });
}

const RootKey* RootFile::find(std::string_view path) const {
  if (const auto whole = cycles_of(path, keys_, by_path_); !whole.empty()) return &keys_[whole.front()];
  const std::string_view name = without_cycle(path);
  const auto cycles = name == path ? std::span<const std::uint32_t>() : cycles_of(name, keys_, by_path_);
  if (cycles.empty()) return nullptr;
  const std::string wanted(path.substr(name.size() + 1));
  std::string others;
  for (const std::uint32_t number : cycles) {
    const std::string cycle = decimal(keys_[number].cycle);
    if (cycle == wanted) return &keys_[number];
    others = cycle + (others.empty() ? "" : ", ") + others;
  }
  throw FileError(this->path(),
                  "contains no cycle " + wanted + " of \"" + std::string(name) + "\"; it contains " + others,
                  FileFault::kUnavailable);
}

std::vector<std::byte> RootFile::read_record(const RootKey& key) const {
  if (key.offset > input_->size() || key.record_size > input_->size() - key.offset)
    throw FormatError("lies outside the file");
  std::vector<std::byte> record(key.record_size);
  input_->read(key.offset, record);
  if (seal_) seal_->check(key.offset, record);
  check_key(key, record);
  return record;
}

std::vector<std::byte> RootFile::read_object(const RootKey& key, bool* is_verified) const {
  // What has a checksum of our own was compared with it.
  if (is_verified != nullptr) *is_verified = seal_ != nullptr;
  try {
    const std::vector<std::byte> record = read_record(key);
    const std::span<const std::byte> stored = std::span(record).subspan(key.key_size);
    if (key.object_size > stored.size() * kMaxExpansion) throw FormatError("has an impossible size");
    if (stored.size() >= key.object_size) return {stored.begin(), stored.begin() + key.object_size};
    std::vector<std::byte> object(key.object_size);
    const bool has_checksum = decompress_block(stored, object);
    if (is_verified != nullptr) *is_verified |= has_checksum;
    return object;
  } catch (const FormatError& error) {
    throw FileError(path(),
                    "object \"" + key.path + "\" at byte " + decimal(key.offset) + ": " + error.what());
  }
}

}  // namespace skimline::io
