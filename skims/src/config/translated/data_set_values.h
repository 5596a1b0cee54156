// SPDX-License-Identifier: BSD-3-Clause
// Values that differ from data set to data set of one sample, as expressions.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace skimline::skims {

/// An expression for the number of the data set that the file of an event belongs to: `file_` is compared
/// with the first of those files that, in the order of their names, belong to the same set. `files` have the
/// numbers of their sets.
std::string number_of_data_set(std::vector<std::pair<std::string, std::size_t>> files);

/// An expression for a value by the number of the data set, which is called `number`: some comparisons, or
/// the value itself if there is only one.
std::string value_by_number(const std::string& number, const std::vector<double>& values);

}  // namespace skimline::skims
