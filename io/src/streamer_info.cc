// SPDX-License-Identifier: BSD-3-Clause
#include "streamer_info.h"

#include "object_streaming.h"
#include "streamer_classes.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace skimline::io {
namespace {

constexpr std::uint32_t kNewClassTag = 0xFFFFFFFF;
constexpr std::uint32_t kClassReferenceBit = 0x80000000;
// References to a class count from here before the position of its tag, so that none is 0.
constexpr std::size_t kReferenceOffset = 2;
constexpr std::uint32_t kStreamerInfoBits = 0x10000;

struct ElementClass {
  const char* name;
  std::uint16_t version;
};

bool is_base(const StreamerElement& element) { return std::string_view(element.type_name) == "BASE"; }

ElementClass class_of(const StreamerElement& element) {
  if (is_base(element)) return {"TStreamerBase", 3};
  switch (element.type) {
    case kObject:
      return {"TStreamerObject", 2};
    case kAny:
      return {"TStreamerObjectAny", 2};
    case kOwnedPointer:
    case kPointer:
      return {"TStreamerObjectPointer", 2};
    case kString:
      return {"TStreamerString", 2};
    case kDoublePointer:
      return {"TStreamerBasicPointer", 2};
    default:
      return {"TStreamerBasicType", 2};
  }
}

const StreamerClass& find_class(std::string_view name) {
  const auto* found = std::find_if(std::begin(kStreamerClasses), std::end(kStreamerClasses),
                                   [&](const StreamerClass& known) { return name == known.name; });
  if (found == std::end(kStreamerClasses))
    throw InternalError("no StreamerInfo for class " + std::string(name));
  return *found;
}

std::vector<const StreamerClass*> needed_classes(std::span<const std::string> class_names) {
  for (const std::string& name : class_names) find_class(name);
  std::vector<const StreamerClass*> needed;
  for (const StreamerClass& known : kStreamerClasses)
    if (std::find(class_names.begin(), class_names.end(), known.needed_by) != class_names.end())
      needed.push_back(&known);
  return needed;
}

class ListWriter {
 public:
  std::vector<std::byte> write(const std::vector<const StreamerClass*>& classes) {
    write_object(out_, 5, [&] {
      write_tobject(out_, 0);
      out_.root_string("");
      out_.big<std::int32_t>(static_cast<std::int32_t>(classes.size()));
      for (const StreamerClass* known : classes) {
        write_class(*known);
        out_.root_string("");  // the option that a TList keeps with each object
      }
    });
    return std::move(out_).take();
  }

 private:
  // An object behind a pointer: its class by name at first, then by the position of that name.
  template <typename Members>
  void write_pointer(const char* class_name, std::uint16_t version, Members&& write_members) {
    write_counted(out_, [&] {
      write_tag(class_name);
      write_object(out_, version, write_members);
    });
  }

  void write_tag(const char* class_name) {
    const auto reference =
        static_cast<std::uint32_t>(kStreamerInfoKeyLength + out_.size() + kReferenceOffset);
    const auto [entry, is_new] = references_.try_emplace(class_name, reference);
    if (!is_new) return out_.big<std::uint32_t>(kClassReferenceBit | entry->second);
    out_.big<std::uint32_t>(kNewClassTag);
    out_.raw(std::as_bytes(std::span(entry->first)));
    out_.zeros(1);
  }

  void write_class(const StreamerClass& known) {
    write_pointer("TStreamerInfo", 10, [&] {
      write_named(out_, known.name, "", kStreamerInfoBits);
      out_.big<std::uint32_t>(known.checksum);
      out_.big<std::int32_t>(known.version);
      write_pointer("TObjArray", 3, [&] {
        write_tobject(out_, 0);
        out_.root_string("");
        out_.big<std::int32_t>(static_cast<std::int32_t>(known.elements.size()));
        out_.big<std::int32_t>(0);  // lower bound
        for (const StreamerElement& element : known.elements) write_element(known, element);
      });
    });
  }

  void write_element(const StreamerClass& owner, const StreamerElement& element) {
    const ElementClass kind = class_of(element);
    write_pointer(kind.name, kind.version, [&] {
      write_object(out_, 4, [&] { write_element_base(element); });
      if (is_base(element)) out_.big<std::int32_t>(find_class(element.name).version);
      if (element.type == kDoublePointer) write_counter(owner, element);
    });
  }

  void write_element_base(const StreamerElement& element) {
    write_named(out_, element.name, element.comment, 0);
    out_.big<std::int32_t>(element.type);
    out_.big<std::int32_t>(element.size);
    out_.zeros(12);  // array length, dimensions, first index
    out_.big<std::uint32_t>(is_base(element) ? find_class(element.name).checksum : 0);
    out_.zeros(12);  // other indices
    out_.root_string(element.type_name);
  }

  // The comment of a pointer member begins with the name of the member that counts its values.
  void write_counter(const StreamerClass& owner, const StreamerElement& element) {
    const std::string_view comment = element.comment;
    out_.big<std::int32_t>(owner.version);
    out_.root_string(comment.substr(1, comment.find(']') - 1));
    out_.root_string(owner.name);
  }

  ByteWriter out_;
  std::map<std::string, std::uint32_t> references_;
};

}  // namespace

std::vector<std::byte> streamer_info_list(std::span<const std::string> class_names) {
  return ListWriter().write(needed_classes(class_names));
}

}  // namespace skimline::io
