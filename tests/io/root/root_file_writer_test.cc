// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/root_file_writer.h"

#include "test_data.h"

#include "skimline/framework/error.h"
#include "skimline/io/compression.h"
#include "skimline/io/input_file.h"
#include "skimline/io/root_file.h"

#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

class RootFileWriterTest : public ::testing::Test {
 protected:
  RootFileWriterTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("skimline_root_writer_" + std::to_string(::getpid()) + test->name());
    std::filesystem::create_directories(folder_);
  }
  ~RootFileWriterTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  bool is_empty() const { return std::filesystem::is_empty(folder_); }

  std::filesystem::path folder_;
};

TEST_F(RootFileWriterTest, ListsTheObjectsThatWereAdded) {
  RootFileWriter writer(path("a.root"), {"TH1D"});
  writer.add_object({"TH1D", "first", "a title", bytes_of("payload of the first")});
  writer.add_object({"TH1D", "second", "", bytes_of("another")});
  const std::uint64_t size = writer.commit();
  EXPECT_EQ(size, std::filesystem::file_size(path("a.root")));

  const RootFile file(path("a.root"));
  ASSERT_EQ(file.keys().size(), 2u);
  EXPECT_EQ(file.keys()[0].class_name, "TH1D");
  EXPECT_EQ(file.keys()[0].title, "a title");
  EXPECT_EQ(file.read_object(*file.find("first")), bytes_of("payload of the first"));
  EXPECT_EQ(file.read_object(*file.find("second")), bytes_of("another"));
}

// Wherever the room in front of the data ends, an object and its blob are not torn apart.
TEST_F(RootFileWriterTest, PutsABlobDirectlyBehindItsObject) {
  for (std::size_t first_size = 0; first_size < 2600; first_size += 97) {
    RootFileWriter writer(path("b.root"), {"TH1D"});
    writer.reserve_blob(5000);
    for (int i = 0; i < 4; ++i) {
      RootObject object{"TH1D", "d/h" + std::to_string(i), "", std::vector<std::byte>(first_size / 4)};
      object.blob = bytes_of("blob of object " + std::to_string(i));
      writer.add_object(object);
    }
    writer.commit();
    const RootFile file(path("b.root"));
    ASSERT_EQ(file.keys().size(), 4U);
    for (int i = 0; i < 4; ++i) {
      constexpr std::size_t kKeySize = 42;
      const RootKey& key = file.keys()[static_cast<std::size_t>(i)];
      const std::vector<std::byte> blob = bytes_of("blob of object " + std::to_string(i));
      std::vector<std::byte> behind(kKeySize + blob.size());
      file.input().read(key.offset + key.record_size, behind);
      EXPECT_EQ(std::vector<std::byte>(behind.begin() + kKeySize, behind.end()), blob);
      EXPECT_EQ(std::to_integer<std::size_t>(behind[3]), behind.size());
    }
  }
}

// Merging takes objects in the order of their offsets: what is small fills no room that a larger one left.
TEST_F(RootFileWriterTest, PutsObjectsBehindEachOther) {
  RootFileWriter writer(path("b.root"), {"TH1D"});
  const std::vector<std::string> names{"a/small", "b/large", "a/behind", "c"};
  for (const std::string& name : names)
    writer.add_object({"TH1D", name, "", std::vector<std::byte>(name == "b/large" ? 10'000 : 10)});
  writer.commit();
  const RootFile file(path("b.root"));
  for (std::size_t i = 1; i < names.size(); ++i)
    EXPECT_LT(file.find(names[i - 1])->offset, file.find(names[i])->offset) << names[i];
}

TEST_F(RootFileWriterTest, TakesObjectsThatAreCompressed) {
  const std::vector<std::byte> raw(100'000, std::byte{7});
  RootObject object{"TH1D", "h", "", {}};
  compress_block(raw, {}, object.payload);
  object.object_size = raw.size();
  RootFileWriter writer(path("c.root"));
  writer.add_object(object);
  EXPECT_LT(writer.commit(), 20'000U);
  const RootFile file(path("c.root"));
  EXPECT_EQ(file.keys()[0].object_size, raw.size());
  EXPECT_EQ(file.read_object(file.keys()[0]), raw);
}

// Offsets beyond 2 GB and 4 GB take wider forms of header, directory, keys and free list. The blobs are holes
// in the file.
TEST_F(RootFileWriterTest, TakesFilesWhoseOffsetsNeed64Bits) {
  for (const int num_blobs : {2, 3, 6}) {
    RootFileWriter writer(path("large.root"), {"TH1D"});
    writer.add_object({"TH1D", "front", "", bytes_of("payload")});
    std::uint64_t last = 0;
    for (int blob = 0; blob < num_blobs; ++blob) last = writer.reserve_blob(1'000'000'000);
    writer.add_object({"TH1D", "dir/behind", "", std::vector<std::byte>(10'000)});
    const std::vector<std::byte> mark = bytes_of("at the end of the last blob");
    writer.write_at(last + 1'000'000'000 - mark.size(), mark);
    const std::uint64_t size = writer.commit();
    EXPECT_EQ(size, std::filesystem::file_size(path("large.root")));

    const RootFile file(path("large.root"));
    EXPECT_LT(file.find("front")->offset, 16'384u);
    EXPECT_EQ(file.read_object(*file.find("front")), bytes_of("payload"));
    EXPECT_GT(file.find("dir/behind")->offset, last);
    EXPECT_EQ(file.read_object(*file.find("dir/behind")), std::vector<std::byte>(10'000));
    std::vector<std::byte> read(mark.size());
    file.input().read(last + 1'000'000'000 - mark.size(), read);
    EXPECT_EQ(read, mark);
  }
}

TEST_F(RootFileWriterTest, BytesFollowFromTheContentAlone) {
  const auto content = [&](const std::string& name, const std::string& payload) {
    RootFileWriter writer(path(name), {"TH1D"});
    writer.add_object({"TH1D", "h", "", bytes_of(payload)});
    writer.commit();
    return read_all(path(name));
  };
  const std::vector<char> first = content("first.root", "payload");
  EXPECT_EQ(content("second_name.root", "payload"), first);
  const std::vector<char> other = content("first.root", "Payload");
  ASSERT_EQ(other.size(), first.size());
  EXPECT_NE(std::vector<char>(other.begin() + 45, other.begin() + 63),
            std::vector<char>(first.begin() + 45, first.begin() + 63))
      << "the UUID in the header";
}

TEST_F(RootFileWriterTest, IsCompleteOrAbsent) {
  {
    RootFileWriter writer(path("a.root"), {"TH1D"});
    writer.add_object({"TH1D", "h", "", bytes_of("payload")});
    EXPECT_FALSE(std::filesystem::exists(path("a.root")));
  }
  EXPECT_TRUE(is_empty());
  EXPECT_THROW(RootFileWriter("/dev/null/a.root", {"TH1D"}), FileError);
  EXPECT_THROW(RootFileWriter(path("a.root"), {"TUnknown"}), InternalError);
  EXPECT_TRUE(is_empty());
}

TEST_F(RootFileWriterTest, RefusesTwoObjectsOfOneName) {
  RootFileWriter writer(path("a.root"), {"TH1D"});
  const auto add = [&](const std::string& name) {
    writer.add_object({"TH1D", name, "", bytes_of("payload")});
  };
  add("h");
  add("dir/sub/h");
  for (const char* name : {"h", "dir/sub/h", "dir", "dir/sub", "h/inside", "dir/sub/h/deeper/inside"})
    EXPECT_THROW(add(name), FileError) << name;
  writer.commit();
  const RootFile file(path("a.root"));
  ASSERT_EQ(file.keys().size(), 2u);
  EXPECT_NE(file.find("dir/sub/h"), nullptr);
}

TEST_F(RootFileWriterTest, RefusesNamesWithEmptyPartsAndTooLongOnes) {
  RootFileWriter writer(path("a.root"), {"TH1D"});
  for (const std::string name : {"", "/", "/h", "h/", "//h", "dir//h", "dir/h/"})
    EXPECT_THROW(writer.add_object({"TH1D", name, "", {}}), FileError) << name;
  EXPECT_THROW(writer.add_object({"TH1D", std::string(40'000, 'n'), "", {}}), FileError);
  EXPECT_THROW(writer.add_object({"TH1D", std::string(40'000, 'n') + "/h", "", {}}), FileError);
  EXPECT_THROW(writer.add_object({"TH1D", "h", std::string(40'000, 't'), {}}), FileError);
  writer.add_object({"TH1D", "h", std::string(32'000, 't'), bytes_of("payload")});
  writer.commit();
  EXPECT_EQ(RootFile(path("a.root")).keys().at(0).title.size(), 32'000u);
}

TEST_F(RootFileWriterTest, ClustersOfManyThreadsDoNotOverlap) {
  constexpr std::size_t kThreads = 8, kClusters = 50;
  RootFileWriter writer(path("a.root"), {"ROOT::RNTuple"});
  std::vector<std::vector<std::pair<std::uint64_t, std::vector<std::byte>>>> written(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      for (std::size_t i = 0; i < kClusters; ++i) {
        const std::vector<std::byte> bytes(1 + (thread * 977 + i * 131) % 9000, std::byte(thread * 31 + i));
        const ReservedCluster cluster = writer.reserve_cluster(bytes.size());
        const std::span<const std::byte> whole(bytes);
        writer.write_cluster(cluster, {whole.first(bytes.size() / 2), whole.subspan(bytes.size() / 2)});
        written[thread].emplace_back(cluster.offset, bytes);
      }
    });
  for (std::thread& thread : threads) thread.join();
  const std::uint64_t size = writer.commit();

  const RootFile file(path("a.root"));
  for (const auto& of_thread : written)
    for (const auto& [offset, bytes] : of_thread) {
      EXPECT_EQ(offset % 4096, 0u);
      ASSERT_LE(offset + bytes.size(), size);
      std::vector<std::byte> read(bytes.size());
      file.input().read(offset, read);
      EXPECT_EQ(read, bytes);
    }
}

TEST_F(RootFileWriterTest, RefusesRecordsOf2GiBAndClustersThatWereNotWritten) {
  RootFileWriter writer(path("a.root"), {"TH1D"});
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 31;
  EXPECT_THROW(writer.reserve_blob(kLimit - 42), InternalError);
  EXPECT_THROW(writer.reserve_cluster(kLimit - 42), InternalError);
  const ReservedCluster largest = writer.reserve_cluster(kLimit - 8192);
  EXPECT_LT(largest.record_size, kLimit);
  EXPECT_EQ(largest.record_offset + largest.record_size, largest.offset + kLimit - 8192);
  EXPECT_THROW(writer.commit(), InternalError);
  writer.write_cluster(largest, {});
  const std::uint64_t size = writer.commit();
  EXPECT_EQ(size, std::filesystem::file_size(path("a.root")));
}

TEST_F(RootFileWriterTest, WritesTheFileThatALinkLeadsTo) {
  std::filesystem::create_directories(folder_ / "elsewhere");
  std::ofstream(folder_ / "elsewhere" / "target.root") << "what was there before";
  std::filesystem::create_symlink(folder_ / "elsewhere" / "target.root", folder_ / "link.root");
  std::filesystem::create_symlink(folder_ / "nowhere.root", folder_ / "dangling.root");
  for (const char* name : {"link.root", "dangling.root"}) {
    RootFileWriter writer(path(name), {"TH1D"});
    writer.add_object({"TH1D", "h", "", bytes_of("payload")});
    writer.commit();
    EXPECT_EQ(RootFile(path(name)).keys().size(), 1u);
  }
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link.root"));
  EXPECT_EQ(RootFile((folder_ / "elsewhere" / "target.root").string()).keys().size(), 1u);
}

TEST_F(RootFileWriterTest, WritesToDevicesAsTheyAre) {
  const auto write = [](const std::string& device) {
    RootFileWriter writer(device, {"TH1D"});
    const ReservedCluster cluster = writer.reserve_cluster(7);
    const std::vector<std::byte> bytes = bytes_of("payload");
    writer.write_cluster(cluster, {bytes});
    writer.add_object({"TH1D", "h", "", bytes});
    return writer.commit();
  };
  std::filesystem::create_symlink("/dev/null", path("null.root"));
  const std::uint64_t size = write(path("file.root"));
  EXPECT_EQ(size, std::filesystem::file_size(path("file.root")));
  for (const std::string& device : {std::string("/dev/null"), path("null.root")}) {
    EXPECT_EQ(write(device), size);
    EXPECT_TRUE(std::filesystem::is_character_file(device));
  }
  EXPECT_TRUE(std::filesystem::is_symlink(path("null.root")));
  EXPECT_THROW(write("/dev/full"), FileError);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

}  // namespace
}  // namespace skimline::io
