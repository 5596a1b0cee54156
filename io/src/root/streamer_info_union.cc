// SPDX-License-Identifier: BSD-3-Clause
#include "root/streamer_info_union.h"

#include "root/pointer_writer.h"
#include "root/streamed_bytes.h"
#include "storage/xxh3.h"

#include <utility>

namespace skimline::io {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::uint16_t kListVersion = 5;

Bytes bytes_between(std::span<const std::byte> payload, std::size_t begin, std::size_t end) {
  const auto bytes = payload.subspan(begin, end - begin);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

// What one file has.
struct StreamerInfoUnion::Contents {
  struct Described {
    std::tuple<std::string, std::int32_t, std::uint32_t> identity;
    Class description;
  };
  std::vector<Described> classes;
  std::vector<Bytes> rules;
  Bytes rules_front;
};

namespace {

class ContentsReader {
 public:
  ContentsReader(std::span<const std::byte> payload, std::size_t key_size, bool has_class)
      : payload_(payload), bytes_(payload, key_size), has_class_(has_class) {}

  /// Calls `take_class` and `take_rules` with the objects of the list, after their classes.
  template <typename TakeClass, typename TakeRules>
  void read(const TakeClass& take_class, const TakeRules& take_rules) {
    StreamedObject list = begin_list();
    const std::uint32_t count = list.bytes.begin_list(list.version);
    for (std::uint32_t i = 0; i < count; ++i) {
      StreamedPointer pointer = list.bytes.pointer();
      if (pointer.class_name == "TStreamerInfo") take_class(pointer.bytes.object());
      if (pointer.class_name == "TList") take_rules(pointer.bytes.object());
      list.bytes.end_list_element(list.version);
    }
  }

  Bytes bytes(std::size_t begin, std::size_t end) const { return bytes_between(payload_, begin, end); }
  Bytes rest_of(const StreamedBytes& bytes) const {
    return bytes_between(payload_, bytes.position(), bytes.end());
  }

 private:
  StreamedObject begin_list() {
    if (!has_class_) return bytes_.object();
    StreamedPointer pointer = bytes_.pointer();
    if (pointer.class_name != "TList") throw FormatError("no list of classes");
    return pointer.bytes.object();
  }

  std::span<const std::byte> payload_;
  StreamedBytes bytes_;
  bool has_class_;
};

std::string name_of(StreamedBytes& info) {
  StreamedObject named = info.object();
  named.bytes.skip_tobject();
  if (!named.has_size) throw FormatError("a class description without sizes");
  return std::string(named.bytes.text());
}

}  // namespace

StreamerInfoUnion::Contents StreamerInfoUnion::read(std::span<const std::byte> payload, std::size_t key_size,
                                                    Front front) {
  Contents contents;
  ContentsReader reader(payload, key_size, front == Front::kClass);
  const auto take_class = [&](StreamedObject info) {
    auto& [identity, description] = contents.classes.emplace_back();
    const std::size_t begin = info.bytes.position();
    std::get<0>(identity) = name_of(info.bytes);
    std::get<2>(identity) = info.bytes.number<std::uint32_t>();
    std::get<1>(identity) = info.bytes.number<std::int32_t>();
    description.version = info.version;
    description.front = reader.bytes(begin, info.bytes.position());
    StreamedPointer list = info.bytes.pointer();
    if (list.class_name != "TObjArray") throw FormatError("a class without a list of members");
    StreamedObject elements = list.bytes.object();
    description.array_version = elements.version;
    const std::size_t array_begin = elements.bytes.position();
    const std::uint32_t count = elements.bytes.begin_array(elements.version);
    description.array_front = reader.bytes(array_begin, elements.bytes.position());
    for (std::uint32_t i = 0; i < count; ++i) {
      const StreamedPointer element = elements.bytes.pointer();
      if (element.kind != StreamedPointer::Kind::kObject) throw FormatError("a member that is none");
      description.elements.push_back({std::string(element.class_name), reader.rest_of(element.bytes)});
    }
  };
  const auto take_rules = [&](StreamedObject rules) {
    if (rules.version != kListVersion) return;
    const std::size_t begin = rules.bytes.position();
    const std::uint32_t count = rules.bytes.begin_list(rules.version);
    contents.rules_front = reader.bytes(begin, rules.bytes.position() - sizeof count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const StreamedPointer rule = rules.bytes.pointer();
      if (rule.class_name != "TObjString") throw FormatError("a rule that is no text");
      contents.rules.push_back(reader.rest_of(rule.bytes));
      rules.bytes.end_list_element(rules.version);
    }
  };
  reader.read(take_class, take_rules);
  return contents;
}

void StreamerInfoUnion::add(std::span<const std::byte> payload, std::size_t key_size) {
  add(payload, key_size, Front::kNone);
}

void StreamerInfoUnion::add_object(std::span<const std::byte> bytes) { add(bytes, 0, Front::kClass); }

void StreamerInfoUnion::add(std::span<const std::byte> payload, std::size_t key_size, Front front) {
  if (payload.empty() || !seen_.insert(xxh3_64(payload, key_size)).second) return;
  Contents contents;
  try {
    contents = read(payload, key_size, front);
  } catch (const FormatError&) {
    return;
  }
  for (auto& [identity, description] : contents.classes)
    if (known_.insert(identity).second) classes_.push_back(std::move(description));
  if (rules_front_.empty()) rules_front_ = std::move(contents.rules_front);
  for (Bytes& rule : contents.rules)
    if (known_rules_.insert(xxh3_64(rule)).second) rules_.push_back(std::move(rule));
}

std::vector<std::byte> StreamerInfoUnion::list(std::size_t key_size) const {
  return written(key_size, Front::kNone);
}

std::vector<std::byte> StreamerInfoUnion::object() const { return written(0, Front::kClass); }

std::vector<std::byte> StreamerInfoUnion::written(std::size_t key_size, Front front) const {
  ByteWriter out;
  PointerWriter pointers(out, key_size);
  const auto write_elements = [&](const Class& description) {
    out.raw(description.array_front);
    for (const Element& element : description.elements)
      pointers.write(element.class_name.c_str(), [&] { out.raw(element.object); });
  };
  const auto write_rules = [&] {
    out.raw(rules_front_);
    out.big<std::uint32_t>(static_cast<std::uint32_t>(rules_.size()));
    for (const Bytes& rule : rules_) {
      pointers.write("TObjString", [&] { out.raw(rule); });
      out.root_string("");
    }
  };
  const auto write_list = [&] {
    write_tobject(out, 0);
    out.root_string("");
    out.big<std::uint32_t>(static_cast<std::uint32_t>(classes_.size() + (rules_.empty() ? 0 : 1)));
    for (const Class& description : classes_) {
      pointers.write("TStreamerInfo", description.version, [&] {
        out.raw(description.front);
        pointers.write("TObjArray", description.array_version, [&] { write_elements(description); });
      });
      out.root_string("");  // the option that a list keeps with each object
    }
    if (rules_.empty()) return;
    pointers.write("TList", kListVersion, write_rules);
    out.root_string("");
  };
  if (front == Front::kClass)
    pointers.write("TList", kListVersion, write_list);
  else
    write_object(out, kListVersion, write_list);
  return std::move(out).take();
}

}  // namespace skimline::io
