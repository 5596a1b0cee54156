// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/recover.h"

#include "base/text_table.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/file_identity.h"
#include "skimline/io/job_mark.h"
#include "skimline/skims/replaced_files.h"
#include "skimline/skims/shown_text.h"

namespace skimline::skims {
namespace {

std::string kept_text(const io::RecoveredEntries& entries) {
  std::string text = shown(std::string(entries.is_tree ? "TTree" : "RNTuple") + " \"" + entries.path + "\"") +
                     ": " + counted(entries.num_entries, "entry", "entries") + ", " +
                     (entries.is_tree ? counted(entries.num_columns, "branch", "branches")
                                      : counted(entries.num_columns, "field"));
  if (entries.num_entries > entries.num_listed && entries.is_tree)
    text += "; " + counted(entries.num_entries - entries.num_listed, "entry", "entries") +
            " of them by the keys of baskets, behind those that the tree says it has";
  return text + "\n";
}

}  // namespace

io::RecoverySummary recover(const RecoverRequest& request) {
  io::FilesInUse inputs;
  inputs.add(request.input, "the input");
  if (inputs.find(request.output)) throw ConfigError(request.output + ": is the input and the output");
  const std::string job = job_called("recover", {request.input});
  const auto check = [&] {
    if (!request.overwrites) check_replaced(request.output, job);
  };
  check();
  io::RecoverySummary summary;
  run_with_threads(request.threads,
                   [&] { summary = io::recover_file(request.input, request.output, check, request.stop); });
  io::mark_as_output(request.output, job);
  return summary;
}

std::string to_text(const io::RecoverySummary& summary, const RecoverRequest& request) {
  std::string text = shown(request.output) + ": " + format_bytes(summary.bytes_written) + ", of " +
                     format_bytes(summary.bytes_read) + " of " + shown(request.input) + "\n";
  std::string lost;
  for (const io::RecoveredEntries& entries : summary.entries) {
    text += "  " + kept_text(entries);
    for (const std::string& loss : entries.losses)
      lost += "  " + shown("\"" + entries.path + "\": " + loss) + "\n";
  }
  if (summary.num_objects > 0) text += "  " + counted(summary.num_objects, "other object") + "\n";
  for (const std::string& loss : summary.losses) lost += "  " + shown(loss) + "\n";
  text += lost.empty() ? "nothing that was found is lost\n" : "lost:\n" + lost;
  if (!summary.has_class_descriptions)
    text +=
        "the file had no descriptions of classes (StreamerInfo): branches of classes that only it knows "
        "need their library\n";
  return text;
}

}  // namespace skimline::skims
