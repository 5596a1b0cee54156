// SPDX-License-Identifier: BSD-3-Clause
// Where entries go. A sink takes the surviving entries of every slice through five steps, of which only the
// in-order ones are serial; the runner calls them as a pipeline.
#pragma once

#include "skimline/framework/column.h"

#include <cstdint>
#include <memory>
#include <span>

namespace skimline {

/// What one slice contributes to a sink, on its way through the steps.
class Portion {
 public:
  virtual ~Portion() = default;
};

/// Writes surviving entries in input order. For every slice, in this order:
///
///   begin, append (once per batch)   parallel   gathers the survivors of the slice
///   stitch                           in order   adds them to the cluster under construction, cuts full pages
///   seal                             parallel   encodes, compresses and checksums those pages
///   commit                           in order   assigns file offsets, keeps metadata
///   write                            parallel   positional writes of what commit released
///
/// and finish once at the end, or nothing if the run fails: then no output may remain.
class Sink {
 public:
  virtual ~Sink() = default;

  virtual std::unique_ptr<Portion> begin() const = 0;
  /// `columns` are those the sink was made for, in that order, all of the same length and none of them
  /// constant.
  virtual void append(Portion& portion, std::span<const ColumnView> columns) const = 0;
  virtual void stitch(Portion& portion) = 0;
  virtual void seal(Portion& portion) const = 0;
  virtual void commit(Portion& portion) = 0;
  virtual void write(Portion& portion) = 0;
  /// Completes the output and makes it visible. No other call may follow.
  virtual void finish() = 0;
};

}  // namespace skimline
