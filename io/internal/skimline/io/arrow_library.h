// SPDX-License-Identifier: BSD-3-Clause
// Files of Arrow's formats, Parquet and Arrow IPC, which another library reads and writes: the Python package
// sets it. Such a file is read as the ROOT file that is made of it, and made of a ROOT file.
#pragma once

#include "skimline/framework/error.h"
#include "skimline/framework/stop_flag.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace skimline::io {

class OutputFile;
struct OpenedRemote;

/// A file that an RNTuple is made of.
struct ArrowInput {
  std::string path;    ///< of a local file
  std::string format;  ///< "parquet" or "arrow"
  /// Of a file of another machine: tells it, as it is now, from all others, and what copies its bytes into a
  /// local file. Empty of a local one.
  std::string state = {};
  std::function<void(const std::string& to)> copy = {};
};

/// What a file of Arrow is made of.
struct ArrowOutput {
  std::string from;         ///< a ROOT file; its record, if it has one, goes into the metadata
  std::string ntuple;       ///< of it
  std::string to;           ///< where the bytes go
  std::string format;       ///< "parquet" or "arrow"
  std::string compression;  ///< as io::compression_name() has it, or "auto"
};

/// What a library has to do. Functions are called by any thread, one at a time, and throw Error.
struct ArrowLibrary {
  /// Why it cannot be used, or nothing.
  std::function<std::string()> problem;
  /// Returns the path of a ROOT file whose only RNTuple has what a file holds; it stays as it is while this
  /// process runs. Throws Interrupted soon after `stop` is set.
  std::function<std::string(const ArrowInput& input, StopFlag stop)> ntuple_of;
  /// Writes an RNTuple, one row group or record batch for each of its clusters. Throws Interrupted likewise.
  std::function<void(const ArrowOutput& output, StopFlag stop)> write;
};

/// To be called once, before any file is opened.
void set_arrow_library(ArrowLibrary library);

/// What files of a format, "parquet" or "arrow", may end with; the usual one comes first.
struct ArrowEnding {
  std::string_view ending, format;
};
std::span<const ArrowEnding> arrow_endings();

/// The format that a file is taken for by the end of its name, of a URL in front of its query; nothing for
/// any but one of Arrow.
std::string_view arrow_format_of(std::string_view path);

/// Throws ConfigError for the name of a ROOT file that would be taken for one of Arrow.
void check_root_file_name(const std::string& path);

/// Why files of Arrow cannot be read and written, and what to do; or nothing.
std::string problem_with_arrow();

/// Where the bytes of a local file are that Skimline reads: for a file of Arrow the ROOT file that was made
/// of it, else the path itself. Throws FileError.
std::string read_path_of(const std::string& path, StopFlag stop);

/// The same of a file of another machine that ends with one of the endings of Arrow, which is copied if need
/// be. `name` has no secrets.
std::string read_path_of(const std::string& name, const OpenedRemote& opened, StopFlag stop);

/// What to add to a fault of a file that is damaged: that the ROOT file made of it may be, and not the file
/// itself. Nothing for any file that is read as it is.
std::string hint_at_copy(const FileError& fault);

/// Returns a complete file, to be published, of what `output` says but for where it goes. Throws FileError
/// naming `path`, and Interrupted.
std::unique_ptr<OutputFile> write_arrow(ArrowOutput output, const std::string& path, StopFlag stop);

}  // namespace skimline::io
