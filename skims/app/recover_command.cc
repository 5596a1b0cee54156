// SPDX-License-Identifier: BSD-3-Clause
// `skimline recover`: a sound file of what is whole in a broken one.
#include "commands.h"
#include "shared_options.h"

#include "skimline/skims/recover.h"

#include <memory>

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kRecoverFooter = R"help(
Examples:
  skimline recover crashed.root recovered.root
  skimline recover half_copied.root events.root

Makes a sound ROOT file of what is whole in one that was never closed, as of a job that crashed, or that is cut or
damaged; the input stays as it is. Header and lists of keys are not needed: all records are looked for. Of a TTree it
takes the entries that all branches have, from the first one on; those behind the last object of the tree too, where
the keys of their baskets say whose they are. Of an RNTuple it takes the clusters that are whole. Every basket and page
is decompressed before it counts. What is lost is listed, with exit code 3; 1 if nothing is whole.)help";

struct RecoverArguments {
  RecoverRequest request;
};

Outcome recover_file(const RecoverArguments& arguments, const Session& session) {
  RecoverRequest request = arguments.request;
  request.threads = granted_threads(request.threads);
  request.stop = session.stop;
  const io::RecoverySummary summary = recover(request);
  return {to_text(summary, request), summary.is_complete() ? kDone : kIncomplete, false};
}

Action add_recover_options(CLI::App& command) {
  const auto arguments = std::make_shared<RecoverArguments>();
  RecoverRequest& request = arguments->request;
  command.add_option("input", request.input, "ROOT file that is broken")->required();
  command.add_option("output", request.output, "File to write")->required();
  add_force(command, request.overwrites);
  add_cache(command);
  add_threads(command, request.threads);
  return [arguments](const Session& session) { return recover_file(*arguments, session); };
}

}  // namespace

const Command kRecoverCommand{"recover", "Make a sound file of what is whole in a broken one", kRecoverFooter,
                              true, add_recover_options};

}  // namespace skimline::skims
