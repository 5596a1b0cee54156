// SPDX-License-Identifier: BSD-3-Clause
// Where one thread fills the columns of an RNTuple.
#pragma once

#include "skimline/framework/type.h"
#include "skimline/io/column_filler.h"

#include <cstdint>
#include <memory>
#include <string_view>

namespace skimline::io {

class ClusterFiller;

/// Takes entries of an RNTuple on behalf of one thread: by row or by whole spans of columns.
///
/// Columns are named by the fields that lead to them: "energy", "Muon.pt" for the values of a member of a
/// collection of records, "hits" for the values of a vector, of vectors of vectors too. The sizes of lists
/// are those of "Muon" and "hits", of "Muon.hits" for a vector that is a member, and of "hits._0" for the
/// inner lists of a vector of vectors.
///
///     auto& n = context->list("Muon");
///     auto& pt = context->values<float>("Muon.pt");
///     n.push(2); pt.push(31.5f); pt.push(12.f);
///     context->commit_entries();
///
/// Not thread-safe. Clusters are sealed by the thread that fills them; only their place in the file is
/// decided under the writer's lock. Takes at most about twice the target size of a cluster in memory, if
/// entries are committed often enough.
///
/// After an exception from the context or one of its fillers the context can only be destroyed, and the
/// writer's finish() will fail.
class FillContext {
 public:
  /// ParallelWriter::make_context() makes them.
  explicit FillContext(std::unique_ptr<ClusterFiller> cluster);
  /// A context that is not closed makes the writer's finish() fail.
  ~FillContext();
  FillContext(const FillContext&) = delete;
  FillContext& operator=(const FillContext&) = delete;

  /// Where the values of a column go, for as long as the context lives. Throws SchemaError, with the nearest
  /// name, if there is no column of values of type T.
  template <typename T>
  ValueFiller<T>& values(std::string_view name) {
    return static_cast<ValueFiller<T>&>(value_filler(name, scalar_type_of<T>));
  }
  ListFiller& list(std::string_view name);
  StringFiller strings(std::string_view name);

  /// Says that the values given since the last call are `count` entries. Writes the cluster if it is full:
  /// entries committed together are in one cluster. Throws SchemaError naming a column that has too few or
  /// too many values, ConfigError for a value that the encoding of its column cannot hold (which may also
  /// come from the filler, when a page is full), FileError if the file cannot be written.
  void commit_entries(std::uint64_t count = 1);

  /// Writes what is left. Throws like commit_entries(), also for values that belong to no entry. No other
  /// call may follow, but closing again does nothing.
  void close();

 private:
  ColumnFiller& value_filler(std::string_view name, ScalarType scalar);

  std::unique_ptr<ClusterFiller> cluster_;
};

}  // namespace skimline::io
