// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/split_files.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDigits = 4;  // at least, so that files are in the order of their names

}  // namespace

std::string split_path(const SkimConfig& skim, const Sample& sample, std::uint64_t number) {
  const fs::path whole(path_of_sample(skim, sample));
  std::string digits = std::to_string(number);
  digits.insert(0, kDigits - std::min(digits.size(), kDigits), '0');
  return (whole.parent_path() / (whole.stem().string() + "_" + digits + whole.extension().string())).string();
}

std::uint64_t number_in_split(const SkimConfig& skim, const Sample& sample, const std::string& path) {
  const fs::path whole(path_of_sample(skim, sample));
  const std::string front = whole.stem().string() + "_", name = fs::path(path).stem().string();
  if (!name.starts_with(front)) return 0;
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(name.data() + front.size(), name.data() + name.size(), number);
  if (fault != std::errc() || end != name.data() + name.size() || number == 0) return 0;
  const fs::path own(split_path(skim, sample, number));
  return own.lexically_normal() == fs::path(path).lexically_normal() ? number : 0;
}

std::map<std::uint64_t, std::string> existing_split_files(const SkimConfig& skim, const Sample& sample) {
  std::map<std::uint64_t, std::string> files;
  const fs::path folder = fs::path(path_of_sample(skim, sample)).parent_path();
  std::error_code ended;
  for (fs::directory_iterator file(folder.empty() ? "." : folder, ended), end; !ended && file != end;
       file.increment(ended)) {
    const std::string path = (folder / file->path().filename()).string();
    if (const std::uint64_t number = number_in_split(skim, sample, path)) files.emplace(number, path);
  }
  return files;
}

}  // namespace skimline::skims
