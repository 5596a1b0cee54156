// SPDX-License-Identifier: BSD-3-Clause
#include "recovery/record_scan.h"

#include "root/record_key.h"
#include "storage/byte_writer.h"
#include "test_data.h"

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

// A file of records that say where they lie.
class RecordsOfFile {
 public:
  RecordsOfFile() { bytes_.resize(kTopDirectory); }

  std::size_t add(const std::string& class_name, const std::string& name, std::size_t payload) {
    RecordKey key{class_name, name, "title"};
    key.object_size = payload;
    key.offset = bytes_.size();
    ByteWriter out;
    key.write(out);
    for (const std::byte byte : out.bytes()) bytes_.push_back(std::to_integer<char>(byte));
    bytes_.resize(bytes_.size() + payload, 'x');
    return static_cast<std::size_t>(key.offset);
  }

  void add_raw(std::size_t size, char filler) { bytes_.resize(bytes_.size() + size, filler); }

  // As four bytes, big-endian.
  void set(std::size_t place, std::uint32_t number) {
    for (std::size_t i = 0; i < 4; ++i) bytes_[place + i] = static_cast<char>(number >> (24 - 8 * i));
  }

  std::size_t size() const { return bytes_.size(); }
  void cut(std::size_t size) { bytes_.resize(size); }

  FoundRecords find() const {
    const TemporaryFile file(bytes_);
    return find_records(InputFile(file.path()), {});
  }

 private:
  std::vector<char> bytes_;
};

std::vector<std::string> names_in(const FoundRecords& found) {
  std::vector<std::string> names;
  for (const StoredKey& object : found.objects) names.push_back(object.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(RecordScan, finds_records_behind_bytes_that_are_none) {
  RecordsOfFile file;
  file.add("TH1D", "a", 40);
  file.add_raw(1000, '\0');
  file.add("TH1D", "b", 0);
  file.add_raw(77, '\x7f');
  file.add("TBasket", "branch", 10);
  const FoundRecords found = file.find();
  EXPECT_EQ(names_in(found), (Names{"a", "b"}));
  ASSERT_EQ(found.baskets.size(), 1u);
  EXPECT_EQ(found.baskets.begin()->first, (BasketOwner{"title", "branch"}));
  EXPECT_EQ(found.bytes_skipped, 1077u);
}

TEST(RecordScan, does_not_look_into_what_was_freed) {
  RecordsOfFile file;
  const std::size_t begin = file.add("TH1D", "old", 60);
  const std::size_t end = file.size();
  file.add("TH1D", "new", 60);
  file.set(begin, static_cast<std::uint32_t>(-static_cast<std::int32_t>(end - begin)));
  EXPECT_EQ(names_in(file.find()), (Names{"new"}));
}

TEST(RecordScan, leaves_out_records_that_are_cut_and_copies_that_lie_elsewhere) {
  RecordsOfFile file;
  const std::size_t a = file.add("TH1D", "a", 100);
  const std::size_t b = file.add("TH1D", "b", 100);
  file.set(b + 18, static_cast<std::uint32_t>(a));  // says that it lies where the first one does
  file.add("TH1D", "c", 100);
  file.cut(file.size() - 1);
  EXPECT_EQ(names_in(file.find()), (Names{"a"}));
}

TEST(RecordScan, ends_for_sizes_that_lead_nowhere) {
  for (const std::uint32_t size : {0u, 1u, 25u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu}) {
    RecordsOfFile file;
    file.add("TH1D", "a", 100);
    const std::size_t b = file.add("TH1D", "b", 100);
    file.add("TH1D", "c", 100);
    file.set(b, size);
    EXPECT_EQ(names_in(file.find()), (Names{"a", "c"})) << size;
  }
}

TEST(RecordScan, finds_nothing_in_files_without_records) {
  for (const std::size_t size : {0u, 4u, 99u, 100u, 133u, 5000u}) {
    const FoundRecords found = [&] {
      const TemporaryFile file(std::vector<char>(size, '\xff'));
      return find_records(InputFile(file.path()), {});
    }();
    EXPECT_TRUE(found.objects.empty() && found.baskets.empty() && found.blobs.empty()) << size;
  }
}

}  // namespace
}  // namespace skimline::io
