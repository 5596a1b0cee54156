// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/histograms/storage.h"

#include "skimline/framework/error.h"

namespace skimline::histograms {
namespace {

constexpr StorageTraits kStorages[] = {
    {Storage::kCount, "count", "counts", 1, false, false},
    {Storage::kWeighted, "weighted", "sums weights", 2, true, false},
    {Storage::kProfile, "profile", "is a profile", 4, true, true},
};

constexpr bool storages_are_in_order() {
  std::size_t number = 0;
  for (const StorageTraits& each : kStorages)
    if (each.storage != static_cast<Storage>(number++) || each.num_sums > kMaxCellSums) return false;
  return true;
}
static_assert(storages_are_in_order());

}  // namespace

std::span<const StorageTraits> storages() { return kStorages; }

const StorageTraits& traits_of(Storage storage) {
  const auto number = static_cast<std::size_t>(storage);
  if (number >= std::size(kStorages)) throw InternalError("a storage that the table lacks");
  return kStorages[number];
}

std::size_t num_sums(Storage storage) { return traits_of(storage).num_sums; }
bool has_weights(Storage storage) { return traits_of(storage).has_weights; }
bool has_values(Storage storage) { return traits_of(storage).has_values; }

}  // namespace skimline::histograms
