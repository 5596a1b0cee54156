// SPDX-License-Identifier: BSD-3-Clause
// What is in folders of other machines.
#pragma once

#include "skimline/framework/stop_flag.h"

#include <string>
#include <vector>

namespace skimline::io {

/// A file or folder in a folder.
struct FolderEntry {
  std::string name;
  bool is_folder = false;
};

/// What is in the folder that a URL with a slash at its end names, by WebDAV. Throws FileError.
std::vector<FolderEntry> list_over_http(const std::string& folder, StopFlag stop);

/// The same of objects, whose keys have slashes, by ListObjectsV2.
std::vector<FolderEntry> list_over_s3(const std::string& folder, StopFlag stop);

/// The same by the plug-in for XRootD.
std::vector<FolderEntry> list_over_xrootd(const std::string& folder, StopFlag stop);

}  // namespace skimline::io
