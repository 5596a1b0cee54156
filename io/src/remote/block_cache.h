// SPDX-License-Identifier: BSD-3-Clause
// Blocks of remote files on a local disk.
#pragma once

#include "remote/open_request.h"

#include "skimline/io/read_stop.h"
#include "skimline/io/remote_file.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace skimline::io {

/// A folder that keeps what is read of remote files: all of it in one that is named, else only metadata.
/// Blocks belong to a name, an ETag or time, and a size, and have checksums: what is damaged, or of an
/// earlier state, is read again. Many processes of one user may use the folder, and end at any time; what was
/// not used for longest is removed once it takes more than there is room for. Files of others, and links, are
/// no part of it. A folder that cannot be written only makes nothing faster.
class BlockCache {
 public:
  /// SKIMLINE_CACHE counts more than the folder of `use`. Without any, metadata are kept in the folder
  /// `skimline` of XDG_CACHE_HOME, else of ~/.cache, unless `use` says that they are not.
  explicit BlockCache(const CacheUse& use);

  using Resume = std::unique_ptr<const RemoteFile> (*)(const std::string& name, const RemoteState& state);
  /// The file of a place as it was when it was opened last, with its ends, if they are here and its server
  /// says that it is in that state still. Within SKIMLINE_CACHE_TRUST seconds after that was asked, the
  /// server is not.
  std::optional<OpenedRemote> resume(const OpenRequest& request, const std::string& place,
                                     Resume resumed) const;

  /// Keeps the ends of the file of a place, and from now on what is read of it.
  void keep(OpenedRemote& opened, const std::string& place) const;

  /// Where it keeps them; empty for nowhere.
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;  // empty for none
  bool keeps_data_ = false;
};

}  // namespace skimline::io
