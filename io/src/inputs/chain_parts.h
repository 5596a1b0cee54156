// SPDX-License-Identifier: BSD-3-Clause
// What the parts of a chain share while they are opened.
#pragma once

#include "columns/read_ahead.h"
#include "ttree/tree_chain.h"

#include "skimline/io/input_source.h"

#include <cstddef>
#include <functional>
#include <memory>

namespace skimline::io {

struct ChainParts {
  std::size_t number = 0;
  std::shared_ptr<ReadAhead> ahead;
  TreeChain trees;
};

/// A part whose metadata were read, by any thread, or why they cannot be: makes it a source, one after the
/// other.
using ReadPart = std::function<std::unique_ptr<InputSource>(ChainParts& parts)>;

}  // namespace skimline::io
