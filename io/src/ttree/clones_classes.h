// SPDX-License-Identifier: BSD-3-Clause
// Which objects are in a TClonesArray that is not split: only its entries say it.
#pragma once

#include "ttree/basket_fetcher.h"

#include "skimline/io/tree_descriptor.h"

namespace skimline::io {

/// Sets TreeBranch::clones_class of branches that hold a TClonesArray each entry, by their first entries. Of
/// those that cannot be read it stays empty. The fetcher reads baskets of this tree.
void find_clones_classes(TreeDescriptor& tree, const BasketFetcher& fetcher);

}  // namespace skimline::io
