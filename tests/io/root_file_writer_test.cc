// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/root_file_writer.h"

#include "test_data.h"

#include "skimline/framework/error.h"
#include "skimline/io/root_file.h"

#include <filesystem>

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

// Offsets beyond 2 GB and 4 GB take wider forms of header, directory, keys and free list. The blobs are holes
// in the file.
TEST_F(RootFileWriterTest, TakesFilesWhoseOffsetsNeed64Bits) {
  for (const int num_blobs : {2, 3, 6}) {
    RootFileWriter writer(path("large.root"), {"TH1D"});
    std::uint64_t last = 0;
    for (int blob = 0; blob < num_blobs; ++blob) last = writer.reserve_blob(1'000'000'000);
    const std::vector<std::byte> mark = bytes_of("at the end of the last blob");
    writer.write_at(last + 1'000'000'000 - mark.size(), mark);
    writer.add_object({"TH1D", "behind", "", bytes_of("payload")});
    const std::uint64_t size = writer.commit();
    EXPECT_EQ(size, std::filesystem::file_size(path("large.root")));

    const RootFile file(path("large.root"));
    EXPECT_EQ(file.read_object(*file.find("behind")), bytes_of("payload"));
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
  EXPECT_THROW(RootFileWriter(path("missing/a.root"), {"TH1D"}), FileError);
  EXPECT_THROW(RootFileWriter(path("a.root"), {"TUnknown"}), InternalError);
  EXPECT_TRUE(is_empty());
}

TEST_F(RootFileWriterTest, RefusesTwoObjectsOfOneName) {
  RootFileWriter writer(path("a.root"), {"TH1D"});
  writer.add_object({"TH1D", "h", "", bytes_of("payload")});
  EXPECT_THROW(writer.add_object({"TH1D", "h", "", bytes_of("payload")}), FileError);
}

}  // namespace
}  // namespace skimline::io
