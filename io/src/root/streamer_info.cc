// SPDX-License-Identifier: BSD-3-Clause
#include "root/streamer_info.h"

#include "root/pointer_writer.h"
#include "root/streamer_classes.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace skimline::io {
namespace {

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
    case kAnyPointer:
      return {"TStreamerObjectAnyPointer", 1};
    default:
      return {element.type > kPointerArray ? "TStreamerBasicPointer" : "TStreamerBasicType", 2};
  }
}

bool is_counted_pointer(const StreamerElement& element) {
  return std::string_view(class_of(element).name) == "TStreamerBasicPointer";
}

const StreamerClass* find_class(std::span<const StreamerClass> classes, std::string_view name) {
  const auto found = std::find_if(classes.begin(), classes.end(),
                                  [&](const StreamerClass& known) { return name == known.name; });
  return found == classes.end() ? nullptr : &*found;
}

const StreamerClass& base_class(const StreamerElement& element) {
  if (const StreamerClass* listed = find_class(kStreamerClasses, element.name)) return *listed;
  if (const StreamerClass* unlisted = find_class(kUnlistedClasses, element.name)) return *unlisted;
  throw InternalError(std::string("no StreamerInfo for base class ") + element.name);
}

// Of a base class or member, whether it is a class or not.
std::string_view class_name_of(const StreamerElement& element) {
  const std::string_view name = is_base(element) ? element.name : element.type_name;
  return name.substr(0, name.find('*'));
}

// Adds a class, and those of its bases and members.
void need(const StreamerClass& known, std::set<const StreamerClass*>& needed) {
  if (!needed.insert(&known).second) return;
  for (const StreamerElement& element : known.elements)
    if (const StreamerClass* part = find_class(kStreamerClasses, class_name_of(element))) need(*part, needed);
}

// In the order of the table.
std::set<const StreamerClass*> needed_classes(std::span<const std::string> class_names) {
  std::set<const StreamerClass*> needed;
  for (const std::string& name : class_names) {
    const StreamerClass* known = find_class(kStreamerClasses, name);
    if (known == nullptr) throw InternalError("no StreamerInfo for class " + name);
    need(*known, needed);
  }
  return needed;
}

class ListWriter {
 public:
  explicit ListWriter(std::size_t key_size) : pointers_(out_, key_size) {}

  std::vector<std::byte> write(const std::set<const StreamerClass*>& classes) {
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
  void write_class(const StreamerClass& known) {
    pointers_.write("TStreamerInfo", 10, [&] {
      write_named(out_, known.name, "", kStreamerInfoBits);
      out_.big<std::uint32_t>(known.checksum);
      out_.big<std::int32_t>(known.version);
      pointers_.write("TObjArray", 3, [&] {
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
    pointers_.write(kind.name, kind.version, [&] {
      write_object(out_, 4, [&] { write_element_base(element); });
      if (is_base(element)) out_.big<std::int32_t>(base_class(element).version);
      if (is_counted_pointer(element)) write_counter(owner, element);
    });
  }

  void write_element_base(const StreamerElement& element) {
    write_named(out_, element.name, element.comment, 0);
    out_.big<std::int32_t>(element.type);
    out_.big<std::int32_t>(element.size);
    out_.zeros(12);  // array length, dimensions, first index
    out_.big<std::uint32_t>(is_base(element) ? base_class(element).checksum : 0);
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
  PointerWriter pointers_;
};

}  // namespace

std::vector<std::byte> streamer_info_list(std::span<const std::string> class_names, std::size_t key_size) {
  return ListWriter(key_size).write(needed_classes(class_names));
}

bool has_streamer_info(std::string_view class_name) {
  return std::any_of(std::begin(kStreamerClasses), std::end(kStreamerClasses),
                     [&](const StreamerClass& known) { return class_name == known.name; });
}

}  // namespace skimline::io
