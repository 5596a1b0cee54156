// SPDX-License-Identifier: BSD-3-Clause
#include "base/interruption.h"

#include "skimline/skims/interruptible.h"

#include <utility>

namespace skimline::skims {
namespace {

thread_local StopFlag current_stop;

}  // namespace

Interruptible::Interruptible(StopFlag stop)
    : outer_(std::exchange(current_stop, stop.is_given() ? stop : current_stop)) {}

Interruptible::~Interruptible() { current_stop = outer_; }

void throw_if_interrupted() { current_stop.throw_if_set(); }

}  // namespace skimline::skims
