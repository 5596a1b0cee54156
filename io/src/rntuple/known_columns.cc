// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/known_columns.h"

#include <algorithm>
#include <mutex>

namespace skimline::io {
namespace {

bool is_of(const KnownColumns& known, const RNTupleDescriptor& descriptor) {
  return known.fields == descriptor.fields && known.columns == descriptor.columns &&
         known.aliases == descriptor.aliases && known.attribute_sets == descriptor.attribute_sets &&
         known.description == descriptor.description;
}

// Those that are held by nobody are forgotten.
class HeldColumns {
 public:
  std::shared_ptr<const KnownColumns> find(const RNTupleDescriptor& descriptor) {
    const std::lock_guard lock(mutex_);
    for (const std::weak_ptr<const KnownColumns>& each : held_)
      if (auto known = each.lock(); known && is_of(*known, descriptor)) return known;
    return nullptr;
  }

  void add(const std::shared_ptr<const KnownColumns>& known) {
    const std::lock_guard lock(mutex_);
    std::erase_if(held_, [](const std::weak_ptr<const KnownColumns>& each) { return each.expired(); });
    // Files that all differ would be compared with each other.
    if (held_.size() < kMost) held_.push_back(known);
  }

 private:
  static constexpr std::size_t kMost = 16;
  std::mutex mutex_;
  std::vector<std::weak_ptr<const KnownColumns>> held_;
};

}  // namespace

std::shared_ptr<const KnownColumns> known_columns(const RNTupleDescriptor& descriptor) {
  static HeldColumns held;
  if (auto known = held.find(descriptor)) return known;
  auto found = std::make_shared<const KnownColumns>(
      KnownColumns{descriptor.fields, descriptor.columns, descriptor.aliases, descriptor.attribute_sets,
                   descriptor.description, find_field_columns(descriptor)});
  held.add(found);
  return found;
}

}  // namespace skimline::io
