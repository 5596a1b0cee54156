// SPDX-License-Identifier: BSD-3-Clause
// Encodes the numbers on standard input into one page on standard output, or decodes it:
// io_page_codec encode|decode <column type> <bits> <minimum> <maximum> float|double
#include "skimline/io/page_encoding.h"

#include <cstdlib>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

using namespace skimline;

int main(int num_arguments, char** arguments) {
  if (num_arguments != 7) return 2;
  const bool is_encoding = arguments[1] == std::string("encode");
  const io::PageEncoding encoding{static_cast<io::ColumnType>(std::atoi(arguments[2])),
                                  static_cast<std::uint16_t>(std::atoi(arguments[3])),
                                  std::strtod(arguments[4], nullptr), std::strtod(arguments[5], nullptr)};
  const ScalarType scalar = arguments[6] == std::string("float") ? ScalarType::kFloat : ScalarType::kDouble;
  const std::string input(std::istreambuf_iterator<char>(std::cin), {});
  const std::size_t num_elements =
      is_encoding ? input.size() / size_of(scalar) : 8 * input.size() / encoding.bits;
  std::vector<std::byte> output(is_encoding ? encoded_size(encoding, num_elements)
                                            : num_elements * size_of(scalar));
  if (is_encoding)
    encode_page(encoding, scalar, input.data(), num_elements, output.data());
  else
    decode_page(encoding, std::as_bytes(std::span(input)), num_elements, scalar, output.data());
  std::cout.write(reinterpret_cast<const char*>(output.data()), static_cast<std::streamsize>(output.size()));
}
