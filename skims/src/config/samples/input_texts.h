// SPDX-License-Identifier: BSD-3-Clause
// The config, and the texts that name inputs for it: lists of files and of samples, luminosity masks.
#pragma once

#include "config/json/located_json.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// Reads texts of which the locations are those of the config, so that messages can point into them.
class InputTexts {
 public:
  /// What is given must outlive the object; `folder` is that of the config.
  InputTexts(ConfigText& source, std::filesystem::path folder, Diagnostics& diagnostics)
      : source_(source), folder_(std::move(folder)), diagnostics_(diagnostics) {}

  const std::filesystem::path& folder() const { return folder_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  void add(Location location, std::string message) { diagnostics_.add(location, std::move(message)); }

  void warn(Location location, const std::string& message) {
    warnings_.push_back(marked_message(source_, location, "warning", message));
  }
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// A text and where it lies.
  struct Part {
    std::string text;
    Location location;
  };
  /// Reads a file. If that fails it adds an error at `place` and returns nothing.
  std::optional<Part> read(const std::string& path, Location place);
  /// Takes an argument of the command line and returns where it is.
  Location take_argument(const std::string& option, const std::string& argument);

  /// Parses JSON; nothing if it is none.
  std::optional<JsonValue> parse(const Part& part);

 private:
  ConfigText& source_;
  std::filesystem::path folder_;
  Diagnostics& diagnostics_;
  std::vector<std::string> warnings_;
};

}  // namespace skimline::skims
