// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/match_error.h"

#include <utility>

namespace skimline::io {

MatchError::MatchError(std::string friend_name, std::string column, const std::string& problem)
    : SchemaError(problem), friend_name_(std::move(friend_name)), column_(std::move(column)) {}

}  // namespace skimline::io
