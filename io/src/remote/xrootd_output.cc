// SPDX-License-Identifier: BSD-3-Clause
#include "remote/xrootd_output.h"

#include "remote/http_transfer.h"
#include "remote/open_request.h"
#include "remote/renamed_output.h"
#include "remote/xrootd_calls.h"
#include "remote/xrootd_file.h"
#include "remote/xrootd_library.h"

#include "skimline/framework/error.h"
#include "skimline/io/url.h"
#include "skimline/io/url_secrets.h"

#include <functional>
#include <sstream>

namespace skimline::io {
namespace {

class XrootdFiles : public NamedFiles {
 public:
  explicit XrootdFiles(const std::string& name) : functions_(xrootd_functions(name)) {}

  void send(const std::string& path, const std::string& name, StopFlag stop) override {
    call(name, "cannot be sent: ", Patience::of_environment(), stop,
         [&](const SkimlineXrootdWait* wait, SkimlineXrootdFault* fault) {
           return functions_.send(with_secrets(name).c_str(), path.c_str(), wait, fault);
         });
  }

  OpenedRemote open(const std::string& name, StopFlag stop) override {
    return open_xrootd_file({name, kComparedBytes, stop, Patience::of_environment()});
  }

  // Servers need not know any.
  std::optional<ServerChecksum> checksum(const std::string& name, StopFlag stop) override {
    char text[256] = "";
    SkimlineXrootdFault fault{};
    const XrootdWait wait(stop);
    const int is_known =
        functions_.checksum(with_secrets(name).c_str(), wait.get(), text, sizeof text, &fault);
    if (fault.is_stopped) throw Interrupted();
    if (is_known == 0) return std::nullopt;
    std::istringstream words(text);
    ServerChecksum checksum;
    words >> checksum.kind >> checksum.text;
    checksum.text = lower_case(checksum.text);
    return checksum;
  }

  std::optional<std::uint64_t> size(const std::string& name) override { return xrootd_size(name); }

  void rename(const std::string& from, const std::string& to) override {
    call(from, "cannot be given its name: ", Patience::of_environment(), {},
         [&](const SkimlineXrootdWait* wait, SkimlineXrootdFault* fault) {
           return functions_.rename(with_secrets(from).c_str(), with_secrets(to).c_str(), wait, fault);
         });
  }

  // Some servers refuse to replace a file.
  bool replaces_by_renaming() const override { return false; }

  void remove(const std::string& name, Patience patience) override {
    call(name, "cannot be removed: ", patience, {},
         [&](const SkimlineXrootdWait* wait, SkimlineXrootdFault* fault) {
           return functions_.remove(with_secrets(name).c_str(), wait, fault);
         });
  }

 private:
  static void call(const std::string& name, const char* what, Patience patience, StopFlag stop,
                   const std::function<int(const SkimlineXrootdWait*, SkimlineXrootdFault*)>& function) {
    const XrootdWait wait(stop);
    call_patiently(patience.seconds, stop, [&] {
      SkimlineXrootdFault fault{};
      if (function(wait.get(), &fault) == 0) throw_fault(name, what, fault);
    });
  }

  const SkimlineXrootdFunctions& functions_;
};

}  // namespace

std::unique_ptr<RemoteOutput> xrootd_output(const std::string& name) {
  return renamed_output(name, std::make_unique<XrootdFiles>(name));
}

std::optional<std::uint64_t> xrootd_size(const std::string& name) {
  const SkimlineXrootdFunctions& functions = xrootd_functions(name);
  std::optional<std::uint64_t> known;
  const XrootdWait wait({});
  // As with other servers: one that never answered probably has another name.
  call_patiently(Patience::of_environment().seconds / 10, {}, [&] {
    std::uint64_t size = 0, modified = 0;
    SkimlineXrootdFault fault{};
    if (functions.stat(with_secrets(name).c_str(), wait.get(), &size, &modified, &fault) != 0)
      known = size;
    else if (fault.is_missing == 0)
      throw_fault(name, "cannot be looked at: ", fault);
  });
  return known;
}

}  // namespace skimline::io
