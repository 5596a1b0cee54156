// SPDX-License-Identifier: BSD-3-Clause
// What names are made of.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace skimline::skims {

inline constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
inline constexpr std::string_view kDigits = "0123456789";

inline bool consists_of(std::string_view text, std::initializer_list<std::string_view> alphabets) {
  return std::all_of(text.begin(), text.end(), [&](char letter) {
    return std::any_of(alphabets.begin(), alphabets.end(), [&](std::string_view alphabet) {
      return alphabet.find(letter) != std::string_view::npos;
    });
  });
}

inline bool begins_with_letter(std::string_view name) {
  return !name.empty() && kLetters.find(name.front()) != std::string_view::npos;
}

}  // namespace skimline::skims
