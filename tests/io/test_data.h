// SPDX-License-Identifier: BSD-3-Clause
// Real files of other writers, and damaged copies of them.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

namespace skimline::io {

/// Returns the path of a file in the folder SKIMLINE_TEST_DATA names; empty if it is not there.
inline std::string test_data(const std::string& name) {
  const char* folder = std::getenv("SKIMLINE_TEST_DATA");
  const std::string path = folder == nullptr ? "" : std::string(folder) + "/" + name;
  return std::filesystem::exists(path) ? path : "";
}

#define SKIMLINE_NEED_TEST_DATA(path) \
  if ((path).empty()) GTEST_SKIP() << "SKIMLINE_TEST_DATA does not name the folder with the input files"

inline std::vector<char> read_all(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A file that is removed with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::vector<char>& content) {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("skimline-io-" + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".root");
    write(content);
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(const std::vector<char>& content) const {
    std::ofstream(path_, std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace skimline::io
