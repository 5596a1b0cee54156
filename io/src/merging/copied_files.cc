// SPDX-License-Identifier: BSD-3-Clause
#include "merging/copied_files.h"

#include "storage/file_hash.h"

#include "skimline/framework/error.h"
#include "skimline/io/identities.h"
#include "skimline/io/input_file.h"

#include <cstddef>
#include <utility>

namespace skimline::io {

void refuse_equal_files(const std::vector<MergeInput>& inputs) {
  std::map<std::pair<std::string, std::uint64_t>, std::vector<const InputFile*>> alike;
  for (const MergeInput& input : inputs)
    alike[{is_distinctive(input.uuid) ? input.uuid : "", input.file->size()}].push_back(input.file.get());
  for (const auto& [facts, files] : alike) {
    std::map<std::uint64_t, const InputFile*> known;
    for (std::size_t i = 0; i < files.size() && files.size() > 1; ++i) {
      const auto [other, is_new] = known.emplace(hash_of_bytes(*files[i], 0, files[i]->size()), files[i]);
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
