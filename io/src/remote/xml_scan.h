// SPDX-License-Identifier: BSD-3-Clause
// Elements of XML, as servers list folders in it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace skimline::io {

/// Calls `begin` with the name of each element, without what is in front of a colon, and `end` with its name
/// and the text that is directly before its end. What is no XML ends the scan; nothing is nested or checked.
/// Returns whether as many elements end as begin, which those of a text that was cut off do not.
bool scan_xml(std::string_view xml, const std::function<void(std::string_view name)>& begin,
              const std::function<void(std::string_view name, const std::string& text)>& end);

}  // namespace skimline::io
