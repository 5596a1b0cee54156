// SPDX-License-Identifier: BSD-3-Clause
// Axes as the programs of the tests take them from their arguments, numbers in any form that std::stod takes:
//
//   regular <bins> <low> <high>, variable <edge> <edge> ..., integer <first> <last>,
//   categories <integer> <integer> ..., circular <bins> <low> <high>
#pragma once

#include "skimline/histograms/axis.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace skimline::histograms::testing {

inline Axis axis_from(const std::vector<std::string>& words) {
  const std::string& kind = words.at(0);
  if (kind == "integer") return Axis::integer(std::stoi(words.at(1)), std::stoi(words.at(2)));
  if (kind == "regular" || kind == "circular")
    return Axis::regular(std::stoi(words.at(1)), std::stod(words.at(2)), std::stod(words.at(3)),
                         {.circular = kind == "circular"});
  if (kind == "categories") {
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 1; i < words.size(); ++i) numbers.push_back(std::stoll(words[i]));
    return Axis::categories(numbers);
  }
  if (kind != "variable") throw std::runtime_error("no axis is called " + kind);
  std::vector<double> edges;
  for (std::size_t i = 1; i < words.size(); ++i) edges.push_back(std::stod(words[i]));
  return Axis::variable(edges);
}

}  // namespace skimline::histograms::testing
