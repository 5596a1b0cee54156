// SPDX-License-Identifier: BSD-3-Clause
// Prints the columns and the number of entries of an RNTuple.
#include "skimline/framework/error.h"
#include "skimline/framework/version.h"
#include "skimline/io/rntuple_source.h"

#include <iostream>

int main(int count, char** arguments) {
  if (count != 2) {
    std::cout << skimline::kVersion << '\n';
    return 0;
  }
  try {
    const skimline::io::RNTupleSource source({skimline::io::parse_location(arguments[1])});
    for (const skimline::ColumnInfo& column : source.schema().columns()) std::cout << column.name << '\n';
    std::cout << source.num_entries() << " entries\n";
  } catch (const skimline::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
