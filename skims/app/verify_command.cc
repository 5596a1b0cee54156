// SPDX-License-Identifier: BSD-3-Clause
// `skimline verify`: whether files are as they were written.
#include "commands.h"
#include "shared_options.h"

#include "skimline/skims/verify.h"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kVerifyFooter = R"help(
Examples:
  skimline verify dimuon.root
  skimline verify data/*.root && echo all sound
  skimline verify --write-checksums tree.root

Every page of every RNTuple is read and compared with its checksum. Damaged pages are listed with their column,
cluster and entries. Pages without a checksum, and all baskets of TTrees, are decompressed and decoded: that shows
that they are readable, not that they are as they were written, unless their compression has a checksum. It is said
how many have none.

--write-checksums makes up for that from then on: the file data.root.checksums, beside data.root, has a checksum of
each basket, of each page without one, and of the metadata. verify, run, convert and all other reading compare with it
where it is.)help";

struct VerifyArguments {
  std::vector<std::string> files;
  bool writes_checksums = false;
  std::string checksum_folder;
  int threads = 0;
};

Outcome verify(const VerifyArguments& arguments, StopFlag stop) {
  const VerifyReport report = skims::verify({.paths = arguments.files,
                                             .threads = granted_threads(arguments.threads),
                                             .writes_checksums = arguments.writes_checksums,
                                             .checksum_folder = arguments.checksum_folder,
                                             .stop = stop});
  return {to_text(report), report.is_sound() ? kDone : kFailed, false};
}

Action add_verify_options(CLI::App& command) {
  const auto arguments = std::make_shared<VerifyArguments>();
  command.add_option("files", arguments->files, "ROOT files")->required();
  add_cache(command);
  command.add_flag("--write-checksums", arguments->writes_checksums,
                   "Write the checksums of what has none beside each sound file, as data.root.checksums");
  command.add_option("--checksum-folder", arguments->checksum_folder,
                     "Folder of the files of checksums, instead of those of the files");
  add_threads(command, arguments->threads);
  return [arguments](const Session& session) { return verify(*arguments, session.stop); };
}

}  // namespace

const Command kVerifyCommand{"verify", "Read all of files and compare it with its checksums", kVerifyFooter,
                             false, add_verify_options};

}  // namespace skimline::skims
