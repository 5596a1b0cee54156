// SPDX-License-Identifier: BSD-3-Clause
// Which names a config may give.
#pragma once

#include "skimline/skims/diagnostics.h"
#include "skimline/skims/new_name.h"

#include <string>
#include <string_view>

namespace skimline::skims {

/// Whether each character may be part of the name of an object in a file, and it is no way to another folder.
bool is_object_name(std::string_view name);

/// Returns the name with "_" for what no name of an object can have, but for leading ones: those that other
/// programs give samples may hold anything, "/DoubleMuon/Run2016B/NANOAOD" for instance. May be empty.
std::string legal_object_name(std::string_view name);

/// Adds an error if `name` cannot name an object in a file: a region, a histogram. `what` is "a region".
void check_object_name(const Text& name, const std::string& what, Diagnostics& diagnostics);

/// Adds an error if a name that may be any text holds control characters, line breaks among them.
void check_shown_name(const Text& name, const std::string& what, Diagnostics& diagnostics);

/// Adds an error if `name` cannot stand for a value in expressions. `what` is "a definition".
void check_identifier(const Text& name, const std::string& what, Diagnostics& diagnostics);

/// Adds an error if `name` cannot be a pattern of columns: members of records may follow a
/// dot.
void check_column_pattern(const Text& name, Diagnostics& diagnostics);

/// Returns the column that a text of the config names, without the back-quotes around it.
Text unquoted(const Text& name);

/// The same, with an error if other characters than those of expressions are not in back-quotes: members of
/// records may follow a dot.
Text column_name(const Text& name, Diagnostics& diagnostics);

}  // namespace skimline::skims
