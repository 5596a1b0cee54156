// SPDX-License-Identifier: BSD-3-Clause
// Lists of files that ROOT writes as objects of class TChain.
#pragma once

#include "skimline/io/input_options.h"
#include "skimline/io/root_file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::io {

/// A file of a chain.
struct ChainedFile {
  InputLocation location;                    ///< as it was given to ROOT, with the name of the tree
  std::optional<std::uint64_t> num_entries;  ///< if the chain knows it
};

/// What a TChain holds.
struct FileChain {
  std::string name;  ///< of the object, with its directories
  std::string title;
  std::vector<ChainedFile> files;
  std::vector<std::string> others;  ///< what else it has, for people: "friends", "aliases"
};

/// Of bytes, a file with a chain that stands for its files: a chain of ten thousand files takes less. Larger
/// files, as those of events mostly are, need not be opened to look for one.
inline constexpr std::uint64_t kMaxChainFileBytes = std::uint64_t{1} << 20;

bool is_chain_class(std::string_view class_name);

/// Returns the paths of the chains of a file, in its order.
std::vector<std::string> chain_names(const RootFile& file);

/// Reads the newest chain called `path`. Opens none of its files. Throws FileError if it is not there, is of
/// another class or damaged. Thread-safe.
FileChain read_chain(const RootFile& file, std::string_view path);

}  // namespace skimline::io
