// SPDX-License-Identifier: BSD-3-Clause
// Outputs on servers that know folders and names: sent under a hidden name, then given their own.
#pragma once

#include "remote/http_transfer.h"
#include "remote/remote_output.h"

#include "skimline/io/remote_file.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace skimline::io {

/// A checksum as a server tells it.
struct ServerChecksum {
  std::string kind;  ///< "adler32"
  std::string text;  ///< in small hexadecimal letters; zeros in front may be left out
};

/// Of both ends, where a server tells no checksum.
inline constexpr std::uint64_t kComparedBytes = 64 * 1024;

/// What one can do with files of a server, which are named by URLs. All throw FileError.
class NamedFiles {
 public:
  virtual ~NamedFiles() = default;

  /// Sends a local file, replacing what has the name.
  virtual void send(const std::string& path, const std::string& name, StopFlag stop) = 0;
  /// Opens a file and reads its ends.
  virtual OpenedRemote open(const std::string& name, StopFlag stop) = 0;
  /// Nothing if the server tells none.
  virtual std::optional<ServerChecksum> checksum(const std::string& name, StopFlag stop) = 0;
  /// Nothing if there is no such file.
  virtual std::optional<std::uint64_t> size(const std::string& name) = 0;
  virtual void rename(const std::string& from, const std::string& to) = 0;
  /// Whether rename() replaces what has the name, with no moment in between.
  virtual bool replaces_by_renaming() const = 0;
  virtual void remove(const std::string& name, Patience patience) = 0;
};

std::unique_ptr<RemoteOutput> renamed_output(const std::string& name, std::unique_ptr<NamedFiles> files);

}  // namespace skimline::io
