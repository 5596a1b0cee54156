// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/config_merge.h"

#include "config/json/config_path.h"

namespace skimline::skims {
namespace {

class Merger {
 public:
  explicit Merger(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void merge(JsonValue& merged, JsonValue object) {
    merged.location = object.location;  // where something is missing, the last one lacks it
    for (std::size_t i = 0; i < object.items.size(); ++i) {
      path_.push_back(object.keys[i]);
      merge_key(merged, object.keys[i], std::move(object.items[i]));
      path_.pop_back();
    }
  }

 private:
  void merge_key(JsonValue& merged, const Text& key, JsonValue value) {
    JsonValue* found = merged.find(key.value);
    if (!found) {
      merged.keys.push_back(key);
      merged.items.push_back(std::move(value));
    } else if (found->kind == JsonKind::kObject && value.kind == JsonKind::kObject) {
      merge(*found, std::move(value));
    } else if (is_version() && found->kind == value.kind && found->text == value.text) {
      found->location = value.location;
    } else {
      const Text& other = merged.keys[static_cast<std::size_t>(found - merged.items.data())];
      const std::string name = "\"" + to_text(path_, path_.size()) + "\"";
      diagnostics_.add(key.location,
                       is_version() ? name + " must be the same in all files"
                                    : name + " is given twice; to change it, write \"override\": {" +
                                          compact_json(text_value(to_text(path_, path_.size()))) + ": ...}",
                       other.location, "it is given here too");
    }
  }

  static JsonValue text_value(std::string text) {
    JsonValue value;
    value.kind = JsonKind::kString;
    value.text = std::move(text);
    return value;
  }

  bool is_version() const { return path_.size() == 1 && path_.front().value == "schema_version"; }

  Diagnostics& diagnostics_;
  ConfigPath path_;
};

}  // namespace

void merge_into(JsonValue& merged, JsonValue object, Diagnostics& diagnostics) {
  Merger(diagnostics).merge(merged, std::move(object));
}

}  // namespace skimline::skims
