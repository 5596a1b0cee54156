// SPDX-License-Identifier: BSD-3-Clause
// Calls of the plug-in for XRootD.
#pragma once

#include "remote/xrootd_interface.h"

#include "skimline/framework/error.h"
#include "skimline/framework/stop_flag.h"

#include <functional>
#include <string>

namespace skimline::io {

/// How the plug-in waits for us.
class XrootdWait {
 public:
  explicit XrootdWait(StopFlag stop);
  XrootdWait(const XrootdWait&) = delete;
  XrootdWait& operator=(const XrootdWait&) = delete;

  const SkimlineXrootdWait* get() const { return &wait_; }

 private:
  static int is_stopped(void* context);

  StopFlag stop_;
  SkimlineXrootdWait wait_;
};

/// Throws Interrupted if a call was stopped, and else a FileError about what went wrong; `what` begins it.
[[noreturn]] void throw_fault(const std::string& name, const char* what, const SkimlineXrootdFault& fault);

/// Calls `work` again, after pauses, as long as it throws FileErrors of the kind kStorage and patience lasts.
void call_patiently(double seconds, StopFlag stop, const std::function<void()>& work);

}  // namespace skimline::io
