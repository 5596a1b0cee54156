// SPDX-License-Identifier: BSD-3-Clause
#include "remote/open_output.h"

#include "remote/remote_schemes.h"

#include "skimline/io/open_remote.h"

namespace skimline::io {

std::unique_ptr<RemoteOutput> open_output(const std::string& name) {
  check_output_url(name);
  return scheme_of(name).write(name);
}

}  // namespace skimline::io
