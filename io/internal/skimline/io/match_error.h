// SPDX-License-Identifier: BSD-3-Clause
// The fault of a column by which entries of a friend shall be found, and which cannot be.
#pragma once

#include "skimline/framework/error.h"

#include <string>

namespace skimline::io {

/// A column by which entries of a friend shall be found: it is not there, or has no whole number per entry.
class MatchError : public SchemaError {
 public:
  MatchError(std::string friend_name, std::string column, const std::string& problem);
  const std::string& friend_name() const { return friend_name_; }
  const std::string& column() const { return column_; }

 private:
  std::string friend_name_, column_;
};

}  // namespace skimline::io
