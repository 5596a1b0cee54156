// SPDX-License-Identifier: BSD-3-Clause
#include "config/yaml/located_yaml.h"

#include "base/text_table.h"
#include "config/yaml/yaml_scalars.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include <yaml.h>

namespace skimline::skims {
namespace {

constexpr std::size_t kDeepest = 64;
// Of all values, with the copies that aliases stand for.
constexpr std::size_t kMostValues = 200000;
constexpr std::string_view kMerge = "<<";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Nothing more can be read; what is wrong has been said.
struct Stopped {};

// libyaml counts characters, places are bytes. Asked for mostly ascending places.
class BytePlaces {
 public:
  BytePlaces(std::string_view text, std::size_t begin) : text_(text), begin_(begin), byte_(begin) {}

  std::size_t of(std::size_t character) {
    if (character < character_) character_ = 0, byte_ = begin_;
    for (; character_ < character && byte_ < text_.size(); ++character_) {
      ++byte_;
      while (byte_ < text_.size() && (static_cast<unsigned char>(text_[byte_]) & 0xC0) == 0x80) ++byte_;
    }
    return byte_;
  }

 private:
  std::string_view text_;
  std::size_t begin_;
  std::size_t character_ = 0, byte_;
};

std::string text_of(const yaml_char_t* text) { return text ? reinterpret_cast<const char*>(text) : ""; }

// What libyaml tells next.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { yaml_event_delete(&event_); }

  bool read(yaml_parser_t& parser) {
    yaml_event_delete(&event_);
    event_ = {};
    return yaml_parser_parse(&parser, &event_) != 0;
  }

  yaml_event_type_t type() const { return event_.type; }
  std::size_t begin() const { return event_.start_mark.index; }
  std::size_t end() const { return event_.end_mark.index; }
  bool is_end() const { return type() == YAML_SEQUENCE_END_EVENT || type() == YAML_MAPPING_END_EVENT; }

  std::string alias() const { return text_of(event_.data.alias.anchor); }
  std::string anchor() const {
    if (type() == YAML_SCALAR_EVENT) return text_of(event_.data.scalar.anchor);
    if (type() == YAML_SEQUENCE_START_EVENT) return text_of(event_.data.sequence_start.anchor);
    return text_of(event_.data.mapping_start.anchor);
  }
  std::string tag() const {
    if (type() == YAML_SCALAR_EVENT) return text_of(event_.data.scalar.tag);
    if (type() == YAML_SEQUENCE_START_EVENT) return text_of(event_.data.sequence_start.tag);
    return text_of(event_.data.mapping_start.tag);
  }
  std::string scalar() const {
    return {reinterpret_cast<const char*>(event_.data.scalar.value), event_.data.scalar.length};
  }
  bool is_plain() const { return event_.data.scalar.style == YAML_PLAIN_SCALAR_STYLE; }

 private:
  yaml_event_t event_{};
};

// What an anchor names.
struct Anchored {
  JsonValue value;
  std::size_t num_values = 1;
  std::size_t depth = 1;
  bool is_open = true;  // the value is being read
};

class YamlReader {
 public:
  YamlReader(std::string_view text, std::size_t begin, Diagnostics& diagnostics)
      : places_(text, begin), begin_(begin), diagnostics_(diagnostics) {
    if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    text.remove_prefix(begin);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  YamlReader(const YamlReader&) = delete;
  YamlReader& operator=(const YamlReader&) = delete;
  ~YamlReader() { yaml_parser_delete(&parser_); }

  JsonValue document() {
    next();  // the begin of the stream
    next();
    if (event_.type() == YAML_STREAM_END_EVENT) fail(place(), "there is nothing in it");
    next();
    JsonValue value = node(1).value;
    next();  // the end of the document
    next();
    if (event_.type() != YAML_STREAM_END_EVENT) fail(place(), "a second document begins here");
    return value;
  }

 private:
  struct Node {
    JsonValue value;
    std::size_t num_values = 1;
    std::size_t depth = 1;
  };

  void next() {
    if (event_.read(parser_)) return;
    const bool is_of_bytes = parser_.error == YAML_READER_ERROR;
    const std::size_t at =
        is_of_bytes ? begin_ + parser_.problem_offset : places_.of(parser_.problem_mark.index);
    std::string problem = parser_.problem ? parser_.problem : "it cannot be read";
    if (parser_.context) problem = std::string(parser_.context) + ": " + problem;
    fail({at, at + 1}, "no YAML: " + problem);
  }

  [[noreturn]] void fail(Location location, std::string message) {
    diagnostics_.add(location, std::move(message));
    throw Stopped();
  }

  Location place() {
    const std::size_t begin = places_.of(event_.begin());
    return {begin, std::max(places_.of(event_.end()), begin + 1)};
  }

  void count(std::size_t num_values, std::size_t depth) {
    if (depth > kDeepest) fail(place(), "nested more than " + std::to_string(kDeepest) + " levels deep");
    if (num_values > kMostValues - num_values_)
      fail(place(),
           "more than " + std::to_string(kMostValues) + " values, with those that aliases stand for");
    num_values_ += num_values;
  }

  // The value that the event begins.
  Node node(std::size_t depth) {
    if (event_.type() == YAML_ALIAS_EVENT) return copied(depth);
    count(1, depth);
    const std::string anchor = event_.anchor();
    if (!anchor.empty()) anchors_[anchor] = {};
    Node made;
    if (event_.type() == YAML_SCALAR_EVENT)
      made.value = scalar();
    else if (event_.type() == YAML_SEQUENCE_START_EVENT)
      made = list(depth);
    else
      made = mapping(depth);
    if (!anchor.empty()) keep(anchor, made);
    return made;
  }

  // A copy, which takes memory too.
  void keep(const std::string& anchor, const Node& named) {
    count(named.num_values, 1);
    anchors_[anchor] = {named.value, named.num_values, named.depth, false};
  }

  Node copied(std::size_t depth) {
    const auto found = anchors_.find(event_.alias());
    if (found == anchors_.end()) fail(place(), unknown_anchor(event_.alias()));
    const Anchored& anchored = found->second;
    if (anchored.is_open) fail(place(), "the alias *" + event_.alias() + " stands inside of what it names");
    count(anchored.num_values, depth + anchored.depth - 1);
    return {anchored.value, anchored.num_values, anchored.depth};
  }

  std::string unknown_anchor(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& [each, anchored] : anchors_) names.push_back(each);
    return "unknown anchor " + in_quotes(name) + did_you_mean(name, names);
  }

  // Of tags, those that say what plain values are anyway.
  void check_tag(const char* kind) {
    const std::string tag = event_.tag();
    if (!tag.empty() && tag != "!" && tag != "tag:yaml.org,2002:" + std::string(kind))
      fail(place(), "the tag " + in_quotes(tag) + " is not understood");
  }

  JsonValue scalar() {
    const bool is_text = !event_.is_plain() || !event_.tag().empty();
    check_tag("str");
    JsonValue value;
    if (is_text) {
      value.kind = JsonKind::kString;
      value.text = event_.scalar();
    } else {
      value = plain_scalar(event_.scalar());
    }
    value.location = place();
    return value;
  }

  static void enter(Node& node, Node inner) {
    node.num_values += inner.num_values;
    node.depth = std::max(node.depth, inner.depth + 1);
    node.value.items.push_back(std::move(inner.value));
  }

  void close(Node& node) { node.value.location.end = std::max(node.value.location.end, place().begin); }

  Node list(std::size_t depth) {
    check_tag("seq");
    Node result;
    result.value.kind = JsonKind::kList;
    result.value.location = place();
    for (next(); !event_.is_end(); next()) enter(result, node(depth + 1));
    close(result);
    return result;
  }

  Node mapping(std::size_t depth) {
    check_tag("map");
    Node result;
    result.value.kind = JsonKind::kObject;
    result.value.location = place();
    std::map<std::string, Location> own;
    std::vector<Node> merged;
    for (next(); !event_.is_end(); next()) {
      const bool merges =
          event_.type() == YAML_SCALAR_EVENT && event_.is_plain() && event_.scalar() == kMerge;
      Text name = key();
      next();
      if (merges) {
        merged.push_back(node(depth + 1));
        continue;
      }
      const auto [known, is_new] = own.emplace(name.value, name.location);
      if (!is_new)
        diagnostics_.add(name.location, "the key " + in_quotes(name.value) + " appears twice", known->second,
                         "it is here, too");
      result.value.keys.push_back(std::move(name));
      enter(result, node(depth + 1));
    }
    close(result);
    for (const Node& each : merged) {
      merge(result, own, each.value);
      result.depth = std::max(result.depth, each.depth);
    }
    return result;
  }

  Text key() {
    if (event_.type() == YAML_ALIAS_EVENT) {
      const Node copy = copied(1);
      if (copy.value.kind == JsonKind::kList || copy.value.kind == JsonKind::kObject)
        fail(place(), "a key must be a string");
      return {copy.value.text, place()};
    }
    if (event_.type() != YAML_SCALAR_EVENT) fail(place(), "a key must be a string");
    const std::string anchor = event_.anchor();
    const JsonValue value = scalar();
    if (!anchor.empty()) keep(anchor, {value, 1, 1});
    return {value.text, value.location};
  }

  // Keys that the mapping does not have itself, of one mapping or of several.
  void merge(Node& mapping, std::map<std::string, Location>& own, const JsonValue& value) {
    if (value.kind == JsonKind::kList) {
      for (const JsonValue& each : value.items) merge_keys(mapping, own, each);
      return;
    }
    merge_keys(mapping, own, value);
  }

  void merge_keys(Node& mapping, std::map<std::string, Location>& own, const JsonValue& value) {
    if (value.kind != JsonKind::kObject)
      fail(value.location, "\"<<\" takes a mapping, or a list of mappings");
    for (std::size_t i = 0; i < value.keys.size(); ++i) {
      if (!own.emplace(value.keys[i].value, value.keys[i].location).second) continue;
      mapping.value.keys.push_back(value.keys[i]);
      mapping.value.items.push_back(value.items[i]);
    }
    mapping.num_values += value.items.size();
  }

  yaml_parser_t parser_{};
  Event event_;
  BytePlaces places_;
  std::size_t begin_;
  Diagnostics& diagnostics_;
  std::map<std::string, Anchored> anchors_;
  std::size_t num_values_ = 0;
};

// Of the first line that is no UTF-8.
Location place_of_bytes(const std::string& text) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (!is_unicode(text.substr(begin, end - begin))) return {begin, end};
    begin = end + 1;
  }
  return {0, 0};
}

}  // namespace

JsonValue parse_located_yaml(const std::string& text, Diagnostics& diagnostics) {
  if (!is_unicode(text)) {
    diagnostics.add(place_of_bytes(text), "this is not UTF-8");
    return {};
  }
  const std::size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  try {
    return YamlReader(text, begin, diagnostics).document();
  } catch (const Stopped&) {
    return {};
  }
}

}  // namespace skimline::skims
