// SPDX-License-Identifier: BSD-3-Clause
// The casts, as C++ code and ROOT's types write them: `float(x)`, `(float)x`, `static_cast<Float_t>(x)`.
#pragma once

#include "skimline/framework/type.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// The type that a cast written as a function, "float(x)", "Float_t(x)" or "RVecF(x)", converts to; nothing
/// for other names.
std::optional<ScalarType> cast_target(std::string_view name);

/// Whether a name is that of a list of numbers, "RVecF" or "RVec<float>", which as a cast takes lists only.
bool is_list_cast(std::string_view name);

/// What to say of a value that a cast does not take.
std::string takes_other(std::string_view cast, Type value);

/// The name that cast_target() knows of a type written in several words, "unsigned long" or "const float";
/// empty if they are no type of numbers.
std::string type_of_words(const std::vector<std::string_view>& words);

/// Whether a word is part of the names of types only: "unsigned", "float", "Int_t", "std::uint8_t".
bool is_type_word(std::string_view word);

}  // namespace skimline
