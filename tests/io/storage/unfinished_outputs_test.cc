// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/unfinished_outputs.h"

#include "skimline/io/output_file.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace skimline::io {
namespace {

namespace fs = std::filesystem;

// Processes in other containers have the same number.
TEST(UnfinishedOutputs, OfProcessesOfTheSameNumberStay) {
  const fs::path folder = fs::path(::testing::TempDir()) / "unfinished_outputs";
  fs::create_directories(folder);
  const pid_t child = ::fork();
  if (child == 0) {
    const OutputFile own((folder / "own.root").string());
    const fs::path other = folder / (".other.root." + std::to_string(::getpid()) + "-0.part");
    std::ofstream(other) << "hours of work";
    remove_unfinished_outputs();
    ::_exit((fs::exists(own.current_path()) ? 1 : 0) + (fs::exists(other) ? 0 : 2));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace skimline::io
