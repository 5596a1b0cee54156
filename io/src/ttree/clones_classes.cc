// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/clones_classes.h"

#include "ttree/entry_bytes.h"
#include "ttree/entry_cursor.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace skimline::io {
namespace {

constexpr std::size_t kMostBaskets = 3;
constexpr std::size_t kMostEntries = 20;

// The first name that an entry of a TBranchObject with a TClonesArray has.
class ClonesName : private EntryCursor {
 public:
  std::string find(std::span<const std::byte> entry) {
    StreamedValue tagged;
    tagged.type_name = "TClonesArray";
    begin(entry);
    take_tag(tagged);
    ClonesHead head;
    const std::string text(take_clones_class(head));
    return text.substr(0, text.find(';'));
  }
};

std::string clones_class_in(const BasketFetcher& fetcher, BasketNumber which) {
  BufferPool::Buffer memory;
  const std::span<const std::byte> record = fetcher.read(which, memory);
  const UnpackedBasket unpacked = unpack_basket(fetcher.basket(which), record, {}, fetcher.pool);
  const EntryBytes ranges(unpacked.entries);
  const std::size_t count = std::min<std::size_t>(unpacked.entries.num_entries, kMostEntries);
  for (std::size_t i = 0; i < count; ++i) {
    const auto entry = unpacked.entries.data.subspan(ranges.begin(i), ranges.end(i) - ranges.begin(i));
    if (std::string name = ClonesName().find(entry); !name.empty()) return name;
  }
  return {};
}

bool is_asked(const TreeBranch& branch) {
  return branch.class_name == "TBranchObject" && branch.object_class == "TClonesArray";
}

std::string clones_class_of(const TreeDescriptor& tree, std::uint32_t branch, const BasketFetcher& fetcher) {
  std::string name = tree.branches[branch].clones_class;
  const std::size_t count = std::min(tree.branch_data[branch].baskets.size(), kMostBaskets);
  for (std::size_t basket = 0; basket < count && name.empty(); ++basket) {
    try {
      name = clones_class_in(fetcher, {branch, basket});
    } catch (const FormatError&) {  // damage is said where values are read
    } catch (const FileError& error) {
      if (error.fault() == FileFault::kStorage) throw;
    }
  }
  return name;
}

}  // namespace

void find_clones_classes(TreeDescriptor& tree, const BasketFetcher& fetcher) {
  if (std::none_of(tree.branches.begin(), tree.branches.end(), is_asked)) return;
  std::vector<TreeBranch>& branches = tree.branches.own();
  for (std::uint32_t number = 0; number < branches.size(); ++number)
    if (is_asked(branches[number])) branches[number].clones_class = clones_class_of(tree, number, fetcher);
}

}  // namespace skimline::io
