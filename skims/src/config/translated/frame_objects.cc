// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/frame_objects.h"

#include "base/text_table.h"
#include "config/json/name_checks.h"

#include "skimline/framework/error.h"

namespace skimline::skims {

std::string FrameObjects::name(const std::string& name, const std::string& thing) {
  std::string plain = legal_object_name(name);
  if (!is_object_name(plain))
    throw ConfigError(in_quotes(name) + " cannot name a " + thing + ": it has no letter nor digit");
  const auto [known, is_new] = names_.try_emplace({thing, plain}, name);
  if (known->second != name)
    throw ConfigError("the " + thing + "s " + in_quotes(known->second) + " and " + in_quotes(name) +
                      " would both be called " + in_quotes(plain) + " here: rename one");
  if (is_new && plain != name) left_out_.add("the name " + in_quotes(name) + ": here it is " + plain);
  return plain;
}

}  // namespace skimline::skims
