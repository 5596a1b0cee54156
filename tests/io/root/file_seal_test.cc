// SPDX-License-Identifier: BSD-3-Clause
#include "root/file_seal.h"

#include "filled_histogram.h"
#include "test_data.h"

#include "skimline/framework/error.h"
#include "skimline/io/histogram_reader.h"
#include "skimline/io/histogram_writer.h"
#include "skimline/io/object_verification.h"
#include "skimline/io/text_object.h"

#include <cstring>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

constexpr std::size_t kPointer = 84;

std::uint64_t number_at(const std::vector<char>& content, std::size_t offset) {
  std::uint64_t number = 0;
  std::memcpy(&number, content.data() + offset, sizeof number);
  return number;
}

// A file with an object, and a text in a directory.
std::vector<char> sample() {
  const TemporaryFile file({});
  RootFileWriter writer(file.path());
  writer.add_object({"TH1D", "h", "a title", std::vector<std::byte>(40)});
  writer.add_object(text_object("dir/text", "what there is to say"));
  writer.commit();
  return read_all(file.path());
}

std::string problem_of(const std::vector<char>& content) {
  const TemporaryFile file(content);
  try {
    const RootFile root(file.path());
    for (const RootKey& key : root.keys()) root.read_object(key);
    const ObjectVerification found = verify_objects(root);
    return found.faults.empty() ? "" : found.faults.front();
  } catch (const FileError& error) {
    return error.what();
  }
}

TEST(FileSeal, KnowsEveryRecord) {
  const std::vector<char> content = sample();
  const TemporaryFile file(content);
  const RootFile root(file.path());
  ASSERT_NE(root.seal(), nullptr);
  // Header, two directories and their lists, StreamerInfo, free list, two objects.
  EXPECT_EQ(root.seal()->records().size(), 9U);
  std::uint64_t size = 0;
  for (const SealedRecord& record : root.seal()->records()) size += record.size;
  EXPECT_EQ(size + number_at(content, kPointer + 8), content.size());
  EXPECT_EQ(problem_of(content), "");
}

TEST(FileSeal, FindsEveryFlippedBit) {
  const std::vector<char> content = sample();
  // Of the seal's own key only the size of the record is looked at, by whoever follows the records.
  const std::uint64_t seal = number_at(content, kPointer);
  for (std::size_t place = 0; place < content.size(); ++place) {
    if (place >= seal && place < seal + 42) continue;
    std::vector<char> damaged = content;
    damaged[place] = static_cast<char>(damaged[place] ^ 1 << place % 8);
    EXPECT_NE(problem_of(damaged), "") << place;
  }
}

TEST(FileSeal, DoesNotCountForWhatOthersMadeOfTheFile) {
  const std::vector<char> content = sample();
  std::vector<char> without = content;
  std::fill_n(without.begin() + kPointer, 16, 0);
  const TemporaryFile older(without);
  EXPECT_EQ(RootFile(older.path()).seal(), nullptr);

  std::vector<char> grown = content;
  grown.resize(content.size() + 100);
  grown[15] = static_cast<char>(grown[15] + 100);  // the end of the file, in its header
  const TemporaryFile appended(grown);
  EXPECT_EQ(RootFile(appended.path()).seal(), nullptr);
}

// They are nobody's edit where the file says that it ends before them.
TEST(FileSeal, CountsWhereBytesLieBehindTheFile) {
  std::vector<char> longer = sample();
  longer.resize(longer.size() + 100);
  const TemporaryFile file(longer);
  EXPECT_NE(RootFile(file.path()).seal(), nullptr);
}

TEST(FileSeal, IsIgnoredIfChangesAreAllowed) {
  std::vector<char> content = sample();
  const TemporaryFile sound(content);
  const RootKey key = *RootFile(sound.path()).find("h");
  content[key.offset + key.key_size + 3] = 7;
  const TemporaryFile changed(content);
  const RootFile refused(changed.path());
  EXPECT_THROW(refused.read_object(*refused.find("h")), FileError);
  const RootFile allowed(changed.path(), ChangedRecords::kAllowed);
  EXPECT_EQ(allowed.read_object(*allowed.find("h"))[3], std::byte{7});
}

TEST(FileSeal, RefusesHostileLists) {
  const std::vector<char> content = sample();
  for (const std::uint64_t size : {0ULL, 41ULL, 60ULL, 1ULL << 40, ~0ULL}) {
    for (const std::uint64_t offset : {0ULL, 100ULL, 1ULL << 40, ~0ULL}) {
      if (offset == 0 && size == 0) continue;
      std::vector<char> hostile = content;
      std::memcpy(hostile.data() + kPointer, &offset, sizeof offset);
      std::memcpy(hostile.data() + kPointer + 8, &size, sizeof size);
      EXPECT_NE(problem_of(hostile).find("list of checksums"), std::string::npos) << offset << " " << size;
    }
  }
}

// Without a seal, as older files are.
TEST(FileSeal, HistogramsHaveAChecksumOfTheirOwn) {
  const TemporaryFile file({});
  {
    RootFileWriter writer(file.path());
    const histograms::Histogram histogram = filled_histogram(
        {histograms::Axis::regular(4, 0, 4)}, histograms::Storage::kWeighted, {{1.5, 2.5}, {3, 4}});
    writer.add_object(root_object(histogram, {.compression = parse_compression("none")}));
    writer.commit();
  }
  std::vector<char> content = read_all(file.path());
  std::fill_n(content.begin() + kPointer, 16, 0);
  file.write(content);
  const RootKey key = RootFile(file.path()).keys().front();
  EXPECT_EQ(verify_objects(RootFile(file.path())).num_unproven, 0U);

  std::size_t found = 0;
  for (std::size_t place = key.offset + key.key_size; place < key.offset + key.record_size; place += 7) {
    std::vector<char> damaged = content;
    damaged[place] = static_cast<char>(damaged[place] ^ 4);
    found += problem_of(damaged).find("histogram \"h\" at byte") != std::string::npos;
    file.write(damaged);
    EXPECT_THROW(read_histogram(RootFile(file.path()), key), FileError);
  }
  EXPECT_EQ(found, (key.record_size - key.key_size + 6) / 7);
}

}  // namespace
}  // namespace skimline::io
