// SPDX-License-Identifier: BSD-3-Clause
#include "base/interruption.h"

#include "skimline/skims/interruptible.h"

#include <utility>

namespace skimline::skims {
namespace {

thread_local const std::atomic<bool>* current_stop = nullptr;

}  // namespace

Interruptible::Interruptible(const std::atomic<bool>* stop)
    : outer_(std::exchange(current_stop, stop ? stop : current_stop)) {}

Interruptible::~Interruptible() { current_stop = outer_; }

void stop_if_asked() { stop_if_asked(current_stop); }

}  // namespace skimline::skims
