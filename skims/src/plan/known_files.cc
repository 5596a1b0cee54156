// SPDX-License-Identifier: BSD-3-Clause
#include "plan/known_files.h"

#include "base/text_table.h"

#include "skimline/io/input_source.h"
#include "skimline/io/url_secrets.h"

#include <algorithm>
#include <set>

namespace skimline::skims {
namespace {

// A file may be one of several trees, each an input of its own.
const KnownFile* find_place(const std::vector<KnownFile>& files, const KnownFile& wanted) {
  const auto is_same = [&](const KnownFile& each) {
    return each.path == wanted.path && each.name == wanted.name;
  };
  const auto found = std::find_if(files.begin(), files.end(), is_same);
  return found == files.end() ? nullptr : &*found;
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
      all.push_back(
          {io::with_equal_secrets(file.path), file.name, file.num_entries, file.uuid, file.file_bytes});
  };
  append(source.files());
  append(source.friend_files());
  return all;
}

void check_known_files(const std::vector<KnownFile>& known, const std::vector<KnownFile>& found,
                       bool has_all) {
  if (known == found) return;
  const std::set<KnownFile> before(known.begin(), known.end()), now(found.begin(), found.end());
  for (const KnownFile& file : found) {
    if (before.count(file) > 0) continue;
    const KnownFile* same = find_place(known, file);
    throw FileError(file.path, same ? difference(*same, file) : "is new: the sample was opened without it",
                    FileFault::kChanged);
  }
  if (!has_all) return;
  for (const KnownFile& file : known)
    if (now.count(file) == 0)
      throw FileError(file.path, "is missing: the sample was opened with it", FileFault::kChanged);
}

}  // namespace skimline::skims
