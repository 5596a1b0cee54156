// SPDX-License-Identifier: BSD-3-Clause
// Prints the UUIDs of ROOT files, one line each.
#include "skimline/framework/error.h"
#include "skimline/io/root_file.h"

#include <iostream>

int main(int argc, char** argv) {
  try {
    for (int i = 1; i < argc; ++i) std::cout << skimline::io::RootFile(argv[i]).uuid() << "\n";
  } catch (const skimline::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
