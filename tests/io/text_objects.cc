// SPDX-License-Identifier: BSD-3-Clause
// Writes the bytes of each further argument, named files, as texts "dir/0", "dir/1" and so on to a ROOT file
// (write OUTPUT COMPRESSION FILES...), or prints the text of an object (read FILE NAME).
#include "skimline/io/text_object.h"

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

using namespace skimline;

namespace {

std::string content_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int num_arguments, char** arguments) {
  if (num_arguments < 4) return 2;
  if (std::string(arguments[1]) == "read") {
    const io::RootFile file(arguments[2]);
    const io::RootKey* key = file.find(arguments[3]);
    if (key == nullptr) return 1;
    std::cout << io::read_text_object(file, *key);
    return 0;
  }
  io::RootFileWriter file(arguments[2], {io::kTextClass});
  for (int i = 4; i < num_arguments; ++i)
    file.add_object(io::text_object("dir/" + std::to_string(i - 4), content_of(arguments[i]),
                                    io::parse_compression(arguments[3])));
  file.commit();
}
