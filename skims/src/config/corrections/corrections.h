// SPDX-License-Identifier: BSD-3-Clause
// Files of correctionlib, JSON of schema version 2, whose corrections become functions for expressions.
#pragma once

#include "skimline/framework/external_function.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace skimline::skims {

/// What a correction depends on: a kString, a kInt64 or a kDouble.
struct CorrectionInput {
  std::string name;
  ScalarType type = ScalarType::kDouble;
};

using CorrectionInputValue = std::variant<std::int64_t, double, std::string>;

/// The corrections of one file, compound ones too; a compound one gives way to a simple one of its name.
class CorrectionFile {
 public:
  virtual ~CorrectionFile() = default;

  /// Tells what is in the file from all else.
  virtual const std::string& digest() const = 0;
  virtual std::vector<std::string> names() const = 0;
  /// The inputs of the correction `name`, which must be one of names(), in their order.
  virtual std::vector<CorrectionInput> inputs(const std::string& name) const = 0;
  /// The correction as a function of those inputs that have no fixed value, which must be of their type.
  virtual ElementFunction function(const std::string& name,
                                   const std::map<std::string, CorrectionInputValue>& fixed) const = 0;
};

/// Reads a file, compressed by gzip or not. Throws FileError if it cannot be used, and ConfigError in a build
/// without correctionlib.
std::shared_ptr<const CorrectionFile> read_correction_file(const std::string& path);

}  // namespace skimline::skims
