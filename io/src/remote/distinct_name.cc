// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/distinct_name.h"

#include "skimline/io/text_digest.h"
#include "skimline/io/url_secrets.h"

namespace skimline::io {

std::string distinct_name(const std::string& name, std::span<const FileBytes> ends) {
  if (!has_secrets(name)) return name;
  std::string distinct = name;
  for (const FileBytes& end : ends)
    distinct += "\n" + text_digest({reinterpret_cast<const char*>(end.bytes.data()), end.bytes.size()});
  return distinct;
}

}  // namespace skimline::io
