// SPDX-License-Identifier: BSD-3-Clause
#include "base/resolved_path.h"

#include "skimline/io/url.h"

namespace skimline::skims {

std::filesystem::path resolved(const std::filesystem::path& folder, const std::string& path) {
  if (io::is_url(path)) return path;
  return (folder / path).lexically_normal();
}

}  // namespace skimline::skims
