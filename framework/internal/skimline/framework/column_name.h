// SPDX-License-Identifier: BSD-3-Clause
// How names of columns are written in expressions and patterns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// Returns a name as expressions take it: "Muon_pt" and "Muon.pt" as they are, others in back-quotes, in
/// which a back-quote of the name stands twice. An empty name, which no column can have, gives "``".
std::string in_expression(std::string_view name);

/// Returns the name that a text stands for if all of it is a name in back-quotes, which may hold any
/// characters.
std::optional<std::string> quoted_name(std::string_view text);

/// As did_you_mean(), with the name as expressions take it.
std::string did_you_mean_column(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace skimline
