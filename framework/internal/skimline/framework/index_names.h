// SPDX-License-Identifier: BSD-3-Clause
// Columns of indexes whose names do not say which collection they point into.
#pragma once

#include <string_view>

namespace skimline {

/// Returns the collection that a column of NanoAOD, or of what is made with it, has indexes into though its
/// name says another one: "FatJet" for "FatJetPFCands_jetIdx". Empty for other columns.
std::string_view unusual_target_of(std::string_view column);

/// The same of columns whose name says no collection, unless one is called so: "Muon" for "Tau_muIdx".
std::string_view abbreviated_target_of(std::string_view column);

}  // namespace skimline
