// SPDX-License-Identifier: BSD-3-Clause
// Objects beside histograms that merges put together: parameters, and what must be equal in all files.
#pragma once

#include "histograms/object_sum.h"

#include <memory>
#include <string>
#include <string_view>

namespace skimline::io {

/// Whether begin_object() takes objects of a class.
bool is_other_object(std::string_view class_name);

/// Begins with the object of the first file. A TParameter is added, multiplied, or the smallest, largest,
/// first or last, as its bits say and ROOT does; begin_compound() says what becomes of graphs, efficiencies
/// and lists; all others must have equal bytes. Throws FormatError if it is damaged.
std::unique_ptr<ObjectSum> begin_object(const std::string& class_name, StoredObject& first);

}  // namespace skimline::io
