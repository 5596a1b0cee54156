// SPDX-License-Identifier: BSD-3-Clause
// What becomes of files that are missing, change, or whose storage fails for a while.
#include "skimline/io/input_file.h"

#include "storage/storage_retries.h"
#include "table_file.h"
#include "test_data.h"

#include "skimline/framework/error.h"
#include "skimline/io/output_file.h"
#include "skimline/io/rntuple_source.h"
#include "skimline/io/root_file.h"

#include <cerrno>
#include <functional>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace skimline::io {
namespace {

namespace fs = std::filesystem;

struct Fault {
  FileFault kind;
  std::string message;
};

std::optional<Fault> fault_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const FileError& error) {
    return Fault{error.fault(), error.what()};
  }
  return std::nullopt;
}

void expect_fault(FileFault kind, const std::string& problem, const std::function<void()>& work) {
  const std::optional<Fault> fault = fault_of(work);
  ASSERT_TRUE(fault) << problem;
  EXPECT_EQ(fault->kind, kind) << fault->message;
  EXPECT_NE(fault->message.find(problem), std::string::npos) << fault->message;
}

void read_byte(const InputFile& file) {
  std::byte byte{};
  file.read(0, {&byte, 1});
}

// Gives a file another time of change, as the clock may not have moved on since it was written.
void set_times(const std::string& path, std::int64_t seconds, std::int64_t nanoseconds) {
  const timespec times[2] = {{seconds, nanoseconds}, {seconds, nanoseconds}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

TEST(InputFile, MissingFilesAreUnavailable) {
  const TemporaryFile file({'a'});
  const std::string fifo = file.path() + ".fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const auto open = [](const std::string& path) { return [path] { const InputFile opened(path); }; };
  expect_fault(FileFault::kUnavailable, "no such file", open("/no/such/file"));
  expect_fault(FileFault::kUnavailable, "Not a directory", open(file.path() + "/inside"));
  expect_fault(FileFault::kUnavailable, "is a directory", open("/tmp"));
  expect_fault(FileFault::kUnavailable, "is not a regular file", open(fifo));
  fs::remove(fifo);
}

TEST(InputFile, ContentIsDamagedAndOutputsAreUnwritable) {
  const TemporaryFile file({'r', 'o', 'o', 't', 'x'});
  const InputFile input(file.path());
  expect_fault(FileFault::kDamaged, "ends before byte", [&] {
    std::byte bytes[6];
    input.read(0, bytes);
  });
  expect_fault(FileFault::kDamaged, "data end too early", [&] { const RootFile root(file.path()); });
  expect_fault(FileFault::kUnwritable, "cannot be created", [] { const OutputFile output("/dev/null/x"); });
  expect_fault(FileFault::kUnwritable, "it is a folder", [] { const OutputFile output("/tmp"); });
}

TEST(InputFile, ChangesAreFound) {
  const std::vector<char> content(100, 'x');
  const std::vector<std::function<void(const TemporaryFile&)>> changes{
      [](const TemporaryFile& file) { file.write(std::vector<char>(101, 'x')); },
      [](const TemporaryFile& file) { file.write(std::vector<char>(10, 'x')); },
      [](const TemporaryFile& file) { file.write({}); },
      [](const TemporaryFile& file) { set_times(file.path(), 1'000'000'000, 1); },
  };
  for (const auto& change : changes) {
    const TemporaryFile file(content);
    set_times(file.path(), 1'000'000'000, 0);
    const InputFile input(file.path());
    EXPECT_NO_THROW(input.check_unchanged());
    change(file);
    expect_fault(FileFault::kUnavailable, "changed while it was being read",
                 [&] { input.check_unchanged(); });
    input.release();
    expect_fault(FileFault::kUnavailable, "changed while it was being read",
                 [&] { input.check_unchanged(); });
    expect_fault(FileFault::kUnavailable, "changed while it was being read", [&] { read_byte(input); });
  }
}

TEST(InputFile, AFileThatBecomesShorterIsUnavailable) {
  const TemporaryFile file(std::vector<char>(100, 'x'));
  const InputFile input(file.path());
  file.write(std::vector<char>(10, 'x'));
  expect_fault(FileFault::kUnavailable, "became shorter", [&] {
    std::byte bytes[20];
    input.read(0, bytes);
  });
}

// What has no name any more is the same file as long as it is open.
TEST(InputFile, AnotherFileOfThatNameIsAChangeOnceReleased) {
  const TemporaryFile file(std::vector<char>(100, 'x')), other(std::vector<char>(100, 'x'));
  for (const TemporaryFile* each : {&file, &other}) set_times(each->path(), 1'000'000'000, 0);
  const InputFile input(file.path());
  fs::rename(other.path(), file.path());
  EXPECT_NO_THROW(input.check_unchanged());
  EXPECT_NO_THROW(read_byte(input));
  input.release();
  expect_fault(FileFault::kUnavailable, "changed while it was being read", [&] { read_byte(input); });
  fs::remove(file.path());
  expect_fault(FileFault::kUnavailable, "no such file", [&] { input.check_unchanged(); });
}

void write_numbers(const TemporaryFile& file) {
  testing::TableWriter out(file.path(), parse_compression("zstd:1"));
  const std::size_t x = out.add_values("x", "float", ColumnType::kSplitReal32);
  for (int i = 0; i < 10'000; ++i) out.put(x, static_cast<float>(i));
  out.end_cluster(10'000);
  out.finish();
}

// A page that does not fit its checksum because the file was written anew meanwhile is no damage.
TEST(InputFile, ASmallFileThatChangesIsReadAsItWasAndSaysSo) {
  const TemporaryFile file({});
  write_numbers(file);
  set_times(file.path(), 1'000'000'000, 0);
  RNTupleSource source({{file.path(), ""}});
  std::vector<char> content = read_all(file.path());
  content[content.size() / 2] ^= 1;
  file.write(content);
  const std::size_t columns[] = {0};
  const std::unique_ptr<SliceReader> reader = source.open_slice(0);
  EXPECT_NO_THROW(reader->load(columns));
  ColumnBuffer scratch;
  EXPECT_NO_THROW(reader->view(0, {0, 1}, scratch));
  expect_fault(FileFault::kUnavailable, "changed while", [&] { source.check_unchanged(); });
}

TEST(InputFile, APageOfAChangedFileIsNotDamaged) {
  for (const bool is_changed : {false, true}) {
    const TemporaryFile file({});
    write_numbers(file);
    std::vector<char> content = read_all(file.path());
    const RNTupleDescriptor descriptor = testing::TableRows(file.path()).descriptor();
    content[descriptor.clusters[0].columns[0].pages[0].locator.offset + 5] ^= 1;
    if (!is_changed) file.write(content);
    set_times(file.path(), 1'000'000'000, 0);
    InputOptions options;
    options.read_ahead_bytes = 0;  // else a small file is read whole when it is opened
    RNTupleSource source({{file.path(), ""}}, options);
    EXPECT_NO_THROW(source.check_unchanged());
    if (is_changed) file.write(content);
    const std::size_t columns[] = {0};
    const auto read = [&] {
      const std::unique_ptr<SliceReader> reader = source.open_slice(0);
      reader->load(columns);
      ColumnBuffer scratch;
      reader->view(0, {0, 1}, scratch);
    };
    if (is_changed) {
      expect_fault(FileFault::kUnavailable, "changed while it was being read", read);
      expect_fault(FileFault::kUnavailable, "changed while", [&] { source.check_unchanged(); });
    } else {
      expect_fault(FileFault::kDamaged, "checksum is wrong", read);
      EXPECT_NO_THROW(source.check_unchanged());
    }
  }
}

TEST(InputFile, AnRNTupleThatIsNotThereIsNoDamage) {
  const TemporaryFile file({});
  write_numbers(file);
  expect_fault(FileFault::kUnavailable, "contains no RNTuple \"Event\"", [&] {
    const RNTupleSource source({{file.path(), "Event"}});
  });
}

// ---- storage that fails for a while

TEST(StorageRetries, GoOnUntilItWorks) {
  int calls = 0;
  const RetryPolicy policy{.attempts = 6, .first_pause = std::chrono::milliseconds(1)};
  EXPECT_EQ(retried([&] { return ++calls < 6 ? (errno = EIO, -1) : 7; }, policy), 7);
  EXPECT_EQ(calls, 6);
}

TEST(StorageRetries, GiveUpAndSayWhy) {
  int calls = 0;
  const RetryPolicy policy{.attempts = 4, .first_pause = std::chrono::milliseconds(1)};
  EXPECT_EQ(retried([&] { return ++calls, errno = ESTALE, -1; }, policy), -1);
  EXPECT_EQ(errno, ESTALE);
  EXPECT_EQ(calls, 4);
}

TEST(StorageRetries, AreNotMadeForWhatStays) {
  for (const int error : {ENOENT, EACCES, EISDIR, EINVAL, ENOTDIR, EMFILE}) {
    int calls = 0;
    EXPECT_EQ(retried([&] { return ++calls, errno = error, -1; }), -1);
    EXPECT_EQ(errno, error);
    EXPECT_EQ(calls, 1) << error;
  }
}

TEST(StorageRetries, DoNotCountInterruptions) {
  int calls = 0;
  EXPECT_EQ(retried([&] { return ++calls < 1000 ? (errno = EINTR, -1) : 0; }), 0);
}

TEST(StorageRetries, WaitAboutTwoSecondsInAll) {
  std::chrono::milliseconds total{0}, pause = RetryPolicy().first_pause;
  for (int attempt = 1; attempt < RetryPolicy().attempts; ++attempt, pause *= 2) total += pause;
  EXPECT_GE(total, std::chrono::milliseconds(1500));
  EXPECT_LE(total, std::chrono::milliseconds(2500));
}

}  // namespace
}  // namespace skimline::io
