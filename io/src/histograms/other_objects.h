// SPDX-License-Identifier: BSD-3-Clause
// Objects beside histograms that merges put together: parameters, and what must be equal in all files.
#pragma once

#include "histograms/object_sum.h"

#include <memory>
#include <string>
#include <string_view>

namespace skimline::io {

/// Whether begin_object() takes objects of a class. Those that would have to be added, such as TEfficiency,
/// are not among them.
bool is_other_object(std::string_view class_name);

/// Begins with the object of the first file. A TParameter is added, multiplied, or the smallest, largest,
/// first or last, as its bits say and ROOT does; all others must have equal bytes. Throws FormatError if it
/// is damaged.
std::unique_ptr<ObjectSum> begin_object(const std::string& class_name, StoredObject& first);

}  // namespace skimline::io
