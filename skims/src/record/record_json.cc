// SPDX-License-Identifier: BSD-3-Clause
#include "record/record_json.h"

#include "skimline/framework/error.h"

#include <utility>

namespace skimline::skims {
namespace {

using nlohmann::ordered_json;
using SortedJson = nlohmann::json;

// Hands values to `add(Json)`, names to `name(std::string)`, and what opens and closes to `open(Json, depth)`
// and `close(depth)` of a derived class. The parser does not recurse, so that depth costs it nothing.
template <typename Derived, typename Json>
class Events : public nlohmann::json_sax<Json> {
 public:
  using typename nlohmann::json_sax<Json>::number_integer_t;
  using typename nlohmann::json_sax<Json>::number_unsigned_t;
  using typename nlohmann::json_sax<Json>::number_float_t;
  using typename nlohmann::json_sax<Json>::string_t;
  using typename nlohmann::json_sax<Json>::binary_t;

  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(Json(value)); }
  bool number_integer(number_integer_t value) override { return add(Json(value)); }
  bool number_unsigned(number_unsigned_t value) override { return add(Json(value)); }
  bool number_float(number_float_t value, const string_t&) override { return add(Json(value)); }
  bool string(string_t& value) override { return add(Json(std::move(value))); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close('}'); }
  bool end_array() override { return close(']'); }
  bool key(string_t& name) override {
    derived().name(std::move(name));
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

  static void parse(std::string_view text, Derived& events) {
    if (!Json::sax_parse(text, &events)) throw Error("it is no JSON");
  }

 protected:
  std::size_t depth() const { return depth_; }

 private:
  Derived& derived() { return static_cast<Derived&>(*this); }
  bool add(Json value) {
    derived().add_value(std::move(value));
    return true;
  }
  bool open(Json empty) {
    if (depth_ == kMaxRecordDepth) throw Error("it is nested too deeply");
    derived().open_value(std::move(empty));
    ++depth_;
    return true;
  }
  bool close(char bracket) {
    --depth_;
    derived().close_value(bracket);
    return true;
  }

  std::size_t depth_ = 0;
};

template <typename Json>
void append(const Json& value, std::string& text) {
  text += value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

class TextWriter : public Events<TextWriter, SortedJson> {
 public:
  void name(std::string name) {
    separate();
    append(SortedJson(std::move(name)), text_);
    text_ += ':';
    is_first_ = true;
  }
  void add_value(const SortedJson& value) {
    separate();
    append(value, text_);
  }
  void open_value(const SortedJson& empty) {
    separate();
    text_ += empty.is_object() ? '{' : '[';
    is_first_ = true;
  }
  void close_value(char bracket) {
    text_ += bracket;
    is_first_ = false;
  }

  std::string take() {
    is_first_ = true;
    return std::exchange(text_, {});
  }

 private:
  void separate() {
    if (!std::exchange(is_first_, false)) text_ += ',';
  }

  std::string text_;
  bool is_first_ = true;
};

SortedJson& put(SortedJson& object, std::string name, SortedJson value) {
  return object[std::move(name)] = std::move(value);
}

// Its own functions compare the key with all others.
ordered_json& put(ordered_json& object, std::string name, ordered_json value) {
  return object.get_ref<ordered_json::object_t&>().emplace_back(std::move(name), std::move(value)).second;
}

template <typename Json>
class TreeMaker : public Events<TreeMaker<Json>, Json> {
 public:
  void name(std::string name) { name_ = std::move(name); }
  void add_value(Json value) { add(std::move(value)); }
  // Pointers stay valid: only the innermost open value gets new items.
  void open_value(Json empty) { open_.push_back(&add(std::move(empty))); }
  void close_value(char) { open_.pop_back(); }

  Json take() { return std::move(root_); }

 private:
  Json& add(Json value) {
    if (open_.empty()) return root_ = std::move(value);
    Json& parent = *open_.back();
    if (parent.is_object()) return put(parent, std::move(name_), std::move(value));
    parent.push_back(std::move(value));
    return parent.back();
  }

  Json root_;
  std::string name_;
  std::vector<Json*> open_;
};

// Sends the items of the list "configs" to a writer, and all else to a tree.
class PartsReader : public Events<PartsReader, SortedJson> {
 public:
  void name(std::string name) {
    if (is_in_configs()) return config_.name(std::move(name));
    if (depth() == 1) is_at_configs_ = name == "configs";
    rest_.name(std::move(name));
  }
  void add_value(SortedJson value) {
    if (!is_in_configs()) return rest_.add_value(std::move(value));
    config_.add_value(value);
    complete();
  }
  void open_value(SortedJson empty) {
    if (is_in_configs()) return config_.open_value(empty);
    const bool is_list = empty.is_array();
    rest_.open_value(std::move(empty));
    if (depth() == 1 && is_at_configs_ && is_list) configs_depth_ = 2;
  }
  void close_value(char bracket) {
    if (configs_depth_ != 0 && depth() < configs_depth_) {
      configs_depth_ = 0;
      parts_.has_configs = true;
    }
    if (!is_in_configs()) return rest_.close_value(bracket);
    config_.close_value(bracket);
    complete();
  }

  RecordParts take() {
    parts_.rest = rest_.take();
    return std::move(parts_);
  }

 private:
  bool is_in_configs() const { return configs_depth_ != 0; }
  void complete() {
    if (depth() == configs_depth_) parts_.configs.push_back(config_.take());
  }

  RecordParts parts_;
  TreeMaker<SortedJson> rest_;
  TextWriter config_;
  bool is_at_configs_ = false;
  std::size_t configs_depth_ = 0;  // of the items of the list, 0 outside of it
};

}  // namespace

std::string compact_text(std::string_view text) {
  TextWriter writer;
  TextWriter::parse(text, writer);
  return writer.take();
}

ordered_json ordered_json_of(std::string_view text) {
  TreeMaker<ordered_json> maker;
  TreeMaker<ordered_json>::parse(text, maker);
  return maker.take();
}

RecordParts record_parts(std::string_view text) {
  PartsReader reader;
  PartsReader::parse(text, reader);
  return reader.take();
}

}  // namespace skimline::skims
