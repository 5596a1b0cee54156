// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/text_replacing.h"

namespace skimline::skims {

std::string with_replaced(const std::string& text, const std::string& old, const std::string& by,
                          std::size_t most_bytes) {
  std::string made;
  std::size_t begin = 0;
  for (std::size_t at = text.find(old); at != std::string::npos && made.size() <= most_bytes;
       at = text.find(old, begin)) {
    made.append(text, begin, at - begin).append(by);
    begin = at + old.size();
  }
  return made.append(text, begin);
}

}  // namespace skimline::skims
