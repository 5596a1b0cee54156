// SPDX-License-Identifier: BSD-3-Clause
#include "plan/known_files.h"

#include "base/text_table.h"

#include "skimline/io/input_source.h"

#include <string_view>
#include <unordered_map>

namespace skimline::skims {
namespace {

using ByPath = std::unordered_map<std::string_view, const KnownFile*>;

ByPath by_path(const std::vector<KnownFile>& files) {
  ByPath all;
  for (const KnownFile& file : files) all.emplace(file.path, &file);
  return all;
}

std::string difference(const KnownFile& before, const KnownFile& now) {
  if (before.num_entries == now.num_entries) return "has changed since it was opened: open it again";
  return "has " + counted(now.num_entries, "event") + ", where it had " + std::to_string(before.num_entries) +
         " when it was opened: open it again";
}

}  // namespace

std::vector<KnownFile> known_files_of(const io::InputSource& source) {
  std::vector<KnownFile> all;
  const auto append = [&](const std::vector<io::InputFacts>& files) {
    for (const io::InputFacts& file : files)
      all.push_back({file.path, file.name, file.num_entries, file.uuid, file.file_bytes});
  };
  append(source.files());
  append(source.friend_files());
  return all;
}

void check_known_files(const std::vector<KnownFile>& known, const std::vector<KnownFile>& found,
                       bool has_all) {
  if (known == found) return;
  const ByPath before = by_path(known), now = by_path(found);
  for (const KnownFile& file : found) {
    const auto same = before.find(file.path);
    if (same == before.end())
      throw FileError(file.path, "is new: the sample was opened without it", FileFault::kChanged);
    if (*same->second != file)
      throw FileError(file.path, difference(*same->second, file), FileFault::kChanged);
  }
  if (!has_all) return;
  for (const KnownFile& file : known)
    if (now.count(file.path) == 0)
      throw FileError(file.path, "is missing: the sample was opened with it", FileFault::kChanged);
}

}  // namespace skimline::skims
