// SPDX-License-Identifier: BSD-3-Clause
// Prints the fields and the number of entries of an RNTuple.
#include "skimline/framework/error.h"
#include "skimline/framework/version.h"
#include "skimline/skims/inspection.h"

#include <iostream>

int main(int count, char** arguments) {
  if (count != 2) {
    std::cout << skimline::kVersion << '\n';
    return 0;
  }
  try {
    const skimline::skims::FileInspection file = skimline::skims::inspect_file(arguments[1]);
    for (const auto& ntuple : file.ntuples) {
      for (const auto& field : ntuple.fields) std::cout << field.name << '\n';
      std::cout << ntuple.num_entries << " entries\n";
    }
  } catch (const skimline::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
