// SPDX-License-Identifier: BSD-3-Clause
// Layouts of the classes that make up trees, for files that do not describe them.
#pragma once

#include "skimline/io/class_layouts.h"

namespace skimline::io {

/// TTree from version 16 on, TBranch from 11 on, leaves, what they are made of, and the files of a TChain, as
/// ROOT lays them out.
const ClassLayouts& built_in_layouts();

}  // namespace skimline::io
