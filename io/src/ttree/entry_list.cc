// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/entry_list.h"

#include "root/built_in_layouts.h"
#include "root/class_walk.h"
#include "root/named_objects.h"
#include "root/pointed_objects.h"
#include "root/streamer_info_reader.h"

#include "skimline/io/format_error.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace skimline::io {
namespace {

constexpr const char* kListClass = "TEntryList";
constexpr const char* kEventsClass = "TEventList";
constexpr std::size_t kBitsOfWord = 16;
constexpr std::size_t kMostWords = EntryNumbers::kBlockEntries / kBitsOfWord;

using Block = EntryNumbers::Block;

std::uint64_t count_of(const Block& block) {
  if (block.kind == Block::Kind::kThose) return block.words.size();
  if (block.kind == Block::Kind::kOthers) return EntryNumbers::kBlockEntries - block.words.size();
  std::uint64_t count = 0;
  for (const std::uint16_t word : block.words) count += static_cast<std::uint64_t>(std::popcount(word));
  return count;
}

// The last entry of a block that has some, from the block's first on.
std::uint64_t last_of(const Block& block) {
  if (block.kind == Block::Kind::kThose) return block.words.back();
  if (block.kind == Block::Kind::kOthers) {
    std::uint64_t last = EntryNumbers::kBlockEntries - 1;
    for (auto left = block.words.rbegin(); left != block.words.rend() && *left == last; ++left) --last;
    return last;
  }
  std::size_t word = block.words.size() - 1;
  while (block.words[word] == 0) --word;
  return word * kBitsOfWord + static_cast<std::uint64_t>(std::bit_width(block.words[word])) - 1;
}

void check(Block& block) {
  if (block.kind == Block::Kind::kBits) {
    if (block.words.size() > kMostWords) throw FormatError("a block with more bits than it has entries");
    return;
  }
  if (!std::is_sorted(block.words.begin(), block.words.end()))
    std::sort(block.words.begin(), block.words.end());
  block.words.erase(std::unique(block.words.begin(), block.words.end()), block.words.end());
  if (!block.words.empty() && block.words.back() >= EntryNumbers::kBlockEntries)
    throw FormatError("a block with an entry behind its last");
}

class EntryListParser {
 public:
  EntryListParser(const std::vector<std::byte>& object, std::size_t key_size, const ClassLayouts& classes)
      : bytes_(object, key_size), walk_(classes, built_in_layouts()) {}

  EntryList parse(const std::string& class_name) {
    EntryList list;
    if (class_name == kEventsClass) {
      list.counts_through = true;
      list.trees.push_back(read_events());
    } else {
      read_list(bytes_, true, list.trees);
    }
    return list;
  }

 private:
  MemberValues walk_object(std::string_view class_name, StreamedBytes bytes, Member needed,
                           MemberPlaces& places) {
    const StreamedObject object = bytes.object();
    if (!object.has_size) throw FormatError("an object without a byte count");
    walk_.walk(class_name, object, places);
    if (!places.has(needed))
      throw FormatError("the file does not describe this version of class " + std::string(class_name));
    return {places, bytes};
  }

  // Lists of single trees, which have no such lists themselves, or entries of one tree.
  void read_list(StreamedBytes bytes, bool may_have_lists, std::vector<EntriesOfTree>& trees) {
    MemberPlaces places;
    const MemberValues values = walk_object(kListClass, bytes, Member::kBlocks, places);
    const std::size_t num_before = trees.size();
    for_each_in_list(values.bytes(Member::kLists), [&](const StreamedPointer& pointer) {
      if (!may_have_lists) throw FormatError("lists of entries lie too deeply in each other");
      if (pointer.class_name != kListClass)
        throw FormatError("a list of class " + std::string(pointer.class_name) + " lies in it");
      read_list(pointer.bytes, false, trees);
    });
    if (trees.size() == num_before) trees.push_back(read_tree(values));
    std::uint64_t count = 0;
    for (std::size_t i = num_before; i < trees.size(); ++i) count += trees[i].entries.count();
    // ROOT counts too few where entries came to a list that was complete before.
    const std::int64_t said = values.integer(Member::kCount);
    if (said < 0 || count < static_cast<std::uint64_t>(said))
      throw FormatError("it says that it has " + std::to_string(said) + " entries, and has " +
                        std::to_string(count));
  }

  EntriesOfTree read_tree(const MemberValues& values) {
    EntriesOfTree tree{
        std::string(values.text(Member::kTreeName)), std::string(values.text(Member::kFileName)), {}};
    const StreamedPointer blocks = values.bytes(Member::kBlocks).pointer();
    if (blocks.kind != StreamedPointer::Kind::kObject) return tree;
    std::uint64_t number = 0;
    for_each_in_array(blocks.bytes, [&](const StreamedPointer& pointer) {
      if (pointer.kind == StreamedPointer::Kind::kObject) add_block(pointer, number, tree.entries);
      ++number;
    });
    return tree;
  }

  // A block of bits or a list. One without either has all entries if those would be listed that are not
  // chosen.
  void add_block(const StreamedPointer& pointer, std::uint64_t number, EntryNumbers& entries) {
    constexpr std::int64_t kBitsType = 0;
    MemberPlaces places;
    const MemberValues values = walk_object(pointer.class_name, pointer.bytes, Member::kPassing, places);
    const std::size_t num_words = values.array_size(Member::kIndices);
    const bool lists_chosen = values.integer(Member::kPassing) != 0;
    if (num_words == 0 && lists_chosen) return;
    Block block{number, lists_chosen ? Block::Kind::kThose : Block::Kind::kOthers, {}};
    std::size_t num_used = num_words;
    if (values.integer(Member::kType) == kBitsType && num_words > 0) {
      block.kind = Block::Kind::kBits;
    } else {
      const std::int64_t listed = values.integer(Member::kNumPassed);
      if (listed < 0 || static_cast<std::uint64_t>(listed) > num_words)
        throw FormatError("a block that has fewer entries than it says");
      num_used = static_cast<std::size_t>(listed);
    }
    for (std::size_t i = 0; i < num_used; ++i)
      block.words.push_back(static_cast<std::uint16_t>(values.array_item(Member::kIndices, i)));
    entries.add(std::move(block));
  }

  EntriesOfTree read_events() {
    MemberPlaces places;
    const MemberValues values = walk_object(kEventsClass, bytes_, Member::kEntryNumbers, places);
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < values.array_size(Member::kEntryNumbers); ++i)
      numbers.push_back(values.array_item(Member::kEntryNumbers, i));
    std::sort(numbers.begin(), numbers.end());
    if (!numbers.empty() && numbers.front() < 0) throw FormatError("an entry with a negative number");
    EntriesOfTree tree;
    Block block;
    const auto end_block = [&] {
      if (!block.words.empty()) tree.entries.add(std::exchange(block, {}));
    };
    for (const std::int64_t number : numbers) {
      const auto entry = static_cast<std::uint64_t>(number);
      if (entry / EntryNumbers::kBlockEntries != block.number) end_block();
      block.number = entry / EntryNumbers::kBlockEntries;
      block.words.push_back(static_cast<std::uint16_t>(entry % EntryNumbers::kBlockEntries));
    }
    end_block();
    return tree;
  }

  StreamedBytes bytes_;
  ClassWalk walk_;
};

}  // namespace

void EntryNumbers::add(Block block) {
  if (!blocks_.empty() && block.number <= blocks_.back().number)
    throw FormatError("blocks of entries that do not follow each other");
  check(block);
  const std::uint64_t count = count_of(block);
  if (count == 0) return;
  count_ += count;
  last_ = block.number * kBlockEntries + last_of(block);
  blocks_.push_back(std::move(block));
}

bool EntryNumbers::contains(std::uint64_t entry) const {
  const std::uint64_t number = entry / kBlockEntries;
  const auto block =
      std::lower_bound(blocks_.begin(), blocks_.end(), number,
                       [](const Block& each, std::uint64_t wanted) { return each.number < wanted; });
  if (block == blocks_.end() || block->number != number) return false;
  const auto inside = static_cast<std::uint16_t>(entry % kBlockEntries);
  if (block->kind == Block::Kind::kBits) {
    const std::size_t word = inside / kBitsOfWord;
    return word < block->words.size() && (block->words[word] >> (inside % kBitsOfWord) & 1) != 0;
  }
  const bool is_listed = std::binary_search(block->words.begin(), block->words.end(), inside);
  return is_listed == (block->kind == Block::Kind::kThose);
}

bool is_entry_list_class(std::string_view class_name) {
  return class_name == kListClass || class_name == kEventsClass;
}

std::string EntryNumbers::content() const {
  std::string text;
  for (const Block& block : blocks_) {
    text += std::to_string(block.number) + ' ' + std::to_string(static_cast<int>(block.kind)) + ' ' +
            std::to_string(block.words.size()) + ':';
    for (const std::uint16_t word : block.words) {
      text += static_cast<char>(word & 0xFF);
      text += static_cast<char>(word >> 8);
    }
  }
  return text;
}

std::vector<std::string> entry_list_names(const RootFile& file) {
  return paths_of_objects(file, is_entry_list_class);
}

EntryList read_entry_list(const RootFile& file, std::string_view path) {
  return read_named_object(file, path, "list of entries", [&](const RootKey& key) {
    if (!is_entry_list_class(key.class_name))
      throw FormatError("is of class " + key.class_name + ", neither TEntryList nor TEventList");
    const std::vector<std::byte> object = file.read_object(key);
    const ClassLayouts classes = read_class_layouts(file);
    EntryList list = EntryListParser(object, key.key_size, classes).parse(key.class_name);
    list.name = key.path;
    return list;
  });
}

}  // namespace skimline::io
