// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace skimline {

/// A folder of its own for each test, or for what has the given name, gone with it.
class TemporaryFolder {
 public:
  TemporaryFolder() : TemporaryFolder(name_of_test()) {}
  explicit TemporaryFolder(const std::string& name)
      : folder_(std::filesystem::temp_directory_path() /
                ("skimline_" + std::to_string(::getpid()) + "_" + name)) {
    std::filesystem::create_directories(folder_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(folder_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  static std::string name_of_test() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    return std::string(test->test_suite_name()) + "_" + test->name();
  }

  std::filesystem::path folder_;
};

}  // namespace skimline
