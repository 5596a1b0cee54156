// SPDX-License-Identifier: BSD-3-Clause
// The schemes of URLs that are understood: a row for each.
#pragma once

#include "remote/folder_listing.h"
#include "remote/open_request.h"
#include "remote/remote_output.h"

#include "skimline/io/remote_file.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::io {

/// One scheme.
struct RemoteScheme {
  std::string_view name;
  OpenedRemote (*open)(const OpenRequest& request);
  std::unique_ptr<const RemoteFile> (*resume)(const std::string& name, const RemoteState& state);
  std::vector<FolderEntry> (*list)(const std::string& folder, StopFlag stop);
  std::unique_ptr<RemoteOutput> (*write)(const std::string& name);
  std::optional<std::uint64_t> (*size)(const std::string& name);  ///< nothing if there is no such file
  bool encodes_names;                                             ///< whether a path has %20 for a blank
  std::string_view no_letters;  ///< what a name in a URL cannot have, as it means something else there
  std::string (*place)(const std::string& name) = nullptr;  ///< where a name leads to if not it alone says so
};

std::span<const RemoteScheme> remote_schemes();

/// "http://, https://" and so on, for messages.
std::string known_schemes();

/// The scheme of a URL. Throws FileError with the nearest name if it is unknown.
const RemoteScheme& scheme_of(const std::string& name);

}  // namespace skimline::io
