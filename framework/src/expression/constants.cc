// SPDX-License-Identifier: BSD-3-Clause
#include "expression/constants.h"

#include <numbers>

namespace skimline {

std::optional<Constant> named_constant(std::string_view name) {
  if (name != "M_PI") return std::nullopt;
  return Constant::of(std::numbers::pi);
}

std::optional<Constant> called_constant(std::string_view name) {
  if (name != "TMath::Pi") return std::nullopt;
  return Constant::of(std::numbers::pi);
}

}  // namespace skimline
