// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "skimline/framework/sink.h"

namespace skimline::skims {

/// Passes everything on to another sink but finish(): whoever has several outputs completes them together.
class DeferredSink : public Sink {
 public:
  explicit DeferredSink(Sink& sink) : sink_(sink) {}

  std::unique_ptr<Portion> begin() const override { return sink_.begin(); }
  void append(Portion& portion, std::span<const ColumnView> columns) const override {
    sink_.append(portion, columns);
  }
  void stitch(Portion& portion) override { sink_.stitch(portion); }
  void seal(Portion& portion) const override { sink_.seal(portion); }
  void commit(Portion& portion) override { sink_.commit(portion); }
  void write(Portion& portion) override { sink_.write(portion); }
  void finish() override {}

 private:
  Sink& sink_;
};

}  // namespace skimline::skims
