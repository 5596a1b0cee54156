// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/arrow_library.h"

#include "skimline/framework/error.h"
#include "skimline/io/output_file.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <utility>

namespace skimline::io {
namespace {

constexpr ArrowEnding kEndings[] = {{".parquet", "parquet"}, {".arrow", "arrow"}, {".feather", "arrow"}};

// Nothing is set after files were opened.
ArrowLibrary& arrow_library() {
  static ArrowLibrary library;
  return library;
}

std::mutex& arrow_mutex() {
  static std::mutex mutex;
  return mutex;
}

// A ROOT file may have any name; what cannot be opened is said by whoever opens it.
bool is_arrow_file(const std::string& path) {
  if (arrow_format_of(path).empty()) return false;
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4> front{};
  return file.read(front.data(), front.size()) && std::string_view(front.data(), front.size()) != "root";
}

}  // namespace

void set_arrow_library(ArrowLibrary library) { arrow_library() = std::move(library); }

std::span<const ArrowEnding> arrow_endings() { return kEndings; }

std::string_view arrow_format_of(std::string_view path) {
  for (const ArrowEnding& each : kEndings)
    if (path.ends_with(each.ending)) return each.format;
  return {};
}

void check_root_file_name(const std::string& path) {
  if (!arrow_format_of(path).empty())
    throw ConfigError("\"" + path +
                      "\" would be a ROOT file, and is called otherwise: `skimline convert` makes files of "
                      "Parquet and Arrow");
}

std::string problem_with_arrow() {
  if (!arrow_library().problem)
    return "Parquet and Arrow are read and written by the Python package: pip install 'skimline[arrow]', and "
           "call the program that comes with it";
  const std::lock_guard lock(arrow_mutex());
  return arrow_library().problem();
}

std::string read_path_of(const std::string& path, StopFlag stop) {
  if (!is_arrow_file(path)) return path;
  if (const std::string problem = problem_with_arrow(); !problem.empty())
    throw FileError(path, "cannot be read: " + problem, FileFault::kUnavailable);
  try {
    const std::lock_guard lock(arrow_mutex());
    return arrow_library().ntuple_of(path, stop);
  } catch (const FileError&) {
    throw;
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    throw FileError(path, error.what());
  }
}

std::unique_ptr<OutputFile> write_arrow(ArrowOutput output, const std::string& path, StopFlag stop) {
  auto file = std::make_unique<OutputFile>(path);
  output.to = file->current_path();
  try {
    const std::lock_guard lock(arrow_mutex());
    arrow_library().write(output, stop);
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    throw FileError(path, std::string("cannot be written: ") + error.what(), FileFault::kUnwritable);
  }
  file->complete(std::filesystem::file_size(output.to));
  return file;
}

}  // namespace skimline::io
