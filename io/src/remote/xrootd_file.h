// SPDX-License-Identifier: BSD-3-Clause
// A file that a server of XRootD offers.
#pragma once

#include "remote/open_request.h"

#include "skimline/io/remote_file.h"

#include <functional>
#include <string>

namespace skimline::io {

/// Opens a root:// URL by the plug-in. Throws as open_remote() does.
OpenedRemote open_xrootd_file(const OpenRequest& request);

/// A file in a state that is known; nothing is asked. Reading it is an error if it is in another one by now.
std::unique_ptr<const RemoteFile> resume_xrootd_file(const std::string& name, const RemoteState& state);

/// Calls `take` with what is in a folder. Throws FileError and Interrupted.
void for_each_in_xrootd_folder(const std::string& folder, StopFlag stop,
                               const std::function<void(const std::string& name, bool is_folder)>& take);

}  // namespace skimline::io
