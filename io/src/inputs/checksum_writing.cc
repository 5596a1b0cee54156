// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/checksum_writing.h"

#include "root/checksum_file.h"

#include "skimline/framework/error.h"
#include "skimline/io/input_formats.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace skimline::io {
namespace {

// Who names them reads them. What is wrong with them is nothing that the newest ones have.
void add_older_cycles(const RootFile& file, std::vector<ByteExtent>& places) {
  for (const RootKey& key : file.keys()) {
    const InputFormat* format = format_of(key);
    if (format == nullptr || file.find(key.path) == &key) continue;
    try {
      std::vector<ByteExtent> own;
      format->add_unchecked(file, key.path + ";" + std::to_string(key.cycle), own);
      places.insert(places.end(), own.begin(), own.end());
    } catch (const FileError& error) {
      if (error.fault() != FileFault::kDamaged) throw;
    }
  }
}

}  // namespace

std::string checksum_path(const std::string& path, const std::string& folder) {
  return ChecksumFile::path_for(path, folder);
}

void check_checksum_folder(const std::string& folder) {
  if (std::error_code ignored; !folder.empty() && !std::filesystem::is_directory(folder, ignored))
    throw FileError(folder, "is no folder, and files of checksums are to be looked for in it");
}

std::size_t write_checksums(const RootFile& file, const std::string& folder, StopFlag stop) {
  std::vector<ByteExtent> places = file.structure();
  for (const InputFormat& format : input_formats())
    for (const std::string& name : format.names_in(file)) format.add_unchecked(file, name, places);
  add_older_cycles(file, places);
  return ChecksumFile::write(file, std::move(places), folder, stop);
}

}  // namespace skimline::io
