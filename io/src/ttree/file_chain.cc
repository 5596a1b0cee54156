// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/file_chain.h"

#include "root/built_in_layouts.h"
#include "root/class_walk.h"
#include "root/named_objects.h"
#include "root/pointed_objects.h"
#include "root/streamer_info_reader.h"

#include "skimline/io/format_error.h"

#include <algorithm>
#include <limits>

namespace skimline::io {
namespace {

constexpr const char* kChainClass = "TChain";

// What ROOT has put in the place of a number of entries that nobody has counted yet, over the years.
constexpr std::int64_t kNotCounted[] = {1234567890, std::int64_t{1234567890} << 28,
                                        std::numeric_limits<std::int64_t>::max()};

bool is_counted(std::int64_t number) {
  return number >= 0 &&
         std::find(std::begin(kNotCounted), std::end(kNotCounted), number) == std::end(kNotCounted);
}

class ChainParser {
 public:
  ChainParser(const std::vector<std::byte>& object, std::size_t key_size, const ClassLayouts& classes)
      : bytes_(object, key_size), walk_(classes, built_in_layouts()) {}

  FileChain parse() {
    MemberPlaces places;
    const MemberValues values = walk_object(kChainClass, bytes_, places);
    if (!values.has(Member::kFiles)) throw FormatError("the file does not describe class TChain");
    FileChain chain;
    chain.title = values.text(Member::kTitle);
    for_each_in_array(values.bytes(Member::kFiles), [&](const StreamedPointer& pointer) {
      if (pointer.kind != StreamedPointer::Kind::kObject)
        throw FormatError("there is no file behind a pointer of the chain");
      chain.files.push_back(read_element(pointer));
    });
    count_by_offsets(values, chain);
    note_list(values, Member::kFriends, "friends", chain);
    note_list(values, Member::kAliases, "aliases", chain);
    return chain;
  }

 private:
  MemberValues walk_object(std::string_view class_name, StreamedBytes bytes, MemberPlaces& places) {
    const StreamedObject object = bytes.object();
    if (!object.has_size) throw FormatError("an object without a byte count");
    walk_.walk(class_name, object, places);
    return {places, bytes};
  }

  ChainedFile read_element(const StreamedPointer& pointer) {
    MemberPlaces places;
    const MemberValues values = walk_object(pointer.class_name, pointer.bytes, places);
    if (!values.has(Member::kTitle))
      throw FormatError("the file does not describe this version of class " +
                        std::string(pointer.class_name));
    ChainedFile file{{std::string(values.text(Member::kTitle)), std::string(values.text(Member::kName))},
                     std::nullopt};
    const std::int64_t count = values.integer(Member::kEntries, -1);
    if (is_counted(count)) file.num_entries = static_cast<std::uint64_t>(count);
    return file;
  }

  // A chain that was read has counted entries that its elements do not know. A file that it could not open
  // has none there.
  static void count_by_offsets(const MemberValues& values, FileChain& chain) {
    const std::size_t size = values.array_size(Member::kTreeOffsets);
    for (std::size_t i = 0; i < chain.files.size() && i + 1 < size; ++i) {
      const std::int64_t begin = values.array_item(Member::kTreeOffsets, i);
      const std::int64_t end = values.array_item(Member::kTreeOffsets, i + 1);
      if (!chain.files[i].num_entries && is_counted(begin) && is_counted(end) && begin < end)
        chain.files[i].num_entries = static_cast<std::uint64_t>(end - begin);
    }
  }

  static void note_list(const MemberValues& values, Member member, const char* what, FileChain& chain) {
    if (!values.has(member)) return;
    bool has_some = false;
    for_each_in_list(values.bytes(member), [&](const StreamedPointer&) { has_some = true; });
    if (has_some) chain.others.emplace_back(what);
  }

  StreamedBytes bytes_;
  ClassWalk walk_;
};

}  // namespace

bool is_chain_class(std::string_view class_name) { return class_name == kChainClass; }

std::vector<std::string> chain_names(const RootFile& file) { return paths_of_objects(file, is_chain_class); }

FileChain read_chain(const RootFile& file, std::string_view path) {
  return read_named_object(file, path, "chain", [&](const RootKey& key) {
    if (!is_chain_class(key.class_name)) throw FormatError("is of class " + key.class_name + ", not TChain");
    const std::vector<std::byte> object = file.read_object(key);
    const ClassLayouts classes = read_class_layouts(file);
    FileChain chain = ChainParser(object, key.key_size, classes).parse();
    chain.name = key.path;
    return chain;
  });
}

}  // namespace skimline::io
