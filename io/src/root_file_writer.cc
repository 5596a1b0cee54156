// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/root_file_writer.h"

#include "byte_writer.h"
#include "output_file.h"
#include "streamer_info.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <set>

#include <xxhash.h>

namespace skimline::io {
namespace {

constexpr std::uint32_t kRootVersion = 64000;  // ROOT 6.40.00, whose format this is
constexpr std::uint32_t kLargeFile = 1000000;  // added to the version where offsets have 64 bits
constexpr std::uint64_t kSmallFileLimit = 2'000'000'000;
constexpr std::uint64_t kHeaderSize = 100;  // fBEGIN
constexpr std::uint16_t kKeyVersion = 4;
constexpr std::uint16_t kLongKeyVersion = 1004;
constexpr std::uint32_t kFixedDate = (2000u - 1995u) << 26 | 1u << 22 | 1u << 17;  // 2000-01-01 00:00:00
constexpr std::size_t kDirectorySize = 60;  // room for either width of the directory record
constexpr std::string_view kFileName = "skimline.root";

struct KeyFields {
  std::string class_name, name, title;
  std::uint64_t object_size = 0;
  std::uint64_t offset = 0;  // of the record
  std::uint64_t directory = kHeaderSize;
  bool is_long = false;

  std::size_t size() const {
    const auto string_size = [](const std::string& text) {
      return text.size() + (text.size() < 255 ? 1 : 5);
    };
    return (is_long ? 34 : 26) + string_size(class_name) + string_size(name) + string_size(title);
  }
};

void write_key(ByteWriter& out, const KeyFields& key) {
  out.big<std::uint32_t>(static_cast<std::uint32_t>(key.size() + key.object_size));
  out.big<std::uint16_t>(key.is_long ? kLongKeyVersion : kKeyVersion);
  out.big<std::uint32_t>(static_cast<std::uint32_t>(key.object_size));
  out.big<std::uint32_t>(kFixedDate);
  out.big<std::uint16_t>(static_cast<std::uint16_t>(key.size()));
  out.big<std::uint16_t>(1);  // cycle
  if (key.is_long) {
    out.big<std::uint64_t>(key.offset);
    out.big<std::uint64_t>(key.directory);
  } else {
    out.big<std::uint32_t>(static_cast<std::uint32_t>(key.offset));
    out.big<std::uint32_t>(static_cast<std::uint32_t>(key.directory));
  }
  out.root_string(key.class_name);
  out.root_string(key.name);
  out.root_string(key.title);
}

// A random-looking UUID of the custom kind (RFC 9562, version 8), made from the content.
void write_uuid(ByteWriter& out, std::uint64_t content_hash) {
  const XXH128_hash_t hash = XXH3_128bits(&content_hash, sizeof content_hash);
  out.big<std::uint16_t>(1);
  out.big<std::uint64_t>((hash.high64 & ~0xF000ull) | 0x8000ull);
  out.big<std::uint64_t>((hash.low64 & ~(3ull << 62)) | 2ull << 62);
}

}  // namespace

class RootFileWriter::Implementation {
 public:
  Implementation(std::string path, const std::vector<std::string>& classes)
      : file_(std::move(path)), end_(kHeaderSize + root_key().size() + root_key().object_size) {
    KeyFields key{"TList", "StreamerInfo", "Doubly linked list"};
    const std::vector<std::byte> list = streamer_info_list(classes);
    streamer_info_offset_ = end_;
    streamer_info_size_ = write_record(std::move(key), list);
  }

  std::uint64_t reserve_blob(std::uint64_t payload_size) {
    KeyFields key{"RBlob", "", ""};
    key.object_size = payload_size;
    key.offset = end_;
    key.is_long = true;
    check_record_size(key);
    ByteWriter out;
    write_key(out, key);
    file_.write(end_, out.bytes());
    const std::uint64_t payload = end_ + key.size();
    end_ = payload + payload_size;
    return payload;
  }

  void add_object(const RootObject& object) {
    if (!names_.insert(object.name).second)
      throw FileError(file_.path(), "two objects are called \"" + object.name + "\"");
    KeyFields key{object.class_name, object.name, object.title};
    key.object_size = object.payload.size();
    check_record_size(key);
    key.offset = end_;
    key.is_long = end_ > kSmallFileLimit;
    listed_.push_back(key);
    add_to_object_hash(std::as_bytes(std::span(object.name)));
    add_to_object_hash(object.payload);
    write_record(std::move(key), object.payload);
  }

  std::uint64_t commit(std::uint64_t blob_hash) {
    const std::uint64_t content_hash = object_hash_ ^ blob_hash;
    const std::uint64_t key_list_offset = end_;
    const std::uint64_t key_list_size = write_key_list();
    const std::uint64_t free_list_offset = end_;
    const std::uint64_t free_list_size = write_free_list();
    write_directory(key_list_offset, key_list_size, content_hash);
    write_header(free_list_offset, free_list_size, content_hash);
    file_.commit();
    return end_;
  }

  OutputFile& file() { return file_; }

 private:
  void add_to_object_hash(std::span<const std::byte> bytes) {
    object_hash_ = XXH3_64bits_withSeed(bytes.data(), bytes.size(), object_hash_);
  }

  static void check_record_size(const KeyFields& key) {
    if (key.size() + key.object_size >= std::uint64_t{1} << 31)
      throw InternalError("a record of 2 GiB or more");
  }

  static KeyFields root_key() {
    KeyFields key{"TFile", std::string(kFileName), ""};
    key.object_size = kFileName.size() + 2 + kDirectorySize;
    key.offset = kHeaderSize;
    key.directory = 0;
    return key;
  }

  // Length of the root record's key and of its name and title, up to the directory.
  static std::size_t name_size() { return root_key().size() + kFileName.size() + 2; }

  // Appends a record and returns its size with the key.
  std::uint64_t write_record(KeyFields key, std::span<const std::byte> payload) {
    key.object_size = payload.size();
    key.offset = end_;
    key.is_long |= end_ > kSmallFileLimit;
    ByteWriter out;
    write_key(out, key);
    out.raw(payload);
    file_.write(end_, out.bytes());
    end_ += out.size();
    return out.size();
  }

  std::uint64_t write_key_list() {
    ByteWriter keys;
    keys.big<std::uint32_t>(static_cast<std::uint32_t>(listed_.size()));
    for (const KeyFields& key : listed_) write_key(keys, key);
    return write_record({"TFile", std::string(kFileName), ""}, keys.bytes());
  }

  // One entry: everything from the end of the file on is free. The list's own record is before that end.
  std::uint64_t write_free_list() {
    KeyFields key{"TFile", std::string(kFileName), ""};
    key.is_long = end_ > kSmallFileLimit;
    const bool is_wide = end_ + 200 > kSmallFileLimit;
    const std::uint64_t end = end_ + key.size() + (is_wide ? 18 : 10);
    constexpr std::uint64_t kStep = 1'000'000'000;
    const std::uint64_t last = std::max(kSmallFileLimit, (end / kStep + 1) * kStep);
    ByteWriter entry;
    entry.big<std::uint16_t>(is_wide ? 1001 : 1);
    if (is_wide) {
      entry.big<std::uint64_t>(end);
      entry.big<std::uint64_t>(last);
    } else {
      entry.big<std::uint32_t>(static_cast<std::uint32_t>(end));
      entry.big<std::uint32_t>(static_cast<std::uint32_t>(last));
    }
    return write_record(std::move(key), entry.bytes());
  }

  void write_directory(std::uint64_t key_list_offset, std::uint64_t key_list_size,
                       std::uint64_t content_hash) {
    const bool is_wide = key_list_offset > kSmallFileLimit;
    ByteWriter out;
    write_key(out, root_key());
    out.root_string(kFileName);
    out.root_string("");
    const std::size_t start = out.size();
    out.big<std::uint16_t>(is_wide ? 1005 : 5);
    out.big<std::uint32_t>(kFixedDate);  // created
    out.big<std::uint32_t>(kFixedDate);  // modified
    out.big<std::uint32_t>(static_cast<std::uint32_t>(key_list_size));
    out.big<std::uint32_t>(static_cast<std::uint32_t>(name_size()));
    for (const std::uint64_t offset : {kHeaderSize, std::uint64_t{0}, key_list_offset})
      write_offset(out, offset, is_wide);
    write_uuid(out, content_hash);
    out.zeros(start + kDirectorySize - out.size());
    file_.write(kHeaderSize, out.bytes());
  }

  void write_header(std::uint64_t free_list_offset, std::uint64_t free_list_size,
                    std::uint64_t content_hash) {
    const bool is_large = end_ > kSmallFileLimit;
    ByteWriter out;
    out.raw(std::as_bytes(std::span("root", 4)));
    out.big<std::uint32_t>(kRootVersion + (is_large ? kLargeFile : 0));
    out.big<std::uint32_t>(static_cast<std::uint32_t>(kHeaderSize));
    write_offset(out, end_, is_large);
    write_offset(out, free_list_offset, is_large);
    out.big<std::uint32_t>(static_cast<std::uint32_t>(free_list_size));
    out.big<std::uint32_t>(1);  // number of free entries
    out.big<std::uint32_t>(static_cast<std::uint32_t>(name_size()));
    out.big<std::uint8_t>(is_large ? 8 : 4);
    out.big<std::uint32_t>(505);  // default compression of later additions: zstd 5
    write_offset(out, streamer_info_offset_, is_large);
    out.big<std::uint32_t>(static_cast<std::uint32_t>(streamer_info_size_));
    write_uuid(out, content_hash);
    out.zeros(kHeaderSize - out.size());
    file_.write(0, out.bytes());
  }

  static void write_offset(ByteWriter& out, std::uint64_t offset, bool is_wide) {
    if (is_wide)
      out.big<std::uint64_t>(offset);
    else
      out.big<std::uint32_t>(static_cast<std::uint32_t>(offset));
  }

  OutputFile file_;
  std::uint64_t end_;  // where the next record goes
  std::uint64_t streamer_info_offset_ = 0, streamer_info_size_ = 0;
  std::vector<KeyFields> listed_;
  std::set<std::string> names_;
  std::uint64_t object_hash_ = 0;
};

RootFileWriter::RootFileWriter(std::string path, const std::vector<std::string>& classes)
    : implementation_(std::make_unique<Implementation>(std::move(path), classes)) {}
RootFileWriter::~RootFileWriter() = default;

std::uint64_t RootFileWriter::reserve_blob(std::uint64_t payload_size) {
  return implementation_->reserve_blob(payload_size);
}

void RootFileWriter::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  implementation_->file().write(offset, bytes);
}

void RootFileWriter::write_at(std::uint64_t offset, const std::vector<std::span<const std::byte>>& pieces) {
  implementation_->file().write(offset, pieces);
}

void RootFileWriter::add_object(const RootObject& object) { implementation_->add_object(object); }

std::uint64_t RootFileWriter::commit(std::uint64_t blob_hash) { return implementation_->commit(blob_hash); }

}  // namespace skimline::io
