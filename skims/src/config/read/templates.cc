// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/templates.h"

#include "base/interruption.h"
#include "base/text_file.h"
#include "config/json/name_checks.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace skimline::skims {
namespace {

constexpr std::size_t kMostCopies = 10000;

// The values of one round of a loop, by name, in the order in which the template gives them.
using Round = std::vector<std::pair<std::string, const JsonValue*>>;

bool is_template(const JsonValue& value) {
  const JsonValue* loops = value.find("for");
  return value.kind == JsonKind::kObject && loops;
}

bool can_be_looped_over(const JsonValue& value) {
  if (value.kind == JsonKind::kList)
    return std::all_of(value.items.begin(), value.items.end(), can_be_looped_over);
  return value.kind != JsonKind::kNull && value.kind != JsonKind::kObject;
}

std::string shown_value(const JsonValue& value) {
  return value.kind == JsonKind::kBool ? (value.boolean ? "true" : "false") : value.text;
}

std::size_t bytes_of(const JsonValue& value) {
  std::size_t size = value.text.size() + 16;
  for (const Text& key : value.keys) size += key.value.size();
  for (const JsonValue& item : value.items) size += bytes_of(item);
  return size;
}

// Of values in messages.
constexpr std::size_t kMostShown = 60;

std::string shortened(std::string text) {
  if (text.size() <= kMostShown) return text;
  std::size_t end = kMostShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

std::string text_of(const Round& round) {
  std::string text;
  for (const auto& [name, value] : round)
    text += (text.empty() ? "" : ", ") + name + " = " + shortened(compact_json(*value));
  return text;
}

// The values of a round, put into the text of a copy. Behind more bytes than a config may have, nothing is.
class RoundValues {
 public:
  RoundValues(const Round& round, std::size_t& num_bytes) : round_(round), num_bytes_(num_bytes) {}

  void put_into(JsonValue& value) {
    if (value.kind == JsonKind::kString) put_into_string(value);
    for (Text& key : value.keys) key.value = with_values(key.value);
    for (JsonValue& item : value.items) put_into(item);
  }

  std::string with_values(const std::string& text) {
    std::string made;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t dollar = std::min(text.find("${", at), text.size());
      made += text.substr(at, dollar - at);
      if (dollar == text.size()) break;
      const std::size_t end = text.find('}', dollar);
      const JsonValue* value = is_escaped(text, dollar) ? nullptr : find(text, dollar, end);
      if (value && value->kind == JsonKind::kList) has_list_in_text_ = true;
      if (value && !fits(*value)) return made;
      made += value ? shown_value(*value) : "${";
      at = value ? end + 1 : dollar + 2;
    }
    return made;
  }

  /// Whether a list was to be put into a longer text.
  bool has_list_in_text() const { return has_list_in_text_; }

 private:
  // "$${" stands for "${", and is read when variables are put in.
  static bool is_escaped(const std::string& text, std::size_t dollar) {
    return dollar > 0 && text[dollar - 1] == '$';
  }

  const JsonValue* find(const std::string& text, std::size_t dollar, std::size_t end) const {
    if (end == std::string::npos) return nullptr;
    const std::string name = text.substr(dollar + 2, end - dollar - 2);
    const auto found =
        std::find_if(round_.begin(), round_.end(), [&](const auto& each) { return each.first == name; });
    return found == round_.end() ? nullptr : found->second;
  }

  bool fits(const JsonValue& value) {
    if (num_bytes_ <= kLargestConfig) num_bytes_ += bytes_of(value);
    return num_bytes_ <= kLargestConfig;
  }

  void put_into_string(JsonValue& text) {
    const bool is_one = text.text.starts_with("${") && text.text.find('}') + 1 == text.text.size();
    const JsonValue* whole = is_one ? find(text.text, 0, text.text.size() - 1) : nullptr;
    if (!whole)
      text.text = with_values(text.text);
    else if (fits(*whole))
      text = *whole;
  }

  const Round& round_;
  std::size_t& num_bytes_;
  bool has_list_in_text_ = false;
};

class Templates {
 public:
  Templates(const JsonValue* variables, ConfigText& source, Diagnostics& diagnostics)
      : variables_(variables), source_(source), diagnostics_(diagnostics) {}

  void expand(JsonValue& section) {
    if (std::none_of(section.items.begin(), section.items.end(), is_template)) return;
    JsonValue expanded;
    expanded.kind = section.kind;
    expanded.location = section.location;
    for (std::size_t i = 0; i < section.items.size(); ++i) {
      const std::optional<Text> name =
          section.kind == JsonKind::kObject ? std::optional(section.keys[i]) : std::nullopt;
      if (is_template(section.items[i]))
        append_copies(name, section.items[i], expanded);
      else
        append(name, std::move(section.items[i]), expanded);
    }
    // What is left of nothing but mistakes is none itself.
    if (expanded.items.empty()) diagnostics_.settle(section.location);
    section = std::move(expanded);
  }

  ExpandedTemplates take() { return std::move(expanded_); }

 private:
  void append(const std::optional<Text>& name, JsonValue value, JsonValue& section) {
    if (name) {
      if (const JsonValue* other = section.find(name->value)) {
        const Text& key = section.keys[static_cast<std::size_t>(other - section.items.data())];
        return diagnostics_.add(name->location, "there is another \"" + name->value + "\"", key.location,
                                "it is made here too");
      }
      section.keys.push_back(*name);
    }
    section.items.push_back(std::move(value));
  }

  void append_copies(const std::optional<Text>& name, JsonValue& made_from, JsonValue& section) {
    const JsonValue loops = *made_from.take("for");
    const Location place = name ? name->location : made_from.location;
    const std::string place_of_template = place_text(source_, place);
    const std::vector<Round> rounds = rounds_of(loops);
    const std::optional<JsonValue> body = body_of(made_from);
    if (!body) return;
    for (const Round& round : rounds) {
      throw_if_interrupted();
      num_bytes_ += bytes_of(*body);
      const JsonValue copy = copy_of(name, *body, round, place);
      if (++num_copies_ > kMostCopies || num_bytes_ > kLargestConfig)
        return diagnostics_.add(loops.location, "templates have more than " + std::to_string(kMostCopies) +
                                                    " copies, or " + std::to_string(kLargestConfig >> 20) +
                                                    " MiB, together");
      const std::string called = place_of_template + " with " + text_of(round);
      append_copy(name, compact_json(copy), called, part_of(source_, place), section);
    }
  }

  // As an object or a list that has nothing else.
  JsonValue copy_of(const std::optional<Text>& name, const JsonValue& body, const Round& round,
                    Location place) {
    RoundValues values(round, num_bytes_);
    JsonValue copy;
    copy.kind = name ? JsonKind::kObject : JsonKind::kList;
    copy.items.push_back(body);
    if (name) copy.keys.push_back({name->value, {}});
    values.put_into(copy);
    if (values.has_list_in_text())
      diagnostics_.add(place, "a list can only be put in as the whole text: " + text_of(round));
    return copy;
  }

  // It is read anew from its text, so that mistakes are marked there.
  void append_copy(const std::optional<Text>& name, const std::string& text, const std::string& called,
                   std::size_t origin, JsonValue& section) {
    const std::size_t begin = append_part(source_, {.path = called, .is_argument = true}, text);
    expanded_.origins.push_back(origin);
    JsonValue read = parse_plain_json(text, diagnostics_, begin);
    append(name ? std::optional(read.keys.front()) : std::nullopt, std::move(read.items.front()), section);
  }

  // What is copied: all but the loop, or what stands behind "each".
  std::optional<JsonValue> body_of(JsonValue& made_from) {
    std::optional<JsonValue> each = made_from.take("each");
    if (!each) return std::move(made_from);
    for (const Text& key : made_from.keys)
      diagnostics_.add(key.location, "beside \"each\" there can only be \"for\", not \"" + key.value + "\"");
    return made_from.keys.empty() ? each : std::nullopt;
  }

  std::vector<Round> rounds_of(const JsonValue& loops) {
    const std::size_t num_errors = diagnostics_.size();
    std::vector<Round> rounds;
    if (loops.kind == JsonKind::kObject && !loops.items.empty())
      rounds = all_of(loops);
    else if (loops.kind == JsonKind::kList && !loops.items.empty())
      for (const JsonValue& each : loops.items) rounds.push_back(round_of(each, loops.items.front()));
    else
      diagnostics_.add(
          loops.location,
          "\"for\" must be an object with lists of values, or a list of objects with a value for "
          "each name");
    if (diagnostics_.size() > num_errors) rounds.clear();
    return rounds;
  }

  // Every value of each name with every one of the others, the last varying first.
  std::vector<Round> all_of(const JsonValue& loops) {
    std::vector<Round> rounds(1);
    for (std::size_t i = 0; i < loops.items.size(); ++i) {
      check_name(loops.keys[i]);
      const JsonValue& values = looked_up(loops.items[i]);
      if (values.kind != JsonKind::kList || values.items.empty()) {
        diagnostics_.add(loops.items[i].location,
                         "\"" + loops.keys[i].value + "\" must loop over a list of values");
        continue;
      }
      if (rounds.size() * values.items.size() > kMostCopies) {
        diagnostics_.add(loops.location,
                         "a template has more than " + std::to_string(kMostCopies) + " copies");
        return {};
      }
      std::vector<Round> longer;
      for (const Round& round : rounds)
        for (const JsonValue& value : values.items) {
          longer.push_back(round);
          longer.back().emplace_back(loops.keys[i].value, &checked(value, loops.items[i].location));
        }
      rounds = std::move(longer);
    }
    return rounds;
  }

  // Values that belong together; each round has those of the first.
  Round round_of(const JsonValue& values, const JsonValue& first) {
    Round round;
    if (values.kind != JsonKind::kObject || values.items.empty()) {
      diagnostics_.add(values.location,
                       "a round of \"for\" must be an object with values, got " + name_of(values.kind));
      return round;
    }
    for (std::size_t i = 0; i < values.items.size(); ++i) {
      if (&values == &first) check_name(values.keys[i]);
      if (!first.find(values.keys[i].value))
        diagnostics_.add(values.keys[i].location, "the first round has no \"" + values.keys[i].value + "\"");
      round.emplace_back(values.keys[i].value,
                         &checked(looked_up(values.items[i]), values.items[i].location));
    }
    for (const Text& name : first.keys)
      if (!values.find(name.value))
        diagnostics_.add(values.location, "\"" + name.value + "\" has no value in this round");
    return round;
  }

  void check_name(const Text& name) {
    check_identifier(name, "a loop", diagnostics_);
    if (variables_ && variables_->find(name.value))
      diagnostics_.add(name.location, "\"" + name.value + "\" is a variable: give the loop another name");
  }

  // A value that is nothing but "${name}" is that of the variable.
  const JsonValue& looked_up(const JsonValue& value) {
    if (value.kind != JsonKind::kString || !variables_ || !value.text.starts_with("${") ||
        value.text.find('}') + 1 != value.text.size())
      return value;
    const std::string name = value.text.substr(2, value.text.size() - 3);
    const JsonValue* found = variables_->find(name);
    if (found) expanded_.used_variables.insert(name);
    return found ? *found : value;
  }

  const JsonValue& checked(const JsonValue& value, Location location) {
    if (!can_be_looped_over(value))
      diagnostics_.add(location, "loops go over true, false, numbers, texts or lists of these, not over " +
                                     name_of(value.kind));
    return value;
  }

  const JsonValue* variables_;
  ConfigText& source_;
  Diagnostics& diagnostics_;
  ExpandedTemplates expanded_;
  std::size_t num_copies_ = 0, num_bytes_ = 0;
};

}  // namespace

ExpandedTemplates expand_templates(JsonValue& root, const JsonValue* variables, ConfigText& source,
                                   Diagnostics& diagnostics) {
  Templates templates(variables, source, diagnostics);
  for (const char* section :
       {"samples", "corrections", "models", "objects", "functions", "redefine", "define", "weights",
        "variations", "sums", "select", "regions", "histograms", "skims"})
    if (JsonValue* found = root.find(section)) templates.expand(*found);
  return templates.take();
}

}  // namespace skimline::skims
