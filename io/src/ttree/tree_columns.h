// SPDX-License-Identifier: BSD-3-Clause
// The columns of a TTree, and how their baskets become values.
#pragma once

#include "storage/buffer_pool.h"
#include "ttree/basket_entries.h"
#include "ttree/streamed_value.h"

#include "skimline/framework/column.h"
#include "skimline/io/input_source.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace skimline::io {

/// The values of one column in one basket.
struct DecodedBasket {
  BufferPool::Buffer values;
  std::array<BufferPool::Buffer, kMaxDepth> offsets;  ///< from the outermost on
  ColumnView view;                                    ///< of all entries of the basket; never constant
  bool is_of_data = false;  ///< strings are views of the entries' data, which must live as long
};

/// Turns entries of a branch into values of one column. Immutable, thread-safe.
class BasketDecoder {
 public:
  virtual ~BasketDecoder() = default;
  /// Throws FormatError if the bytes of an entry are not what they should be; whatever they are, nothing
  /// outside them is read. What is taken of the pool is bounded by a small multiple of the data's size, and
  /// of num_entries.
  virtual DecodedBasket decode(const BasketEntries& entries, BufferPool& pool) const = 0;
};

struct TreeColumn {
  std::string name;  ///< "Jet_pt", "ev.n", "pair.x" of leaf x in branch pair
  Type type;
  std::string type_name;  ///< as ROOT spells it: "Float_t", "vector<float>", "Float_t[3]", "Float_t[nJet]"
  std::string description;
  std::uint32_t branch = 0;
  std::optional<std::uint32_t> counter;  ///< the leaf, of another branch, that counts its elements
  std::optional<std::string> list;  ///< of objects that are not split, "event.muons", that it is a member of
  std::uint64_t bytes_per_element = 0;  ///< stored bytes of one element of the counter
  std::shared_ptr<const BasketDecoder> decoder;
  bool is_proven = false;  ///< its doubtful classes were seen to be as the file describes them
};

/// A branch with objects whose classes may have streamers of their own, which no file tells.
struct DoubtfulBranch {
  std::uint32_t branch = 0;
  std::shared_ptr<const StreamedValue> entry;  ///< as the file describes it
};

struct TreeColumns {
  std::vector<TreeColumn> columns;  ///< in the order of the branches; no two with one name
  std::vector<UnsupportedField> unsupported;
  std::vector<Collection> collections;
  std::vector<Collection> equal_sizes;  ///< lists with the same counter, however they are called
  std::vector<DoubtfulBranch> doubtful;
};

}  // namespace skimline::io
