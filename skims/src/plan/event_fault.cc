// SPDX-License-Identifier: BSD-3-Clause
#include "plan/event_fault.h"

#include "config/read/used_names.h"
#include "plan/own_names.h"

#include "skimline/framework/evaluation_purpose.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>

namespace skimline::skims {
namespace {

bool is_blank(char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; }
bool is_in_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '.';
}

// The length of `part` at the begin of `text`, blanks in both left out; 0 if it is not there.
std::size_t length_at(std::string_view text, std::string_view part) {
  std::size_t at = 0;
  for (const char letter : part) {
    if (is_blank(letter)) continue;
    while (at < text.size() && is_blank(text[at])) ++at;
    if (at == text.size() || text[at++] != letter) return 0;
  }
  return at;
}

// Names are found as a whole only.
std::optional<ExpressionPlace> find_in(const Text& text, std::string_view part) {
  const std::string_view value = text.value;
  if (part.empty()) return std::nullopt;
  for (std::size_t at = 0; at < value.size(); ++at) {
    const std::size_t length = is_blank(value[at]) ? 0 : length_at(value.substr(at), part);
    if (length == 0) continue;
    const std::size_t end = at + length;
    const bool continues_before = at > 0 && is_in_name(value[at - 1]) && is_in_name(part.front());
    const bool continues_behind = end < value.size() && is_in_name(value[end]) && is_in_name(part.back());
    if (!continues_before && !continues_behind) return ExpressionPlace{&text, at, length};
  }
  return std::nullopt;
}

std::optional<ExpressionPlace> find_in(const std::vector<const Text*>& texts, std::string_view part) {
  // What is that expression and nothing else comes first.
  for (const Text* text : texts)
    if (length_at(text->value, part) == text->value.size())
      return ExpressionPlace{text, 0, text->value.size()};
  for (const Text* text : texts)
    if (const auto found = find_in(*text, part)) return found;
  return std::nullopt;
}

// What a user needs beside its own expressions.
std::vector<const Text*> needed_texts(const Config& config, const Sample& sample, const PlanUser& user) {
  std::vector<std::string> expressions;
  for (const Text* text : user.expressions) expressions.push_back(text->value);
  std::vector<const Text*> texts;
  const auto replace = [&](const std::vector<Definition>& replacements) {
    for (const Definition& each : replacements) {
      texts.push_back(&each.expression);
      expressions.push_back(each.expression.value);
    }
  };
  if (user.variation) {
    replace(user.variation->columns);
    replace(user.variation->weights);
  }
  const std::set<std::string> needed = names_needed(config, sample, expressions);
  const auto add = [&](const std::vector<Definition>& common, const std::vector<Definition>& own) {
    for (const Definition& each : common)
      if (needed.contains(each.name.value)) texts.push_back(&own_expression(each, own));
  };
  add(config.redefine, {});
  add(config.define, sample.define);
  add(config.weights, sample.weights);
  for (const FunctionConfig& function : config.functions)
    if (needed.contains(name_of(function))) texts.push_back(&function.body);
  return texts;
}

std::string number_at(Source& source, SliceReader& reader, const char* name, std::uint64_t entry) {
  const std::optional<std::size_t> column = source.schema().find(name);
  if (!column) return {};
  const Type type = source.schema()[*column].type;
  if (type.is_jagged() || !is_number(type.scalar) || !is_integer(type.scalar)) return {};
  reader.load(std::array{*column});
  ColumnBuffer scratch;
  const ColumnView view = reader.view(*column, {entry, 1}, scratch);
  return visit_scalar(type.scalar, [&](auto tag) -> std::string {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) return std::to_string(*view.data<T>());
    return {};
  });
}

// What physicists know an event by. Nothing if it cannot be read, since another fault is to be told.
std::string event_numbers(Source& source, std::uint64_t entry) {
  constexpr std::array<std::pair<const char*, const char*>, 3> kNumbers{
      {{"run", "run"}, {"luminosityBlock", "luminosity block"}, {"event", "event"}}};
  std::string text;
  try {
    const std::vector<EntryRange>& slices = source.slices();
    const auto slice = std::find_if(slices.begin(), slices.end(),
                                    [&](const EntryRange& each) { return entry < each.end(); });
    if (slice == slices.end()) return {};
    const auto reader = source.open_slice(static_cast<std::size_t>(slice - slices.begin()));
    for (const auto& [column, name] : kNumbers) {
      const std::string number = number_at(source, *reader, column, entry - slice->first);
      if (!number.empty()) text += (text.empty() ? "" : ", ") + std::string(name) + " " + number;
    }
  } catch (const Error&) {
    return {};
  }
  return text;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// Where the bracket begins that ends an expression.
std::size_t last_bracket(const std::string& expression) {
  int depth = 0;
  for (std::size_t i = expression.size(); i-- > 0;) {
    const char each = expression[i];
    if (each == ')' || each == ']' || each == '}') ++depth;
    if ((each == '(' || each == '[' || each == '{') && --depth == 0) return i;
    if (depth == 0) break;
  }
  return std::string::npos;
}

// What stands in front of the first comma that is in no bracket.
std::string first_of(const std::string& arguments) {
  int depth = 0;
  const auto ends = [&](char each) {
    depth += each == '(' || each == '[' || each == '{';
    depth -= each == ')' || each == ']' || each == '}';
    return each == ',' && depth == 0;
  };
  return {arguments.begin(), std::find_if(arguments.begin(), arguments.end(), ends)};
}

// "Muon_pt" of "Muon_pt[1]", "Muon_pt.at(1)" and "Max(Muon_pt)"; a placeholder where it is not that simple.
std::string list_in(const std::string& expression) {
  constexpr std::size_t kLongest = 60;
  const std::size_t open = last_bracket(expression);
  if (open == std::string::npos || expression.find_first_of("\"'") != std::string::npos) return "list";
  const std::string head = expression.substr(0, open);
  const std::size_t dot = head.rfind('.');
  const bool is_member = dot != std::string::npos && head.find_first_of(")]", dot) == std::string::npos;
  std::string list = head;
  if (expression[open] == '(')
    list =
        is_member ? head.substr(0, dot) : first_of(expression.substr(open + 1, expression.size() - open - 2));
  return list.empty() || list.size() > kLongest ? "list" : list;
}

// Whether the elements are those at the indexes of a list.
bool is_taken(const std::string& expression) {
  const std::size_t open = last_bracket(expression);
  return open != std::string::npos && expression[open] == '(' &&
         std::string_view(expression).substr(0, open).ends_with("Take");
}

// "1" of "index 1 is out of range".
std::string index_in(const std::string& problem) {
  const std::size_t begin = problem.find("index ");
  if (begin == std::string::npos) return "0";
  const std::size_t digits = begin + 6;
  const std::string number = problem.substr(digits, problem.find(' ', digits) - digits);
  return number.starts_with('-') ? "0" : number;
}

}  // namespace

std::optional<ExpressionPlace> find_expression(const Config& config, const Sample& sample,
                                               const PlanUser& user, const std::string& expression) {
  if (const auto found = find_in(user.expressions, expression)) return found;
  if (const auto found = find_in(needed_texts(config, sample, user), expression)) return found;
  if (user.expressions.empty()) return std::nullopt;
  const Text* whole = user.expressions.front();
  return ExpressionPlace{whole, 0, whole->value.size()};
}

std::string event_text(const PlannedSample& planned, std::uint64_t entry) {
  const std::string numbers = event_numbers(*planned.source, entry);
  return planned.place_of(entry) + (numbers.empty() ? "" : ": " + numbers);
}

std::string problem_text(const EvaluationError& error) {
  const std::string text = error.what();
  return text.substr(0, text.rfind(" at entry "));
}

std::string hint_text(const EvaluationError& error, const PlanUser& user) {
  const std::string problem = problem_text(error);
  const auto before = [](const std::string& condition) {
    return "make sure of it in an earlier cut, or in front of it: \"" + condition + " && ...\"";
  };
  const bool is_of_range = contains(problem, "is out of range of a list");
  if (is_of_range && is_taken(error.expression()))
    return "with a third argument, Take(list, indexes, value) has that value for what is not there";
  if (is_of_range) return before("size(" + list_in(error.expression()) + ") > " + index_in(problem));
  if (contains(problem, "of an empty list")) return before("size(" + list_in(error.expression()) + ") > 0");
  if (contains(problem, "are taken of a list"))
    return "with a third argument, Take(list, n, value) fills up what is missing";
  if (contains(problem, "lists of different sizes"))
    return "lists that go together are of one collection, chosen by the same condition";
  if (contains(problem, "integer division by zero")) return before("divisor != 0");
  if (!user.is_histogram) return {};
  if (contains(problem, "that is not finite, or too large"))
    return "\"bad_weight\": \"skip\" leaves such fills out, and says how many";
  if (contains(problem, "a value that is not a number"))
    return "\"nan\": \"overflow\" counts them in the overflow cell, and says how many";
  return {};
}

PlanUser user_of(const EvaluationError& error, const PlannedSample& planned) {
  const auto* fault = dynamic_cast<const PlannedEvaluationError*>(&error);
  return fault ? planned.job.user_of(fault->purpose(), error.expression()) : PlanUser();
}

EventError event_error(const PlannedSample& planned, const EvaluationError& error) {
  const Config& config = planned.config;
  const PlanUser user = user_of(error, planned);
  std::string message = with_masks(problem_text(error), config);
  if (!user.what.empty()) message += ", for " + user.what;
  if (user.variation) message += " in the variation \"" + user.variation->name.value + "\"";
  message += " (" + event_text(planned, error.entry()) + ")";
  const auto place = find_expression(config, planned.sample, user, error.expression());
  std::string text =
      place ? marked_message(*config.source,
                             inside_string(*config.source, *place->text, place->offset, place->length),
                             "error", message)
            : config.source->path + ": error: " + message;
  std::string hint = hint_text(error, user);
  if (user.cut_left_out)
    hint = "\"n_minus_1\" takes every cut without each other one: it needs cuts that hold by themselves";
  if (!hint.empty()) text += (text.ends_with('\n') ? "" : "\n") + ("note: " + hint);
  return {error, text};
}

}  // namespace skimline::skims
