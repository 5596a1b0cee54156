// SPDX-License-Identifier: BSD-3-Clause
// The main function of the programs that bench/fills compares:
//
//   PROGRAM KIND ROUNDS
//
// Fills all events once without looking at the clock, then ROUNDS times. Prints the seconds of the processor
// in each of these, and on a second line what the histogram holds then, summed over all cells: content,
// variance, content times number of the cell in ROOT's order, and for profiles weight times value.
#pragma once

#include "fill_events.h"

#include <ctime>
#include <exception>
#include <iostream>
#include <string>

namespace fills {

struct Sums {
  double content = 0, variance = 0, numbered = 0, value = 0;

  void add(std::size_t cell, double cell_content, double cell_variance, double cell_value = 0) {
    content += cell_content;
    variance += cell_variance;
    numbered += static_cast<double>(cell) * cell_content;
    value += cell_value;
  }
};

/// A histogram of one kind.
class Filled {
 public:
  virtual ~Filled() = default;
  /// Fills all events once.
  virtual void fill() = 0;
  virtual Sums sums() = 0;
};

inline void print_rounds(Filled& filled, int rounds) {
  events();
  filled.fill();
  for (int round = 0; round < rounds; ++round) {
    const std::clock_t start = std::clock();
    filled.fill();
    std::cout << static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC << ' ';
  }
  const Sums sums = filled.sums();
  std::cout.precision(17);
  std::cout << '\n'
            << sums.content << ' ' << sums.variance << ' ' << sums.numbered << ' ' << sums.value << '\n';
}

/// Runs the program with a function that makes the histogram of a kind; it returns nullptr if it has no such.
template <typename Make>
int run_program(int count, char** arguments, Make make) {
  try {
    const auto filled = count == 3 ? make(std::string(arguments[1])) : nullptr;
    if (!filled) {
      std::cerr << "usage: " << arguments[0] << " KIND ROUNDS\n";
      return 2;
    }
    print_rounds(*filled, std::stoi(arguments[2]));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << arguments[0] << ": " << error.what() << '\n';
    return 1;
  }
}

}  // namespace fills
