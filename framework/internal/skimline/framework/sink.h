// SPDX-License-Identifier: BSD-3-Clause
// Where entries go. A sink takes the surviving entries of every slice through five steps, of which only the
// in-order ones are serial.
#pragma once

#include "skimline/framework/column.h"
#include "skimline/framework/source.h"

#include <cstdint>
#include <memory>
#include <span>

namespace skimline {

/// What one slice contributes to a sink, on its way through the steps.
class Portion {
 public:
  virtual ~Portion() = default;
};

/// The entries of one batch that survive: all of `range`, or those at `positions` in it.
struct Survivors {
  EntryRange range;                          ///< entry 0 is the first of the slice
  const std::uint32_t* positions = nullptr;  ///< ascending, counted from the start of `range`; unset if all
  std::size_t count = 0;
};

/// Writes surviving entries in input order. For every slice, in this order:
///
///   begin, append (once per batch)   parallel   takes the survivors of the slice
///   gather                           parallel   takes what it needs of the slice's reader itself
///   stitch                           in order   adds them to the cluster under construction, cuts full pages
///   seal                             parallel   encodes, compresses and checksums those pages
///   commit                           in order   assigns file offsets, keeps metadata
///   write                            parallel   positional writes of what commit released
///
/// and then whoever made the sink calls finish, or destroys it if the run failed: then no output may remain.
class Sink {
 public:
  virtual ~Sink() = default;

  virtual std::unique_ptr<Portion> begin() const = 0;
  /// `columns` are those the sink was made for, in that order, each with a value for every survivor and none
  /// of them constant. Batches come in order; those without survivors may be left out.
  virtual void append(Portion& portion, const Survivors& survivors,
                      std::span<const ColumnView> columns) const = 0;
  /// Called once after the last batch of a slice. `reader` is that of the slice: of what it has stored a
  /// sink can take what columns do not hold.
  virtual void gather(Portion& portion, SliceReader& reader) const = 0;
  virtual void stitch(Portion& portion) = 0;
  virtual void seal(Portion& portion) const = 0;
  virtual void commit(Portion& portion) = 0;
  virtual void write(Portion& portion) = 0;
  /// Completes the output and makes it visible. No other call may follow.
  virtual void finish() = 0;
};

}  // namespace skimline
