// SPDX-License-Identifier: BSD-3-Clause
#include "input_files.h"

#include <algorithm>
#include <map>
#include <set>

#include <glob.h>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSpecial = "*?[";

std::string escaped(const std::string& folder) {
  std::string text;
  for (const char letter : folder) {
    if (kSpecial.find(letter) != std::string_view::npos || letter == '\\') text += '\\';
    text += letter;
  }
  return text;
}

std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> find_files(const fs::path& folder, const std::string& pattern) {
  std::error_code ignored;
  const fs::path plain = resolved(folder, pattern);
  if (fs::exists(plain, ignored)) return {plain.string()};
  if (pattern.find_first_of(kSpecial) == std::string::npos) return {};
  return matches_of(fs::path(pattern).is_absolute() ? pattern
                                                    : resolved(escaped(folder.string()), pattern).string());
}

// What is wrong with a pattern that leads to no file.
std::string problem_of(const fs::path& folder, const std::string& pattern) {
  if (pattern.find_first_of(kSpecial) != std::string::npos) return "no file matches \"" + pattern + "\"";
  return "there is no file \"" + resolved(folder, pattern).string() + "\"";
}

// The names given for the RNTuples of each file, by its canonical path.
using NamesByFile = std::map<std::string, std::set<std::string>>;

// Notes an input and returns whether it is new. No name means the only RNTuple, so it equals any name.
bool is_new(const io::RNTupleLocation& input, NamesByFile& seen) {
  std::error_code ignored;
  std::set<std::string>& names = seen[fs::weakly_canonical(input.path, ignored).string()];
  if (!names.empty() && (input.ntuple_name.empty() || names.count("") != 0)) return false;
  return names.insert(input.ntuple_name).second;
}

}  // namespace

fs::path resolved(const fs::path& folder, const std::string& path) {
  return (folder / path).lexically_normal();
}

void find_inputs(const fs::path& folder, Sample& sample, Diagnostics& diagnostics) {
  NamesByFile seen;
  for (const Text& file : sample.files) {
    if (file.value.find("://") != std::string::npos) {
      diagnostics.add(file.location, "only files of this machine can be read, not \"" + file.value + "\"");
      continue;
    }
    const io::RNTupleLocation location = io::parse_location(file.value);
    const std::vector<std::string> paths = find_files(folder, location.path);
    if (paths.empty()) diagnostics.add(file.location, problem_of(folder, location.path));
    for (const std::string& path : paths) {
      const io::RNTupleLocation input{path, location.ntuple_name};
      if (is_new(input, seen))
        sample.inputs.push_back({input, path, std::nullopt, file.location});
      else
        diagnostics.add(file.location, "the file \"" + path + "\" is given twice");
    }
  }
}

}  // namespace skimline::skims
