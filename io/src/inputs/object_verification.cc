// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/object_verification.h"

#include "histograms/histogram_check.h"
#include "root/file_seal.h"
#include "root/stored_key.h"
#include "storage/byte_reader.h"

#include "skimline/framework/runner.h"
#include "skimline/io/format_error.h"
#include "skimline/io/histogram_reader.h"
#include "skimline/io/input_file.h"
#include "skimline/io/input_formats.h"
#include "skimline/io/rntuple_metadata.h"

#include <algorithm>
#include <set>
#include <utility>

#include <oneapi/tbb/parallel_for.h>

namespace skimline::io {
namespace {

bool has_own_verification(const RootKey& key) {
  return format_of(key) != nullptr || !pre_release_problem(key).empty();
}

// What is found about one object.
struct Finding {
  bool is_proven = false;
  bool is_unread = false;
  std::string fault;
};

Finding read_whole(const RootFile& file, const RootKey& key) {
  Finding finding{.is_proven = file.seal() != nullptr, .is_unread = false, .fault = {}};
  if (is_histogram_class(key.class_name)) {
    const HistogramProof proof = check_histogram(file, key);
    finding.is_proven = proof == HistogramProof::kChecksum;
    finding.is_unread = proof == HistogramProof::kUnknownVersion;
  } else if (finding.is_proven || !has_own_verification(key)) {
    file.read_object(key);
  }
  return finding;
}

Finding verify_object(const RootFile& file, const RootKey& key) {
  try {
    return read_whole(file, key);
  } catch (const FileError& error) {
    // What cannot be read is no news about what is stored.
    if (error.fault() != FileFault::kDamaged) throw;
    return {.is_proven = false, .is_unread = false, .fault = error.what()};
  }
}

// Records of a sealed file that no directory lists: the StreamerInfo and the like.
std::vector<SealedRecord> unlisted_records(const RootFile& file) {
  if (file.seal() == nullptr) return {};
  std::set<std::uint64_t> listed;
  for (const RootKey& key : file.keys()) listed.insert(key.offset);
  std::vector<SealedRecord> records;
  for (const SealedRecord& record : file.seal()->records())
    if (!listed.contains(record.offset)) records.push_back(record);
  return records;
}

std::string fault_of(const RootFile& file, const SealedRecord& record) {
  const std::uint64_t size = file.input().size();
  try {
    if (record.offset > size || record.size > size - record.offset)
      throw FormatError("the record at byte " + std::to_string(record.offset) + " lies outside the file");
    std::vector<std::byte> bytes(record.size);
    file.input().read(record.offset, bytes);
    check_sealed(record, bytes);
  } catch (const FormatError& error) {
    return FileError(file.path(), error.what()).what();
  }
  return {};
}

// The key in front of the top directory is on no list, but name and title follow it once more.
std::string fault_of_first_key(const RootFile& file) {
  if (file.seal() != nullptr) return {};
  std::vector<std::byte> bytes(static_cast<std::size_t>(file.structure().at(1).offset));
  file.input().read(0, bytes);
  ByteReader reader(bytes);
  std::uint64_t begin = 0;
  try {
    reader.take(8);  // "root", version
    begin = reader.big<std::uint32_t>();
    reader = ByteReader(bytes);
    reader.take(begin);
    const StoredKey key = parse_key(reader);
    reader = ByteReader(bytes);
    reader.take(begin + key.key_size);
    if (reader.root_string() != key.name || reader.root_string() != key.title || key.offset != begin ||
        reader.remaining() != 0)
      throw FormatError("does not fit the name, the title and the place of the file");
  } catch (const FormatError& error) {
    return FileError(file.path(), "key at byte " + std::to_string(begin) + ": " + error.what()).what();
  }
  return {};
}

void add(const RootKey& key, Finding finding, ObjectVerification& result) {
  if (!finding.fault.empty()) result.faults.push_back(std::move(finding.fault));
  if (has_own_verification(key)) return;
  ++(is_histogram_class(key.class_name) ? result.num_histograms : result.num_others);
  result.num_bytes += key.record_size;
  result.num_unproven += finding.is_proven ? 0 : 1;
  result.num_unread += finding.is_unread ? 1 : 0;
}

}  // namespace

ObjectVerification verify_objects(const RootFile& file, StopFlag stop) {
  const std::vector<RootKey>& keys = file.keys();
  std::vector<Finding> findings(keys.size());
  oneapi::tbb::parallel_for(std::size_t{0}, keys.size(), [&](std::size_t i) {
    stop.throw_if_set();
    findings[i] = verify_object(file, keys[i]);
  });
  ObjectVerification result;
  for (std::size_t i = 0; i < keys.size(); ++i) add(keys[i], std::move(findings[i]), result);
  if (std::string fault = fault_of_first_key(file); !fault.empty()) result.faults.push_back(std::move(fault));
  for (const SealedRecord& record : unlisted_records(file)) {
    stop.throw_if_set();
    if (std::string fault = fault_of(file, record); !fault.empty()) result.faults.push_back(std::move(fault));
  }
  return result;
}

}  // namespace skimline::io
