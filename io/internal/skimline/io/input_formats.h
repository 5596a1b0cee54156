// SPDX-License-Identifier: BSD-3-Clause
// The formats that events are read from: one table for all code that treats them alike.
#pragma once

#include "skimline/framework/stop_flag.h"
#include "skimline/io/input_options.h"
#include "skimline/io/input_source.h"
#include "skimline/io/root_file.h"
#include "skimline/io/verification.h"

#include <any>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::io {

struct ChainParts;

/// One format: which objects of ROOT files have it, and what is done with them.
struct InputFormat {
  DataFormat format;
  /// Whether objects of this class are events in this format.
  bool (*is_class)(std::string_view class_name);
  /// The paths of those of a file, in its order.
  std::vector<std::string> (*names_in)(const RootFile& file);
  /// Reads what `open` takes from the opened files; null if it takes nothing.
  std::any (*metadata)(const RootFile& file, const std::string& name);
  /// Opens inputs that all have this format; nullptr if only a chain can be made of them.
  std::unique_ptr<InputSource> (*open)(const std::vector<InputLocation>& locations,
                                       const InputOptions& options);
  /// Reads the metadata of one input, to be a part of a chain; what is returned makes it a source. The former
  /// may be called by several threads at once, the latter is called for one part after the other.
  std::function<std::unique_ptr<InputSource>(ChainParts& parts)> (*read_part)(const InputLocation& location,
                                                                              const InputOptions& options,
                                                                              ChainParts& parts);
  /// Verifies one object, in the threads of the caller's arena.
  EventsVerification (*verify)(const RootFile& file, const std::string& name, StopFlag stop,
                               const std::string& checksum_folder);
  /// What it verifies, "page" or "basket", and whether these have checksums of their own.
  const char* part;
  bool has_checksums;
  /// Adds the bytes of one object that have no checksums.
  void (*add_unchecked)(const RootFile& file, const std::string& name, std::vector<ByteExtent>& places);
};

/// All formats. Files that have events in none of them are left to the first, which says what is wrong.
std::span<const InputFormat> input_formats();

/// The row of a format.
const InputFormat& input_format(DataFormat format);

/// The format of the object behind a key; nullptr if that is something else.
const InputFormat* format_of(const RootKey& key);

/// "RNTuple or TTree", for messages; with `plural` "RNTuples or TTrees".
std::string names_of_input_formats(bool plural = false);

}  // namespace skimline::io
