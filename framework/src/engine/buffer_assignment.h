// SPDX-License-Identifier: BSD-3-Clause
// Which values of a batch may lie in the same memory.
#pragma once

#include "engine/program.h"

namespace skimline {

/// Gives each slot of a program without buffers one: that of a slot whose values are needed no more, or a new
/// one. Values that views of others may lead to are needed as long as those.
void assign_buffers(Program& program);

}  // namespace skimline
