// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/library_versions.h"

#include <libdeflate.h>
#include <lz4.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

namespace skimline::io {

std::vector<std::string> compression_libraries() {
  return {std::string("libdeflate ") + LIBDEFLATE_VERSION_STRING, std::string("lz4 ") + LZ4_versionString(),
          std::string("lzma ") + lzma_version_string(), std::string("zlib ") + zlibVersion(),
          std::string("zstd ") + ZSTD_versionString()};
}

}  // namespace skimline::io
