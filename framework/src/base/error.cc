// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/error.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>

namespace skimline {
namespace {

// The same of letters that are easily taken for each other: small and capital ones, and what parts a name.
char alike(char letter) {
  return letter == '.' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

bool are_alike(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return alike(x) == alike(y); });
}

constexpr std::size_t kStep = 2;

// How often letters occur, those that are alike together.
using LetterCounts = std::array<int, 256>;

LetterCounts count_letters(std::string_view text) {
  LetterCounts counts{};
  for (const char letter : text) ++counts[static_cast<unsigned char>(alike(letter))];
  return counts;
}

// No fewer changes than these letters need in any order: a quick look at what is too far away.
std::size_t least_distance(LetterCounts counts, std::string_view other) {
  int missing = 0;
  for (const char letter : other)
    if (--counts[static_cast<unsigned char>(alike(letter))] < 0) ++missing;
  return kStep * static_cast<std::size_t>(missing);
}

// Optimal string alignment distance; a change to a letter that is alike costs half of another change. In half
// steps.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> before(width), above(width), row(width);
  for (std::size_t j = 0; j < width; ++j) above[j] = kStep * j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = kStep * i;
    for (std::size_t j = 1; j < width; ++j) {
      const bool same_letter = alike(a[i - 1]) == alike(b[j - 1]);
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : same_letter ? kStep / 2 : kStep;
      row[j] = std::min({above[j] + kStep, row[j - 1] + kStep, above[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + kStep);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

}  // namespace

FileError::FileError(std::string path, std::string_view problem, FileFault fault)
    : Error(path + ": " + std::string(problem)), path_(std::move(path)), fault_(fault) {}

ExpressionError::ExpressionError(std::string_view text, std::size_t offset, std::size_t length,
                                 std::string_view problem)
    : Error(std::string(problem) + " in \"" + std::string(text) + "\" at character " +
            std::to_string(offset + 1)),
      text_(text),
      offset_(offset),
      length_(length),
      problem_(problem) {}

EvaluationError::EvaluationError(std::uint64_t entry, std::string_view expression, std::string_view problem)
    : Error(std::string(problem) + " in \"" + std::string(expression) + "\" at entry " +
            std::to_string(entry)),
      entry_(entry),
      expression_(expression) {}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  std::string nearest;
  // More than a third of the letters changed is another word, not a slip.
  std::size_t best = 2 * std::max<std::size_t>(1, name.size() / 3) + 1;
  const LetterCounts letters = count_letters(name);
  for (const std::string& candidate : candidates) {
    const std::size_t longer = std::max(name.size(), candidate.size()),
                      shorter = std::min(name.size(), candidate.size());
    const bool is_alike = are_alike(name, candidate);
    if (!is_alike && (kStep * (longer - shorter) >= best || least_distance(letters, candidate) >= best))
      continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best || (is_alike && nearest.empty())) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(name, candidates);
  return nearest.empty() ? nearest : " (did you mean \"" + nearest + "\"?)";
}

}  // namespace skimline
