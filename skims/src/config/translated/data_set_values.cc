// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/data_set_values.h"

#include "base/text_table.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace skimline::skims {
namespace {

// What holds from a place on, up to the next.
struct Step {
  std::string begin;  // of others than the first
  std::string value;
};

// Halves the steps with each comparison.
std::string chosen(const std::string& name, std::span<const Step> steps) {
  if (steps.size() == 1) return steps.front().value;
  const std::size_t half = steps.size() / 2;
  const std::string low = chosen(name, steps.first(half)), high = chosen(name, steps.subspan(half));
  return name + " < " + steps[half].begin + " ? " + (half > 1 ? "(" + low + ")" : low) + " : " +
         (steps.size() - half > 1 ? "(" + high + ")" : high);
}

void add_step(std::vector<Step>& steps, std::string begin, std::string value) {
  if (steps.empty() || steps.back().value != value) steps.push_back({std::move(begin), std::move(value)});
}

std::string literal(const std::string& text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') quoted += '\\';
    quoted += letter;
  }
  return quoted + "\"";
}

// With a point or an exponent, as whole numbers are integers.
std::string real(double value) {
  std::string text = exact_number(value);
  if (text.find_first_of(".en") == std::string::npos) text += '.';
  return text;
}

}  // namespace

std::string number_of_data_set(std::vector<std::pair<std::string, std::size_t>> files) {
  std::sort(files.begin(), files.end());
  std::vector<Step> steps;
  for (const auto& [path, number] : files) add_step(steps, literal(path), std::to_string(number));
  return chosen("file_", steps);
}

std::string value_by_number(const std::string& number, const std::vector<double>& values) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < values.size(); ++i) add_step(steps, std::to_string(i), real(values[i]));
  return chosen(number, steps);
}

}  // namespace skimline::skims
