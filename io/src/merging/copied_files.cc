// SPDX-License-Identifier: BSD-3-Clause
#include "merging/copied_files.h"

#include "storage/xxh3.h"

#include "skimline/framework/error.h"
#include "skimline/io/identities.h"
#include "skimline/io/input_file.h"

#include <algorithm>
#include <cstddef>

namespace skimline::io {
namespace {

constexpr std::uint64_t kReadAtOnce = 1 << 20;

std::uint64_t hash_of(const InputFile& file) {
  std::uint64_t hash = 0;
  std::vector<std::byte> bytes;
  for (std::uint64_t at = 0; at < file.size(); at += bytes.size()) {
    bytes.resize(static_cast<std::size_t>(std::min(kReadAtOnce, file.size() - at)));
    file.read(at, bytes);
    hash = xxh3_64(bytes, hash);
  }
  return hash;
}

}  // namespace

void refuse_equal_files(const std::vector<MergeInput>& inputs) {
  std::map<std::pair<std::string, std::uint64_t>, std::vector<const InputFile*>> alike;
  for (const MergeInput& input : inputs)
    alike[{is_distinctive(input.uuid) ? input.uuid : "", input.file->size()}].push_back(input.file.get());
  for (const auto& [facts, files] : alike) {
    std::map<std::uint64_t, const InputFile*> known;
    for (std::size_t i = 0; i < files.size() && files.size() > 1; ++i) {
      const auto [other, is_new] = known.emplace(hash_of(*files[i]), files[i]);
      files[i]->release();
      if (!is_new)
        throw Error("\"" + files[i]->path() + "\" is a copy of \"" + other->second->path() +
                    "\": what it has would be in the output twice; --allow-overlap merges them all the same");
    }
  }
}

void CopiedFiles::check(const std::string& file, const std::string& uuid, std::uint64_t num_entries) {
  if (num_entries == 0 || !is_distinctive(uuid)) return;
  const auto [other, is_new] = files_.emplace(std::pair(uuid, num_entries), file);
  if (is_new) return;
  throw Error("\"" + other->second + "\" and \"" + file +
              "\" have the same UUID: one is a copy of the other, and their entries would be in the output "
              "twice; --allow-overlap merges them all the same");
}

}  // namespace skimline::io
