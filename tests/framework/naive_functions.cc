// SPDX-License-Identifier: BSD-3-Clause
#include "naive_functions.h"

#include "naive_operators.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include <regex.h>

namespace skimline::testing {
namespace {

const std::string& string_argument(const NaiveCall& call, std::size_t index) {
  const auto* text = std::get_if<std::string>(&call.arguments[index].scalar);
  if (!text) throw NaiveRefusal("not a string");
  return *text;
}

Value flag(const NaiveCall& call, bool value) {
  if (call.on_lists) return flat_value(static_cast<std::int32_t>(value));
  return flat_value(value);
}

// A POSIX expression, whose matches are the longest: that of a text that fits is all of it.
class Regex {
 public:
  explicit Regex(const std::string& pattern) {
    if (regcomp(&regex_, pattern.c_str(), REG_EXTENDED) != 0) throw NaiveRefusal("not a regular expression");
  }
  ~Regex() { regfree(&regex_); }
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;

  // The length of the first match; nothing if there is none.
  std::optional<std::size_t> match(const std::string& text) const {
    regmatch_t found;
    if (regexec(&regex_, text.c_str(), 1, &found, 0) != 0) return std::nullopt;
    return static_cast<std::size_t>(found.rm_eo - found.rm_so);
  }

 private:
  regex_t regex_;
};

std::optional<std::size_t> matched_length(const NaiveCall& call) {
  static thread_local std::map<std::string, Regex> known;
  const std::string& pattern = string_argument(call, 1);
  return known.try_emplace(pattern, pattern).first->second.match(string_argument(call, 0));
}

Value regex_match(NaiveCall& call) {
  call.expect(2);
  return flag(call, matched_length(call) == string_argument(call, 0).size());
}
Value regex_search(NaiveCall& call) {
  call.expect(2);
  return flag(call, matched_length(call).has_value());
}
Value starts_with(NaiveCall& call) {
  call.expect(2);
  const std::string &text = string_argument(call, 0), &part = string_argument(call, 1);
  return flag(call, text.substr(0, part.size()) == part);
}
Value ends_with(NaiveCall& call) {
  call.expect(2);
  const std::string &text = string_argument(call, 0), &part = string_argument(call, 1);
  return flag(call, text.size() >= part.size() && text.substr(text.size() - part.size()) == part);
}
Value length(NaiveCall& call) {
  call.expect(1);
  return flat_value(static_cast<std::uint64_t>(string_argument(call, 0).size()));
}
Value contains(NaiveCall& call) {
  call.expect(2);
  return flag(call, string_argument(call, 0).find(string_argument(call, 1)) != std::string::npos);
}

// What the C++ library reads.
template <typename T, typename Read>
Value number_of_text(NaiveCall& call, Read read) {
  call.expect(1);
  const std::string& text = string_argument(call, 0);
  try {
    return flat_value(static_cast<T>(read(text)));
  } catch (const std::invalid_argument&) {
    call.context.fault("\"" + text + "\" does not begin with a number");
  } catch (const std::out_of_range&) {
    call.context.fault("\"" + text + "\" is out of the range of its type");
  }
  return flat_value(T{});
}

Value stoi(NaiveCall& call) {
  return number_of_text<std::int32_t>(call, [](const std::string& text) { return std::stoi(text); });
}
Value stol(NaiveCall& call) {
  return number_of_text<std::int64_t>(call, [](const std::string& text) { return std::stol(text); });
}
Value stoul(NaiveCall& call) {
  return number_of_text<std::uint64_t>(call, [](const std::string& text) { return std::stoul(text); });
}
Value stof(NaiveCall& call) {
  return number_of_text<float>(call, [](const std::string& text) { return std::stof(text); });
}
Value stod(NaiveCall& call) {
  return number_of_text<double>(call, [](const std::string& text) { return std::stod(text); });
}

}  // namespace

void NaiveCall::expect(std::size_t count) const {
  if (arguments.size() != count) throw NaiveRefusal("other number of arguments");
}

bool all_are(const NaiveCall& call, ScalarType scalar) {
  return std::all_of(call.arguments.begin(), call.arguments.end(),
                     [&](const Value& each) { return each.type.scalar == scalar; });
}

double double_argument(const NaiveCall& call, std::size_t index) {
  return std::get<double>(converted(call.context, call.arguments[index].scalar, ScalarType::kDouble));
}

std::span<const NaiveFunction> naive_string_functions() {
  static constexpr NaiveFunction kFunctions[] = {
      {"regex_match", NaiveShape::kValues, regex_match},
      {"regex_search", NaiveShape::kValues, regex_search},
      {"starts_with", NaiveShape::kValues, starts_with},
      {"ends_with", NaiveShape::kValues, ends_with},
      {"contains", NaiveShape::kValues, contains},
      {"length", NaiveShape::kValues, length},
      {"stoi", NaiveShape::kValues, stoi},
      {"stol", NaiveShape::kValues, stol},
      {"stoll", NaiveShape::kValues, stol},
      {"stoul", NaiveShape::kValues, stoul},
      {"stoull", NaiveShape::kValues, stoul},
      {"stof", NaiveShape::kValues, stof},
      {"stod", NaiveShape::kValues, stod},
  };
  return kFunctions;
}

const NaiveFunction* find_naive_function(std::string_view name) {
  for (const auto family :
       {naive_math_functions(), naive_list_functions(), naive_kinematic_functions(), naive_string_functions(),
        naive_vecops_functions(), naive_random_functions(), naive_event_functions()})
    for (const NaiveFunction& function : family)
      if (function.name == name) return &function;
  return nullptr;
}

}  // namespace skimline::testing
