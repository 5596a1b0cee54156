// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/arrow_library.h"

#include "skimline/io/distinct_name.h"
#include "skimline/io/output_file.h"
#include "skimline/io/remote_file.h"
#include "skimline/io/url.h"

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
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

// Of the files that are read as what was made of them.
std::set<std::string>& names_with_copies() {
  static std::set<std::string> names;
  return names;
}

// A ROOT file may have any name; what cannot be opened is said by whoever opens it.
bool is_arrow_file(const std::string& path) {
  if (arrow_format_of(path).empty()) return false;
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4> front{};
  return file.read(front.data(), front.size()) && std::string_view(front.data(), front.size()) != "root";
}

std::string ntuple_of(const std::string& name, const ArrowInput& input, StopFlag stop) {
  if (const std::string problem = problem_with_arrow(); !problem.empty())
    throw FileError(name, "cannot be read: " + problem, FileFault::kUnavailable);
  try {
    const std::lock_guard lock(arrow_mutex());
    std::string made = arrow_library().ntuple_of(input, stop);
    names_with_copies().insert(name);
    return made;
  } catch (const FileError&) {
    throw;
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    throw FileError(name, error.what());
  }
}

// Empty if the server does not tell states apart: nothing that was made is then used again.
std::string state_of(const std::string& name, const OpenedRemote& opened) {
  const RemoteFile& file = *opened.file;
  if (file.version().empty() || !file.is_settled()) return {};
  return distinct_name(name, opened.ends) + "\n" + file.version() + "\n" + std::to_string(file.size());
}

void copy(const RemoteFile& file, const std::string& to, StopFlag stop) {
  constexpr std::uint64_t kAtOnce = 32 << 20;
  OutputFile out(to);
  std::vector<std::byte> bytes;
  for (std::uint64_t offset = 0; offset < file.size(); offset += bytes.size()) {
    bytes.resize(static_cast<std::size_t>(std::min(kAtOnce, file.size() - offset)));
    const RangeRead read{offset, bytes};
    file.read({&read, 1}, stop);
    out.write(offset, bytes);
  }
  out.commit(file.size(), stop);
}

}  // namespace

void set_arrow_library(ArrowLibrary library) { arrow_library() = std::move(library); }

std::span<const ArrowEnding> arrow_endings() { return kEndings; }

std::string_view arrow_format_of(std::string_view path) {
  if (is_url(path)) path = path.substr(0, path.find('?'));
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
  return ntuple_of(path, {path, std::string(arrow_format_of(path))}, stop);
}

std::string read_path_of(const std::string& name, const OpenedRemote& opened, StopFlag stop) {
  // The library says what went wrong in words alone.
  std::exception_ptr fault;
  ArrowInput input{{}, std::string(arrow_format_of(name)), state_of(name, opened)};
  input.copy = [&](const std::string& to) {
    try {
      copy(*opened.file, to, stop);
    } catch (...) {
      fault = std::current_exception();
      throw;
    }
  };
  try {
    return ntuple_of(name, input, stop);
  } catch (const Error&) {
    if (fault) std::rethrow_exception(fault);
    throw;
  }
}

std::string hint_at_copy(const FileError& fault) {
  if (fault.fault() != FileFault::kDamaged || arrow_format_of(fault.path()).empty()) return {};
  const std::lock_guard lock(arrow_mutex());
  if (!names_with_copies().contains(fault.path())) return {};
  return " (this is said of the RNTuple in the cache that was made of the file: if that is what is "
         "damaged, it is made anew when the file is read again)";
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
