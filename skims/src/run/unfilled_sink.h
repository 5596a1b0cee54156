// SPDX-License-Identifier: BSD-3-Clause
// Stands for a sink where a plan only says what it would read and write.
#pragma once

#include "skimline/framework/sink.h"

#include <memory>
#include <span>

namespace skimline::skims {

/// Takes nothing.
class UnfilledSink : public Sink {
 public:
  std::unique_ptr<Portion> begin() const override { return std::make_unique<Portion>(); }
  void append(Portion&, const Survivors&, std::span<const ColumnView>) const override {}
  void gather(Portion&, SliceReader&) const override {}
  void stitch(Portion&) override {}
  void seal(Portion&) const override {}
  void commit(Portion&) override {}
  void write(Portion&) override {}
  void finish() override {}
};

}  // namespace skimline::skims
