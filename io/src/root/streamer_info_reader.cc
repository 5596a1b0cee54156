// SPDX-License-Identifier: BSD-3-Clause
#include "root/streamer_info_reader.h"

#include "root/streamed_bytes.h"

#include "skimline/framework/error.h"

#include <string>

namespace skimline::io {
namespace {

constexpr std::uint32_t kMaxDimensions = 5;
constexpr std::uint32_t kChecksumPlace = 1;  // among the dimensions, which bases do not have

// TNamed: name and title.
void read_named(StreamedBytes& bytes, std::string& name, std::string& title) {
  StreamedObject named = bytes.object();
  named.bytes.skip_tobject();
  name = named.bytes.text();
  title = named.bytes.text();
  if (!named.has_size) bytes.continue_after(named.bytes);
}

// What all kinds of elements begin with.
void read_element(StreamedBytes& bytes, ClassMember& member) {
  StreamedObject element = bytes.object();
  StreamedBytes& own = element.bytes;
  if (!element.has_size || element.version < 2) throw FormatError("an element of an unknown version");
  read_named(own, member.name, member.comment);
  member.type = own.number<std::int32_t>();
  own.skip(4);  // size in memory
  member.array_length = own.number<std::uint32_t>();
  const auto num_dimensions = own.number<std::uint32_t>();
  for (std::uint32_t i = 0; i < kMaxDimensions; ++i) {
    const auto size = own.number<std::uint32_t>();
    if (i < num_dimensions) member.dimensions.push_back(size);
    if (i == kChecksumPlace && member.element_class == "TStreamerBase") member.base_checksum = size;
  }
  member.type_name = own.text();
}

ClassMember read_member(StreamedPointer& pointer) {
  ClassMember member;
  member.element_class = pointer.class_name;
  StreamedBytes bytes = pointer.bytes.object().bytes;
  // A std::string is described by what describes collections.
  if (pointer.class_name == "TStreamerSTLstring") bytes = bytes.object().bytes;
  read_element(bytes, member);
  if (pointer.class_name == "TStreamerBase" && bytes.remaining() >= 4)
    member.base_version = bytes.number<std::int32_t>();
  if (pointer.class_name == "TStreamerBasicPointer" || pointer.class_name == "TStreamerLoop") {
    bytes.skip(4);  // version of the class with the counter
    member.count_name = bytes.text();
  }
  return member;
}

ClassLayout read_class(StreamedPointer& pointer) {
  ClassLayout layout;
  StreamedBytes bytes = pointer.bytes.object().bytes;
  std::string title;
  read_named(bytes, layout.name, title);
  layout.checksum = bytes.number<std::uint32_t>();
  layout.version = bytes.number<std::int32_t>();
  StreamedPointer list = bytes.pointer();
  if (list.class_name != "TObjArray") throw FormatError("class " + layout.name + " has no list of members");
  StreamedObject elements = list.bytes.object();
  const std::uint32_t num_elements = elements.bytes.begin_array(elements.version);
  for (std::uint32_t i = 0; i < num_elements; ++i) {
    StreamedPointer element = elements.bytes.pointer();
    if (element.kind == StreamedPointer::Kind::kObject) layout.members.push_back(read_member(element));
  }
  return layout;
}

}  // namespace

ClassLayouts read_class_layouts(std::span<const std::byte> payload, std::size_t key_size) {
  ClassLayouts layouts;
  StreamedBytes bytes(payload, key_size);
  StreamedObject list = bytes.object();
  const std::uint32_t num_classes = list.bytes.begin_list(list.version);
  for (std::uint32_t i = 0; i < num_classes; ++i) {
    StreamedPointer pointer = list.bytes.pointer();
    // Rules about older versions are a list among the classes.
    if (pointer.class_name == "TStreamerInfo") layouts.add(read_class(pointer));
    list.bytes.end_list_element(list.version);
  }
  return layouts;
}

ClassLayouts read_class_layouts(const RootFile& file) {
  const RootKey& key = file.streamer_info();
  if (key.record_size == 0) return {};
  try {
    return read_class_layouts(file.read_object(key), key.key_size);
  } catch (const FormatError&) {
    return {};
  } catch (const FileError& error) {
    if (error.fault() != FileFault::kDamaged) throw;
    return {};
  }
}

}  // namespace skimline::io
