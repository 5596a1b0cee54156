// SPDX-License-Identifier: BSD-3-Clause
#include "base/canonical_paths.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

// A folder with a file, seen through links as well.
class CanonicalPathsTest : public ::testing::Test {
 protected:
  CanonicalPathsTest()
      : root_(fs::canonical(fs::temp_directory_path()) / ("paths_" + std::to_string(::getpid()))) {
    fs::create_directories(root_ / "real" / "inner");
    for (const char* name : {"a.root", "b.root"}) std::ofstream(root_ / "real" / name) << name;
    fs::create_directory_symlink(root_ / "real", root_ / "linked");
    fs::create_symlink(root_ / "real" / "a.root", root_ / "real" / "inner" / "c.root");
  }
  ~CanonicalPathsTest() override { fs::remove_all(root_); }

  std::string of(const fs::path& path) { return paths_.of(path.string()); }

  fs::path root_;
  CanonicalPaths paths_;
};

TEST_F(CanonicalPathsTest, AreWhatTheSystemSays) {
  for (const char* given :
       {"real/a.root", "real/b.root", "linked/a.root", "linked/b.root", "real/inner/../a.root",
        "real/./b.root", "linked/inner/c.root", "real//a.root", "linked/inner/../../real/b.root", "real",
        "linked", "real/missing.root", "missing/a.root", "real/inner/.."})
    EXPECT_EQ(of(root_ / given), fs::weakly_canonical(root_ / given).string()) << given;
  EXPECT_EQ(of(root_ / "linked/inner/c.root"), of(root_ / "real/a.root"));
  EXPECT_NE(of(root_ / "real/a.root"), of(root_ / "real/b.root"));
}

TEST_F(CanonicalPathsTest, OfRelativeOnesBeginAtTheRoot) {
  const fs::path before = fs::current_path();
  fs::current_path(root_ / "real");
  const std::string here = of("a.root"), above = of("../linked/a.root");
  fs::current_path(before);
  EXPECT_EQ(here, (root_ / "real" / "a.root").string());
  EXPECT_EQ(above, here);
}

TEST_F(CanonicalPathsTest, OfUrlsAreSpelledInOneWay) {
  EXPECT_EQ(of("davs://me@Host:443//a/../b.root"), of("https://host/b.root"));
  EXPECT_NE(of("https://host/a.root"), of("https://host/b.root"));
}

}  // namespace
}  // namespace skimline::skims
