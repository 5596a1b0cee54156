// SPDX-License-Identifier: BSD-3-Clause
#include "base/interruption.h"

#include "skimline/skims/interruptible.h"

#include <utility>

namespace skimline::skims {
namespace {

thread_local StopFlag stop_of_thread;

}  // namespace

Interruptible::Interruptible(StopFlag stop)
    : outer_(std::exchange(stop_of_thread, stop.is_given() ? stop : stop_of_thread)) {}

Interruptible::~Interruptible() { stop_of_thread = outer_; }

void throw_if_interrupted() { stop_of_thread.throw_if_set(); }

StopFlag current_stop() { return stop_of_thread; }

}  // namespace skimline::skims
