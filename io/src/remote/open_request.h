// SPDX-License-Identifier: BSD-3-Clause
// What is asked of a scheme to open a file.
#pragma once

#include "remote/http_transfer.h"

#include "skimline/framework/stop_flag.h"

#include <cstdint>
#include <string>

namespace skimline::io {

struct OpenRequest {
  const std::string& name;  ///< one URL
  std::uint64_t end_bytes = 0;
  StopFlag stop{};
  Patience patience{};
};

}  // namespace skimline::io
