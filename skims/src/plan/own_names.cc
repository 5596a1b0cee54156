// SPDX-License-Identifier: BSD-3-Clause
#include "plan/own_names.h"

#include <algorithm>
#include <cctype>

namespace skimline::skims {
namespace {

// That of a mask in a variation has a number behind it.
std::size_t end_of_name(const std::string& text, std::size_t begin) {
  const auto is_of_name = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  };
  const auto from = text.begin() + static_cast<std::ptrdiff_t>(begin);
  return static_cast<std::size_t>(std::find_if_not(from, text.end(), is_of_name) - text.begin());
}

}  // namespace

std::string own_name(std::size_t skim, const std::string& what) {
  return "skim_" + std::to_string(skim) + "_" + what + "_";
}

std::string name_of_mask(const std::string& collection) { return "mask_" + collection; }

std::string with_masks(std::string text, const Config& config) {
  for (std::size_t skim = 0; skim < config.skims.size(); ++skim)
    for (const ThinConfig& thin : config.skims[skim].thin) {
      const std::string name = own_name(skim, name_of_mask(thin.collection.value));
      const std::string& mask = thin.where.value;
      for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
        const std::size_t end = end_of_name(text, at + name.size());
        text.replace(at, end - at, mask);
        at += mask.size();
      }
    }
  return text;
}

}  // namespace skimline::skims
