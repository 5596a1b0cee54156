// SPDX-License-Identifier: BSD-3-Clause
// What is asked of a scheme to open a file.
#pragma once

#include "remote/http_transfer.h"

#include "skimline/framework/stop_flag.h"

#include <cstdint>
#include <string>

namespace skimline::io {

/// Tells a file, in one state, from all others of its name.
struct RemoteState {
  std::uint64_t size = 0;
  std::string version;  ///< as RemoteFile has it

  friend bool operator==(const RemoteState&, const RemoteState&) = default;
};

struct OpenRequest {
  const std::string& name;  ///< one URL
  std::uint64_t end_bytes = 0;
  StopFlag stop{};
  Patience patience{};
};

}  // namespace skimline::io
