// SPDX-License-Identifier: BSD-3-Clause
// How often files are opened and asked for their metadata.
#include "skimline/io/opened_files.h"

#include "table_file.h"
#include "test_data.h"

#include "skimline/framework/error.h"
#include "skimline/io/input_source.h"
#include "skimline/io/open_inputs.h"
#include "skimline/io/rntuple_metadata.h"

#include <algorithm>
#include <any>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

namespace fs = std::filesystem;

void write_numbers(const TemporaryFile& file, int count) {
  testing::TableWriter out(file.path(), parse_compression("none"));
  const std::size_t x = out.add_values("x", "float", ColumnType::kReal32);
  for (int i = 0; i < count; ++i) out.put(x, static_cast<float>(i));
  out.end_cluster(static_cast<std::uint64_t>(count));
  out.finish();
}

std::vector<std::byte> bytes_of(const InputFile& file, std::uint64_t offset, std::size_t size) {
  std::vector<std::byte> bytes(size);
  file.read(offset, bytes);
  return bytes;
}

TEST(OpenedFiles, EndsAreReadInTwoRequests) {
  const TemporaryFile file({});
  write_numbers(file, 100'000);
  const InputFile plain(file.path()), kept(file.path());
  kept.keep_ends();
  EXPECT_EQ(kept.reads().calls, 2u);
  EXPECT_EQ(kept.reads().bytes, EndSizes().front + EndSizes().back);
  // Inside, up to the borders, across them, and again from the storage.
  const std::uint64_t end = EndSizes().front, size = kept.size();
  for (const std::uint64_t offset :
       {std::uint64_t{0}, end - 10, end - 9, end, size - end - 1, size - end, size - 10})
    EXPECT_EQ(bytes_of(kept, offset, 10), bytes_of(plain, offset, 10)) << offset;
  EXPECT_EQ(kept.reads().calls, 2u + 3u);
  EXPECT_THROW(bytes_of(kept, size - 5, 10), FileError);
  kept.drop_ends();
  EXPECT_EQ(bytes_of(kept, 0, 10), bytes_of(plain, 0, 10));
  EXPECT_EQ(kept.reads().calls, 2u + 4u);
}

TEST(OpenedFiles, SmallFilesAreReadAtOnce) {
  const TemporaryFile file({});
  write_numbers(file, 10);
  OpenedFiles files;
  const OpenedFile opened = files.open(file.path());
  EXPECT_EQ(opened.opening.calls, 1u);
  EXPECT_EQ(opened.opening.bytes, fs::file_size(file.path()));
}

TEST(OpenedFiles, EachIsOpenedOnceUntilItChanges) {
  const TemporaryFile file({}), other({});
  write_numbers(file, 10);
  write_numbers(other, 20);
  OpenedFiles files;
  const OpenedFile first = files.open(file.path());
  EXPECT_EQ(files.open(file.path()).root, first.root);
  fs::rename(other.path(), file.path());
  const OpenedFile changed = files.open(file.path());
  EXPECT_NE(changed.root, first.root);
  EXPECT_EQ(changed.root->input().size(), fs::file_size(file.path()));
  fs::remove(file.path());
  EXPECT_THROW(files.open(file.path()), FileError);
}

TEST(OpenedFiles, ThoseThatCannotBeOpenedAheadSaySoWhenTheyAreNeeded) {
  std::vector<std::string> paths{"/no/such/file"};
  std::vector<std::unique_ptr<TemporaryFile>> whole;
  for (int i = 0; i < 20; ++i) {
    whole.push_back(std::make_unique<TemporaryFile>(std::vector<char>()));
    write_numbers(*whole.back(), 10);
    paths.push_back(whole.back()->path());
  }
  const TemporaryFile damaged({'r', 'o', 'o', 't', 'x'});
  paths.insert(paths.begin() + 7, damaged.path());
  OpenedFiles files;
  files.open_ahead({paths}, 4);
  for (const std::string& path : paths) {
    if (path == damaged.path() || path == paths.front())
      EXPECT_THROW(files.open(path), FileError) << path;
    else
      EXPECT_EQ(files.open(path).reads().calls, 1u) << path;
  }
}

// Large files that are alike: what the first one has needed of its ends is read of the others.
class AlikeFiles : public ::testing::Test {
 protected:
  AlikeFiles() {
    for (int i = 0; i < 10; ++i) {
      whole_.push_back(std::make_unique<TemporaryFile>(std::vector<char>()));
      write_numbers(*whole_.back(), 100'000);
      paths_.push_back(whole_.back()->path());
    }
  }
  static void look(const RootFile& file) { read_descriptor(file, ""); }

  std::vector<std::unique_ptr<TemporaryFile>> whole_;
  std::vector<std::string> paths_;
  OpenedFiles files_;
};

TEST_F(AlikeFiles, AreReadAsFarAsTheFirstWasNeeded) {
  files_.open_ahead({paths_}, 100, {look, {}});
  for (const std::string& path : paths_) {
    const OpenedFile opened = files_.open(path);
    read_descriptor(*opened.root, "");
    EXPECT_EQ(opened.reads().calls, 2u) << path;
    EXPECT_LE(opened.reads().bytes, path == paths_.front() ? 2 * 65536u : 2 * 8192u) << path;
  }
}

TEST_F(AlikeFiles, ThatAreNotAlikeAreReadAllTheSame) {
  const TemporaryFile wide({});
  testing::TableWriter out(wide.path(), parse_compression("none"));
  std::vector<std::size_t> columns;
  for (int i = 0; i < 300; ++i)
    columns.push_back(out.add_values("column_" + std::to_string(i), "float", ColumnType::kReal32));
  for (int i = 0; i < 1000; ++i)
    for (const std::size_t column : columns) out.put(column, static_cast<float>(i));
  out.end_cluster(1000);
  out.finish();
  paths_.push_back(wide.path());
  files_.open_ahead({paths_}, 100, {look, {}});
  const RNTupleDescriptor found = read_descriptor(*files_.open(wide.path()).root, "");
  const RNTupleDescriptor expected = read_descriptor(RootFile(wide.path()), "");
  EXPECT_EQ(found.fields.size(), 300u);
  EXPECT_EQ(found.num_entries(), expected.num_entries());
  EXPECT_EQ(found.clusters.front().columns.size(), expected.clusters.front().columns.size());
}

TEST_F(AlikeFiles, EachSampleHasItsOwn) {
  const std::vector<std::string> few{paths_.begin(), paths_.begin() + 2};
  const std::vector<std::string> many{paths_.begin() + 2, paths_.end()};
  files_.open_ahead({few, many, few, {}}, 100, {look, {}});
  EXPECT_EQ(files_.open(paths_[1]).reads().bytes, 2 * 65536u);
  EXPECT_LE(files_.open(paths_[3]).reads().bytes, 2 * 8192u);
}

TEST_F(AlikeFiles, WhoseFirstIsDamagedAreReadAsUsual) {
  files_.open_ahead({paths_}, 100,
                    {[](const RootFile& file) { throw FileError(file.path(), "damaged"); }, {}});
  for (const std::string& path : paths_) EXPECT_EQ(files_.open(path).reads().bytes, 2 * 65536u) << path;
}

// What is read ahead here is the path alone, and a byte far inside the file.
std::any path_ahead(const RootFile& file) {
  bytes_of(file.input(), file.input().size() / 2, 1);
  return file.path();
}

TEST_F(AlikeFiles, WhatWasReadAheadIsTakenOnce) {
  files_.open_ahead({paths_}, 100, {look, path_ahead});
  for (const std::string& path : paths_) {
    const OpenedFile opened = files_.open(path);
    std::any ahead = files_.take_metadata(*opened.root);
    EXPECT_FALSE(files_.take_metadata(*opened.root).has_value()) << path;
    // The first one says how long the storage takes, by itself.
    ASSERT_EQ(ahead.has_value(), path != paths_.front()) << path;
    if (!ahead.has_value()) continue;
    EXPECT_EQ(std::any_cast<std::string>(ahead), path);
    EXPECT_EQ(opened.reads().calls, 3u) << path;
  }
}

TEST_F(AlikeFiles, NothingIsTakenOfAnEarlierState) {
  files_.open_ahead({paths_}, 100, {look, path_ahead});
  const TemporaryFile other({});
  write_numbers(other, 20);
  const OpenedFile before = files_.open(paths_[4]);
  fs::rename(other.path(), paths_[4]);
  const OpenedFile after = files_.open(paths_[4]);
  EXPECT_FALSE(files_.take_metadata(*after.root).has_value());
  EXPECT_FALSE(files_.take_metadata(*before.root).has_value());
  EXPECT_FALSE(files_.take_metadata(RootFile(paths_[5])).has_value());
}

TEST_F(AlikeFiles, WhatCannotBeReadAheadIsLeftToItsReader) {
  files_.open_ahead(
      {paths_}, 4, {look, [](const RootFile& file) -> std::any { throw FileError(file.path(), "damaged"); }});
  for (const std::string& path : paths_)
    EXPECT_FALSE(files_.take_metadata(*files_.open(path).root).has_value()) << path;
}

TEST_F(AlikeFiles, WhatWasWaitedForInVainIsSaidToTheFirstWhoAsks) {
  files_.open_ahead({paths_}, 100, {look, [](const RootFile& file) -> std::any {
                                      throw FileError(file.path(), "silent", FileFault::kStorage);
                                    }});
  for (const std::string& path : paths_) {
    if (path != paths_.front()) {
      EXPECT_THROW(files_.open(path), FileError) << path;
    }
    EXPECT_FALSE(files_.take_metadata(*files_.open(path).root).has_value()) << path;
  }
}

std::vector<InputLocation> locations_of(const std::vector<std::string>& paths) {
  std::vector<InputLocation> locations;
  for (const std::string& path : paths) locations.push_back({path, ""});
  return locations;
}

TEST_F(AlikeFiles, SourcesTakeWhatWasReadAhead) {
  InputOptions options;
  options.files = std::make_shared<OpenedFiles>();
  open_ahead({locations_of(paths_)}, options);
  const auto has_more = [&](std::size_t number) {
    return options.files->take_metadata(*options.files->open(paths_[number]).root).has_value();
  };
  EXPECT_TRUE(has_more(1));
  const std::unique_ptr<InputSource> source = open_inputs(locations_of(paths_), options);
  EXPECT_EQ(source->num_entries(), 10 * 100'000u);
  for (std::size_t number = 0; number < paths_.size(); ++number) EXPECT_FALSE(has_more(number)) << number;
}

}  // namespace
}  // namespace skimline::io
