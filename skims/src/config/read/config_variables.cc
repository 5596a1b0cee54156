// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/config_variables.h"

#include "base/interruption.h"
#include "base/ordered_names.h"
#include "base/text_file.h"
#include "config/json/name_checks.h"
#include "config/json/object_reader.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <map>
#include <set>

namespace skimline::skims {
namespace {

bool is_list_or_value(const JsonValue& value) {
  if (value.kind == JsonKind::kList)
    return std::all_of(value.items.begin(), value.items.end(), is_list_or_value);
  return value.kind != JsonKind::kNull && value.kind != JsonKind::kObject;
}

// The value takes the place of a text: what is wrong with it is wrong there.
void move_to(Location place, JsonValue& value) {
  value.location = place;
  for (JsonValue& item : value.items) move_to(place, item);
}

// What a value takes; that of a list is more than its text.
std::size_t size_of(const JsonValue& value) {
  std::size_t size = value.text.size() + 16;
  for (const JsonValue& item : value.items) size += size_of(item);
  return size;
}

std::string as_text(const JsonValue& value) {
  if (value.kind == JsonKind::kBool) return value.boolean ? "true" : "false";
  return value.text;
}

class Variables {
 public:
  Variables(const JsonValue& variables, Diagnostics& diagnostics) : diagnostics_(diagnostics) {
    if (variables.kind != JsonKind::kObject) {
      diagnostics.add(variables.location, "\"variables\" must be an object, got " + name_of(variables.kind));
      return;
    }
    for (const Text& name : variables.keys) all_names_.add(name.value);
    for (std::size_t i = 0; i < variables.items.size(); ++i) define(variables.keys[i], variables.items[i]);
  }

  /// Returns the names that are used.
  std::set<std::string> put_in(JsonValue& value) {
    std::set<std::string> names;
    put_into(value, names);
    return names;
  }

  /// Returns `names` and all that they are made of.
  std::set<std::string> with_what_they_use(std::set<std::string> names) const {
    std::vector<std::string> waiting(names.begin(), names.end());
    while (!waiting.empty()) {
      const std::string name = waiting.back();
      waiting.pop_back();
      if (const auto used = uses_.find(name); used != uses_.end())
        for (const std::string& other : used->second)
          if (names.insert(other).second) waiting.push_back(other);
    }
    return names;
  }

 private:
  void define(const Text& name, JsonValue value) {
    const std::size_t num_errors = diagnostics_.size();
    check_identifier(name, "a variable", diagnostics_);
    if (!is_list_or_value(value))
      diagnostics_.add(value.location, "the variable \"" + name.value +
                                           "\" must be true, false, a number, a text or a list of these");
    uses_[name.value] = put_in(value);
    if (diagnostics_.size() > num_errors) failed_.insert(name.value);
    values_.emplace(name.value, std::move(value));
  }

  void put_into(JsonValue& value, std::set<std::string>& names) {
    if (value.kind == JsonKind::kString && value.text.find("${") != std::string::npos)
      put_into_text(value, names);
    for (JsonValue& item : value.items) put_into(item, names);
  }

  void put_into_text(JsonValue& value, std::set<std::string>& names) {
    const Text text{value.text, value.location};
    std::string made;
    for (std::size_t at = 0; at < text.value.size();) {
      const std::size_t dollar = std::min(text.value.find('$', at), text.value.size());
      made += text.value.substr(at, dollar - at);
      at = dollar;
      if (text.value.compare(at, 3, "$${") == 0) {
        made += "${";
        at += 3;
      } else if (text.value.compare(at, 2, "${") != 0) {
        if (at < text.value.size()) made += text.value[at++];
      } else {
        const std::size_t end = text.value.find('}', at);
        const JsonValue* found = lookup(text, at, end);
        if (!found || !fits(*found, text)) return;
        names.insert(text.value.substr(at + 2, end - at - 2));
        if (at == 0 && end + 1 == text.value.size()) {
          JsonValue whole = *found;
          move_to(text.location, whole);
          value = std::move(whole);
          return;
        }
        if (found->kind == JsonKind::kList) return fail(text, "a list can only be put in as the whole text");
        made += as_text(*found);
        at = end + 1;
      }
    }
    value.text = made;
  }

  // The value of the variable between `begin` and `end`, or nothing and an error.
  const JsonValue* lookup(const Text& text, std::size_t begin, std::size_t end) {
    if (end == std::string::npos) {
      fail(text, "\"${\" without \"}\"; write \"$${\" if no variable is meant");
      return nullptr;
    }
    const std::string name = text.value.substr(begin + 2, end - begin - 2);
    const auto found = values_.find(name);
    if (failed_.contains(name)) {
      diagnostics_.settle(text.location);
      return nullptr;
    }
    if (found != values_.end()) return &found->second;
    if (all_names_.contains(name))
      fail(text, "the variable \"" + name + "\" may be used only by those behind it");
    else
      fail(text, "unknown variable \"" + name + "\"" + meant(name));
    return nullptr;
  }

  std::string meant(const std::string& name) {
    const std::vector<std::string>& known = all_names_.in_order();
    return known.empty() ? "; there are none: give \"variables\": {\"" + name + "\": ...}"
                         : diagnostics_.meant_or_all(name, known);
  }

  // Counts what is put in. Behind the first that is too much nothing is any more.
  bool fits(const JsonValue& value, const Text& text) {
    throw_if_interrupted();
    if (num_bytes_ > kLargestConfig) return false;
    num_bytes_ += size_of(value);
    if (num_bytes_ > kLargestConfig)
      fail(text, "with this text the variables put in have more than " +
                     std::to_string(kLargestConfig >> 20) + " MiB");
    return num_bytes_ <= kLargestConfig;
  }

  void fail(const Text& text, const std::string& message) {
    diagnostics_.add(text.location, message);
    diagnostics_.settle(text.location);
  }

  Diagnostics& diagnostics_;
  OrderedNames all_names_;
  std::map<std::string, JsonValue> values_;
  std::size_t num_bytes_ = 0;                          // put in so far
  std::set<std::string> failed_;                       // those with a mistake
  std::map<std::string, std::set<std::string>> uses_;  // by name
};

}  // namespace

std::vector<Text> put_in_variables(const JsonValue& variables, JsonValue& root, Diagnostics& diagnostics) {
  Variables values(variables, diagnostics);
  const std::set<std::string> used = values.with_what_they_use(values.put_in(root));
  std::vector<Text> unused;
  for (const Text& name : variables.keys)
    if (!used.contains(name.value)) unused.push_back(name);
  return unused;
}

std::string plain_text(std::string text) {
  for (std::size_t at = text.find("${"); at != std::string::npos; at = text.find("${", at + 3))
    text.insert(at, "$");
  return text;
}

void make_plain(JsonValue& value) {
  if (value.kind == JsonKind::kString) value.text = plain_text(std::move(value.text));
  for (JsonValue& item : value.items) make_plain(item);
}

}  // namespace skimline::skims
