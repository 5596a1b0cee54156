// SPDX-License-Identifier: BSD-3-Clause
// Under which names results are kept.
#pragma once

#include "parts/part_division.h"

#include "skimline/framework/value_content.h"
#include "skimline/io/input_source.h"
#include "skimline/skims/config.h"

#include <optional>
#include <string>

namespace skimline::skims {

/// The keys of the results of one part of a sample: what is computed, from which entries of which file, by
/// which version of the program. Neither names nor the order of a config are in them, nor places of files.
class PartKeys {
 public:
  /// Looks at the file, as a changed one has other results. Throws FileError.
  PartKeys(const Config& config, const Sample& sample, const io::InputSource& source, const Part& part);

  /// Of the part itself.
  const std::string& part() const { return part_; }
  /// Of the part, and of all else that its results may depend on.
  std::string whole() const;
  /// Nothing if not all is known that a result depends on.
  std::optional<std::string> of(const ValueContent& content) const;

 private:
  std::string part_;
  std::string first_entry_, file_;  // of what depends on them
};

}  // namespace skimline::skims
