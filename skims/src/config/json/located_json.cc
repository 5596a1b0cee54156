// SPDX-License-Identifier: BSD-3-Clause
#include "config/json/located_json.h"

#include "base/interruption.h"
#include "config/json/json_comments.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

constexpr std::size_t kMaximumDepth = 64;
// Each takes more than a hundred bytes of memory.
constexpr std::size_t kMostValues = 16'000'000;

bool separates(char letter) { return std::string_view(" \t\r\n,:").find(letter) != std::string_view::npos; }

bool belongs_to_number_or_literal(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) || letter == '+' || letter == '-' || letter == '.';
}

std::size_t token_end(std::string_view text, std::size_t begin) {
  std::size_t end = begin + 1;
  if (text[begin] == '"') {
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text.size());
  }
  if (!belongs_to_number_or_literal(text[begin])) return end;
  while (end < text.size() && belongs_to_number_or_literal(text[end])) ++end;
  return end;
}

// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while parsing value -
// invalid literal; last read: 'x'; expected ..." without what the shown source line says already.
std::string shortened(std::string message) {
  if (message.starts_with("[json.exception")) message.erase(0, message.find("] ") + 2);
  if (message.starts_with("parse error at")) message.erase(0, message.find(": ") + 2);
  if (const std::size_t read = message.find("; last read: "); read != std::string::npos) {
    const std::size_t expected = message.find("; expected", read);
    message.erase(read, expected == std::string::npos ? std::string::npos : expected - read);
  }
  return message;
}

// Builds the tree from the parser's events. The events come in the order of the text, and only blanks, commas
// and colons lie between their tokens: a cursor that follows them knows where each token stands.
class TreeBuilder : public nlohmann::json::json_sax_t {
 public:
  TreeBuilder(std::string_view text, Diagnostics& diagnostics, std::size_t begin)
      : text_(text), diagnostics_(diagnostics), begin_(begin) {}

  bool null() override { return add(JsonKind::kNull); }
  bool boolean(bool value) override {
    if (!add(JsonKind::kBool)) return false;
    added_->boolean = value;
    return true;
  }
  bool number_integer(number_integer_t value) override {
    return add_number(JsonKind::kInteger, static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return add_number(JsonKind::kInteger, static_cast<double>(value));
  }
  // Whole numbers of more than 64 bits, too. Others have the decimal point of the locale here.
  bool number_float(number_float_t value, const string_t& written) override {
    const bool is_whole = written.find_first_not_of("-0123456789") == std::string::npos;
    return add_number(is_whole ? JsonKind::kInteger : JsonKind::kReal, value);
  }
  bool string(string_t& value) override {
    if (!add(JsonKind::kString)) return false;
    // The system would take a path with it for a shorter one.
    if (value.find('\0') != std::string::npos)
      diagnostics_.add(added_->location, "the character NUL is not allowed");
    added_->text = value;
    return true;
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(JsonKind::kObject); }
  bool start_array(std::size_t) override { return open(JsonKind::kList); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    const Location location = next_token();
    if (open_.back()->find(name))
      diagnostics_.add(location, "the key \"" + name + "\" appears twice in this object");
    open_.back()->keys.push_back({name, location});
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& error) override {
    const std::size_t last_read = begin_ + std::min(position == 0 ? 0 : position - 1, text_.size());
    const Location token = next_token();
    diagnostics_.add(token.begin <= last_read ? token : Location{last_read, last_read + 1},
                     is_blank(token) ? "there is no JSON, only blanks" : shortened(error.what()));
    return false;
  }

  JsonValue take() { return std::move(root_); }

 private:
  // Versions of the library say different things of it.
  bool is_blank(const Location& token) const { return added_ == nullptr && token.begin == token.end; }

  Location next_token() {
    while (cursor_ < text_.size() && separates(text_[cursor_])) ++cursor_;
    if (cursor_ == text_.size()) return {begin_ + cursor_, begin_ + cursor_};
    const std::size_t begin = cursor_;
    cursor_ = token_end(text_, begin);
    return {begin_ + begin, begin_ + cursor_};
  }

  bool add(JsonKind kind) {
    const Location location = next_token();
    if (open_.size() == kMaximumDepth) {
      diagnostics_.add(location, "nested too deeply (more than 64 levels)");
      return false;
    }
    if (++num_values_ > kMostValues) {
      diagnostics_.add(location, "more than 16 million values in one text");
      return false;
    }
    throw_if_interrupted();
    added_ = open_.empty() ? &root_ : &open_.back()->items.emplace_back();
    added_->kind = kind;
    added_->location = location;
    return true;
  }

  bool add_number(JsonKind kind, double value) {
    if (!add(kind)) return false;
    added_->number = value;
    const Location token = added_->location;
    added_->text = text_.substr(token.begin - begin_, token.end - token.begin);
    return true;
  }

  bool open(JsonKind kind) {
    if (!add(kind)) return false;
    open_.push_back(added_);
    return true;
  }

  bool close() {
    open_.back()->location.end = next_token().end;
    open_.back()->keys.shrink_to_fit();
    open_.back()->items.shrink_to_fit();
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  Diagnostics& diagnostics_;
  std::size_t begin_;
  std::size_t cursor_ = 0;
  std::size_t num_values_ = 0;
  JsonValue root_;
  JsonValue* added_ = nullptr;
  // Pointers stay valid: only the innermost open value gets new items.
  std::vector<JsonValue*> open_;
};

std::string number_text(const JsonValue& number) {
  return number.kind == JsonKind::kInteger ? number.text : nlohmann::json(number.number).dump();
}

using LeftOut = std::initializer_list<std::string_view>;

void append_json(const JsonValue& value, std::string& text, LeftOut left_out = {}) {
  const auto append_items = [&](char opening, char closing) {
    text += opening;
    bool is_first = true;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      const bool is_named = i < value.keys.size();
      if (is_named && std::find(left_out.begin(), left_out.end(), value.keys[i].value) != left_out.end())
        continue;
      if (!std::exchange(is_first, false)) text += ',';
      if (is_named) text += nlohmann::json(value.keys[i].value).dump() + ":";
      append_json(value.items[i], text);
    }
    text += closing;
  };
  switch (value.kind) {
    case JsonKind::kNull:
      text += "null";
      break;
    case JsonKind::kBool:
      text += value.boolean ? "true" : "false";
      break;
    case JsonKind::kInteger:
    case JsonKind::kReal:
      text += number_text(value);
      break;
    case JsonKind::kString:
      text += nlohmann::json(value.text).dump();
      break;
    case JsonKind::kList:
      append_items('[', ']');
      break;
    case JsonKind::kObject:
      append_items('{', '}');
      break;
  }
}

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  const std::size_t position = index_.find(keys, key);
  // A list has items without keys, an object that is not complete a key without an item.
  return position < std::min(keys.size(), items.size()) ? &items[position] : nullptr;
}

JsonValue* JsonValue::find(std::string_view key) {
  return const_cast<JsonValue*>(std::as_const(*this).find(key));
}

std::optional<JsonValue> JsonValue::take(std::string_view key) {
  JsonValue* found = find(key);
  if (!found) return std::nullopt;
  std::optional<JsonValue> taken(std::move(*found));
  const auto index = found - items.data();
  index_.forget();
  keys.erase(keys.begin() + index);
  items.erase(items.begin() + index);
  return taken;
}

bool is_exact(const JsonValue& number) {
  if (std::abs(number.number) != kLargestInteger) return std::abs(number.number) < kLargestInteger;
  const std::string_view digits(number.text);
  return digits.substr(digits.starts_with('-') ? 1 : 0) == "9007199254740992";
}

std::string name_of(JsonKind kind) {
  switch (kind) {
    case JsonKind::kNull:
      return "null";
    case JsonKind::kBool:
      return "a boolean";
    case JsonKind::kInteger:
      return "an integer";
    case JsonKind::kReal:
      return "a number";
    case JsonKind::kString:
      return "a string";
    case JsonKind::kList:
      return "a list";
    case JsonKind::kObject:
      break;
  }
  return "an object";
}

JsonValue parse_located_json(const std::string& text, Diagnostics& diagnostics, std::size_t begin) {
  const std::size_t num_errors = diagnostics.size();
  const std::string plain = blank_comments(text, diagnostics, begin);
  return diagnostics.size() == num_errors ? parse_plain_json(plain, diagnostics, begin) : JsonValue{};
}

JsonValue parse_plain_json(const std::string& text, Diagnostics& diagnostics, std::size_t begin) {
  TreeBuilder builder(text, diagnostics, begin);
  nlohmann::json::sax_parse(text, &builder);
  return builder.take();
}

bool is_plain_json(const std::string& text) { return nlohmann::json::accept(text); }

bool is_unicode(const std::string& text) {
  try {
    (void)nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

std::string compact_json(const JsonValue& value, LeftOut left_out) {
  std::string text;
  append_json(value, text, left_out);
  return text;
}

}  // namespace skimline::skims
