// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/root_file_writer.h"

#include "root/file_seal.h"
#include "root/record_key.h"
#include "root/record_placement.h"
#include "root/streamer_info.h"
#include "storage/byte_writer.h"
#include "storage/xxh3.h"

#include "skimline/framework/error.h"
#include "skimline/io/output_file.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include <xxhash.h>

namespace skimline::io {
namespace {

constexpr std::uint32_t kRootVersion = 64000;  // ROOT 6.40.00, whose format this is
static_assert(kHeaderSize == kTopDirectory);   // fBEGIN
constexpr std::size_t kMaxKeySize = 32767;
constexpr std::size_t kMaxFreeEntrySize = 18;
constexpr std::string_view kFileName = "skimline.root";

// The keys of lists are long wherever they lie: whoever adds objects moves the lists behind the data, and
// uproot keeps the width of their keys.

struct Directory {
  RecordKey key;  // of its record
  std::uint64_t parent = 0;
  std::vector<RecordKey> listed;

  bool is_top() const { return parent == 0; }

  // The record's payload begins with the file's name and title in the top directory.
  std::size_t name_size() const {
    return key.size() + (is_top() ? root_string_size(key.name) + root_string_size(key.title) : 0);
  }

  RecordKey list_key() const {
    RecordKey list = key;
    list.is_long = true;
    list.directory = key.offset;
    list.object_size = sizeof(std::uint32_t);
    for (const RecordKey& listed_key : listed) list.object_size += listed_key.size();
    return list;
  }
};

Directory top_directory() {
  Directory top;
  top.key = {"TFile", std::string(kFileName), ""};
  top.key.offset = kTopDirectory;
  top.key.directory = 0;
  top.key.object_size = top.name_size() - top.key.size() + kDirectorySize;
  return top;
}

RecordKey free_list_key() {
  RecordKey key{"TFile", std::string(kFileName), ""};
  key.is_long = true;
  key.object_size = kMaxFreeEntrySize;
  return key;
}

RecordKey streamer_info_key() { return {"TList", "StreamerInfo", "Doubly linked list"}; }

RecordKey key_of(const RootObject& object) {
  RecordKey key{object.class_name, object.name.substr(object.name.rfind('/') + 1), object.title};
  key.object_size = object.payload.size();
  if (object.object_size > object.payload.size()) {
    key.object_size = object.object_size;
    key.bytes_saved = object.object_size - object.payload.size();
  }
  key.is_long = object.has_long_key || object.process_offset != 0;
  key.process_offset = object.process_offset;
  return key;
}

void write_offset(ByteWriter& out, std::uint64_t offset, bool is_wide) {
  if (is_wide)
    out.big<std::uint64_t>(offset);
  else
    out.big<std::uint32_t>(static_cast<std::uint32_t>(offset));
}

// A random-looking UUID of the custom kind (RFC 9562, version 8), made from the content.
void write_uuid(ByteWriter& out, std::uint64_t content_hash) {
  const XXH128_hash_t hash = XXH3_128bits(&content_hash, sizeof content_hash);
  out.big<std::uint16_t>(1);
  out.big<std::uint64_t>((hash.high64 & ~0xF000ull) | 0x8000ull);
  out.big<std::uint64_t>((hash.low64 & ~(3ull << 62)) | 2ull << 62);
}

std::uint64_t hash_of(const std::string& text, std::uint64_t seed) {
  return xxh3_64(std::as_bytes(std::span(text)), seed);
}

}  // namespace

class RootFileWriter::Implementation {
 public:
  explicit Implementation(std::string path)
      : file_(std::move(path)),
        placement_(kTopDirectory + top_directory().key.record_size()),
        writes_streamer_info_last_(true) {}

  Implementation(std::string path, std::span<const std::byte> streamer_info)
      : file_(std::move(path)), placement_(write_streamer_info(streamer_info)) {}

  std::uint64_t reserve_blob(std::uint64_t payload_size) {
    RecordKey key = blob_key(payload_size);
    {
      const std::lock_guard lock(mutex_);
      placement_.append(key);
    }
    write_record(key, {});
    return key.payload_offset();
  }

  ReservedCluster reserve_cluster(std::uint64_t payload_size, std::uint64_t into_block) {
    RecordKey key = blob_key(0);
    const std::lock_guard lock(mutex_);
    placement_.append_aligned(key, payload_size, into_block);
    ++num_reserved_clusters_;
    return {placement_.end() - payload_size, key.offset, key.record_size()};
  }

  std::uint64_t reserve_records(std::uint64_t size) {
    const std::lock_guard lock(mutex_);
    return placement_.append_records(size);
  }

  void write_cluster(const ReservedCluster& cluster, const std::vector<std::span<const std::byte>>& pieces) {
    RecordKey key = blob_key(0);
    key.object_size = cluster.record_size - key.size();
    key.offset = cluster.record_offset;
    ByteWriter front;
    key.write(front);
    front.zeros(cluster.offset - key.payload_offset());
    std::vector<std::span<const std::byte>> record{front.bytes()};
    record.insert(record.end(), pieces.begin(), pieces.end());
    file_.write(cluster.record_offset, record);
    ++num_written_clusters_;
  }

  void add_object(const RootObject& object) {
    RecordKey blob = blob_key(object.blob.size());
    const RecordKey key = list_object(object, blob);
    ByteWriter front, between;
    key.write(front);
    seal(key.offset, {front.bytes(), object.payload}, object.blob.empty() ? 0 : blob.record_size());
    if (object.blob.empty()) return file_.write(key.offset, {front.bytes(), object.payload});
    blob.write(between);
    file_.write(key.offset, {front.bytes(), object.payload, between.bytes(), object.blob});
  }

  std::uint64_t complete(std::uint64_t blob_hash) {
    if (num_written_clusters_ != num_reserved_clusters_)
      throw InternalError("a reserved cluster was not written");
    placement_.drop_room_before_nothing();
    const std::uint64_t content_hash = object_hash_ ^ blob_hash;
    if (writes_streamer_info_last_) write_last_streamer_info();
    for (const auto& [path, directory] : directories_)
      write_directory(directory, write_key_list(directory), hash_of(path, content_hash));
    constexpr std::size_t kFreeListAndHeader = 2;
    RecordKey seal_key = blob_key(SealWriter::payload_size(seal_.num_records() + kFreeListAndHeader));
    placement_.place(seal_key);
    const RecordKey free_list = write_free_list();
    if (const auto filler = placement_.close_front()) write_record(*filler, {});
    write_header(free_list, seal_key, hash_of("", content_hash));
    write_record(seal_key, seal_.payload(placement_.end()));
    file_.complete(placement_.end());
    return placement_.end();
  }

  OutputFile& file() { return file_; }

 private:
  void write_record(const RecordKey& key, std::span<const std::byte> payload) {
    ByteWriter out;
    key.write(out);
    file_.write(key.offset, {out.bytes(), payload});
  }

  // Of what every reader needs, so that nothing of it can change without a word.
  void seal(std::uint64_t offset, std::initializer_list<std::span<const std::byte>> pieces,
            std::uint64_t size_behind = 0) {
    const SealedRecord record = sealed_record(offset, {pieces.begin(), pieces.size()}, size_behind);
    const std::lock_guard lock(mutex_);
    seal_.add(record);
  }

  void write_sealed(const RecordKey& key, std::span<const std::byte> payload) {
    ByteWriter out;
    key.write(out);
    seal(key.offset, {out.bytes(), payload});
    file_.write(key.offset, {out.bytes(), payload});
  }

  // Returns the offset behind the record.
  std::uint64_t write_streamer_info(std::span<const std::byte> list) {
    streamer_info_.object_size = list.size();
    streamer_info_.offset = kTopDirectory + top_directory().key.record_size();
    write_sealed(streamer_info_, list);
    return streamer_info_.offset + streamer_info_.record_size();
  }

  void write_last_streamer_info() {
    const std::vector<std::string> classes(object_classes_.begin(), object_classes_.end());
    streamer_info_.is_long = placement_.end() > kSmallFileLimit;
    const std::vector<std::byte> list = streamer_info_list(classes, streamer_info_.size());
    streamer_info_.object_size = list.size();
    placement_.place(streamer_info_, lists_size_);
    write_sealed(streamer_info_, list);
  }

  // Places also the blob, if the object has one.
  RecordKey list_object(const RootObject& object, RecordKey& blob) {
    const std::lock_guard lock(mutex_);
    const std::size_t slash = object.name.rfind('/');
    RecordKey key = key_of(object);
    check_key(key, object.name);
    Directory& directory = directory_at(slash == std::string::npos ? "" : object.name.substr(0, slash));
    if (directories_.contains(object.name) || !object_names_.insert(object.name).second)
      throw FileError(file_.path(), "two objects are called \"" + object.name + "\"", FileFault::kUnwritable);
    object_classes_.insert(object.class_name);
    object_classes_.insert(object.inner_classes.begin(), object.inner_classes.end());
    for (const std::string& text : {object.class_name, object.name, object.title})
      object_hash_ = hash_of(text, object_hash_);
    object_hash_ = xxh3_64(object.payload, object_hash_);
    if (!object.blob.empty()) object_hash_ = xxh3_64(object.blob, object_hash_);
    return list(std::move(key), directory, [&](RecordKey& placed, std::uint64_t num_reserved) {
      placement_.place_object(placed, object.blob.empty() ? nullptr : &blob, num_reserved);
    });
  }

  void check_key(const RecordKey& key, const std::string& path) const {
    if (key.name.empty() || path.front() == '/')
      throw FileError(file_.path(), "\"" + path + "\" cannot be an object's name: a part of it is empty",
                      FileFault::kUnwritable);
    if (key.size() > kMaxKeySize)
      throw FileError(file_.path(), "name and title of \"" + path.substr(0, 100) + "\" are too long",
                      FileFault::kUnwritable);
  }

  // The directory, made with those it lies in unless they exist.
  Directory& directory_at(const std::string& path) {
    if (const auto found = directories_.find(path); found != directories_.end()) return found->second;
    if (object_names_.contains(path))
      throw FileError(file_.path(), "\"" + path + "\" is an object and cannot be a directory too",
                      FileFault::kUnwritable);
    const std::size_t slash = path.rfind('/');
    const std::string name = path.substr(slash + 1);
    Directory directory;
    directory.key = {"TDirectory", name, name};
    directory.key.object_size = kDirectorySize;
    check_key(directory.key, path);
    Directory& parent = directory_at(slash == std::string::npos ? "" : path.substr(0, slash));
    directory.parent = parent.key.offset;
    directory.key =
        list(std::move(directory.key), parent,
             [&](RecordKey& placed, std::uint64_t num_reserved) { placement_.place(placed, num_reserved); });
    lists_size_ += directory.list_key().record_size() + kSealedRecordSize;
    return directories_.emplace(path, std::move(directory)).first->second;
  }

  // Places a record and lists it. `place` leaves room in front for the lists.
  template <typename Place>
  RecordKey list(RecordKey key, Directory& directory, const Place& place) {
    key.directory = directory.key.offset;
    const std::uint64_t size_in_lists = key.size() + kSealedRecordSize;
    place(key, lists_size_ + size_in_lists);
    lists_size_ += size_in_lists;
    directory.listed.push_back(key);
    return key;
  }

  RecordKey write_key_list(const Directory& directory) {
    RecordKey list = directory.list_key();
    placement_.place(list);
    ByteWriter keys;
    keys.big<std::uint32_t>(static_cast<std::uint32_t>(directory.listed.size()));
    for (const RecordKey& key : directory.listed) key.write(keys);
    write_sealed(list, keys.bytes());
    return list;
  }

  // One entry: everything from the end of the file on is free. The list's own record is before that end.
  RecordKey write_free_list() {
    RecordKey key = free_list_key();
    const bool is_wide = placement_.end() + 200 > kSmallFileLimit;
    key.object_size = is_wide ? kMaxFreeEntrySize : 10;
    placement_.place(key);
    constexpr std::uint64_t kFreeStep = 1'000'000'000;
    const std::uint64_t end = placement_.end();
    const std::uint64_t last = std::max(kSmallFileLimit, (end / kFreeStep + 1) * kFreeStep);
    ByteWriter entry;
    entry.big<std::uint16_t>(is_wide ? 1001 : 1);
    write_offset(entry, end, is_wide);
    write_offset(entry, last, is_wide);
    write_sealed(key, entry.bytes());
    return key;
  }

  void write_directory(const Directory& directory, const RecordKey& key_list, std::uint64_t uuid_hash) {
    const bool is_wide = std::max(directory.key.offset, key_list.offset) > kSmallFileLimit;
    ByteWriter out;
    directory.key.write(out);
    if (directory.is_top()) {
      out.root_string(directory.key.name);
      out.root_string(directory.key.title);
    }
    out.big<std::uint16_t>(is_wide ? 1005 : 5);
    out.big<std::uint32_t>(kFixedDate);  // created
    out.big<std::uint32_t>(kFixedDate);  // modified
    out.big<std::uint32_t>(static_cast<std::uint32_t>(key_list.record_size()));
    out.big<std::uint32_t>(static_cast<std::uint32_t>(directory.name_size()));
    for (const std::uint64_t offset : {directory.key.offset, directory.parent, key_list.offset})
      write_offset(out, offset, is_wide);
    write_uuid(out, uuid_hash);
    out.zeros(directory.key.record_size() - out.size());
    seal(directory.key.offset, {out.bytes()});
    file_.write(directory.key.offset, out.bytes());
  }

  // What a header does not need of its bytes leads to the seal. Other programs leave them as they are.
  void write_header(const RecordKey& free_list, const RecordKey& seal_key, std::uint64_t uuid_hash) {
    const std::uint64_t end = placement_.end();
    const bool is_large = end > kSmallFileLimit;
    ByteWriter out;
    out.raw(std::as_bytes(std::span("root", 4)));
    out.big<std::uint32_t>(kRootVersion + (is_large ? kLargeFile : 0));
    out.big<std::uint32_t>(static_cast<std::uint32_t>(kHeaderSize));
    write_offset(out, end, is_large);
    write_offset(out, free_list.offset, is_large);
    out.big<std::uint32_t>(static_cast<std::uint32_t>(free_list.record_size()));
    out.big<std::uint32_t>(1);  // number of free entries
    out.big<std::uint32_t>(static_cast<std::uint32_t>(directories_.at("").name_size()));
    out.big<std::uint8_t>(is_large ? 8 : 4);
    out.big<std::uint32_t>(505);  // default compression of later additions: zstd 5
    write_offset(out, streamer_info_.offset, is_large);
    out.big<std::uint32_t>(static_cast<std::uint32_t>(streamer_info_.record_size()));
    write_uuid(out, uuid_hash);
    out.zeros(kSealPointer - out.size());
    out.little<std::uint64_t>(seal_key.offset);
    out.little<std::uint64_t>(seal_key.record_size());
    seal(0, {out.bytes()});
    file_.write(0, out.bytes());
  }

  OutputFile file_;
  RecordKey streamer_info_ = streamer_info_key();
  std::mutex mutex_;  // guards what follows
  SealWriter seal_;
  RecordPlacement placement_;
  std::map<std::string, Directory> directories_{{"", top_directory()}};  // by path
  std::set<std::string> object_names_, object_classes_;
  bool writes_streamer_info_last_ = false;
  // Of the records at commit: all key lists, the free list, and the seal with header, StreamerInfo and the
  // lists.
  std::uint64_t lists_size_ = top_directory().list_key().record_size() + free_list_key().record_size() +
                              blob_key(SealWriter::payload_size(5)).record_size();
  std::uint64_t object_hash_ = 0;
  std::uint64_t num_reserved_clusters_ = 0;
  std::atomic<std::uint64_t> num_written_clusters_{0};
};

std::size_t long_key_size(const RootObject& object) {
  RecordKey key = key_of(object);
  key.is_long = true;
  return key.size();
}

RootFileWriter::RootFileWriter(std::string path, const std::vector<std::string>& classes)
    : RootFileWriter(std::move(path),
                     std::span<const std::byte>(streamer_info_list(classes, streamer_info_key().size()))) {}
RootFileWriter::RootFileWriter(std::string path, std::span<const std::byte> streamer_info)
    : implementation_(std::make_unique<Implementation>(std::move(path), streamer_info)) {}
RootFileWriter::RootFileWriter(std::string path)
    : implementation_(std::make_unique<Implementation>(std::move(path))) {}
RootFileWriter::~RootFileWriter() = default;

std::uint64_t RootFileWriter::reserve_blob(std::uint64_t payload_size) {
  return implementation_->reserve_blob(payload_size);
}

ReservedCluster RootFileWriter::reserve_cluster(std::uint64_t payload_size, std::uint64_t into_block) {
  return implementation_->reserve_cluster(payload_size, into_block);
}

std::uint64_t RootFileWriter::reserve_records(std::uint64_t size) {
  return implementation_->reserve_records(size);
}

void RootFileWriter::write_cluster(const ReservedCluster& cluster,
                                   const std::vector<std::span<const std::byte>>& pieces) {
  implementation_->write_cluster(cluster, pieces);
}

void RootFileWriter::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  implementation_->file().write(offset, bytes);
}

void RootFileWriter::write_at(std::uint64_t offset, const std::vector<std::span<const std::byte>>& pieces) {
  implementation_->file().write(offset, pieces);
}

void RootFileWriter::add_object(const RootObject& object) { implementation_->add_object(object); }

std::uint64_t RootFileWriter::complete(std::uint64_t blob_hash) {
  return implementation_->complete(blob_hash);
}

OutputFile& RootFileWriter::file() { return implementation_->file(); }

void RootFileWriter::publish() { implementation_->file().publish(); }

std::uint64_t RootFileWriter::commit(std::uint64_t blob_hash) {
  const std::uint64_t size = complete(blob_hash);
  publish();
  return size;
}

}  // namespace skimline::io
