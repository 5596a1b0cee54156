// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/temporary_folder.h"

#include "skimline/io/unfinished_outputs.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

// Calls `step` in a process that is forked, which ends without what is due at the end of one.
template <typename Step>
void in_forked_process(Step step) {
  const pid_t child = ::fork();
  if (child == 0) {
    step();
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(TemporaryFolder, GoesOnceRemoved) {
  std::string path;
  {
    TemporaryFolder folder;
    path = folder.path();
    EXPECT_TRUE(fs::is_directory(path));
    folder.remove();
    EXPECT_FALSE(fs::exists(fs::path(path).parent_path()));
    folder.remove();
  }
  TemporaryFolder other;
  EXPECT_NE(other.path(), path);
}

TEST(TemporaryFolder, IsLeftByProcessesThatWereForked) {
  TemporaryFolder folder;
  in_forked_process([&] { folder.remove(); });
  EXPECT_TRUE(fs::is_directory(folder.path()));
  in_forked_process([] { io::remove_unfinished_outputs(); });
  EXPECT_TRUE(fs::is_directory(folder.path()));
}

TEST(TemporaryFolder, LiesInTmpWhereTheVariableLeadsNowhere) {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before ? before : "";
  ::setenv("TMPDIR", "/missing/folder", 1);
  EXPECT_TRUE(TemporaryFolder().path().starts_with("/tmp/skimline-"));
  before ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace skimline::skims
