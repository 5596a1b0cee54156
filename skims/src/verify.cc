// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/verify.h"

#include "text_table.h"

#include "skimline/framework/runner.h"
#include "skimline/io/rntuple_metadata.h"
#include "skimline/io/tree_metadata.h"
#include "skimline/skims/shown_text.h"

#include <algorithm>

namespace skimline::skims {
namespace {

VerifiedNTuple verify_one(const io::RootFile& file, const std::string& name, const VerifyOptions& options) {
  VerifiedNTuple result{.path = file.path(), .name = name, .problem = {}, .verification = {}};
  try {
    result.verification = io::verify_ntuple(file, name, options.stop);
  } catch (const FileError& error) {
    result.problem = error.what();
  }
  return result;
}

VerifiedTree verify_tree(const std::string& path, const std::string& name, const VerifyOptions& options) {
  VerifiedTree result{.path = path, .name = name, .problem = {}, .verification = {}};
  try {
    result.verification = io::verify_tree({path, name}, options.stop);
  } catch (const FileError& error) {
    result.problem = error.what();
  }
  return result;
}

VerifiedObjects verify_objects(const io::RootFile& file, const VerifyOptions& options) {
  VerifiedObjects result{.path = file.path(), .problem = {}, .verification = {}};
  try {
    result.verification = io::verify_objects(file, options.stop);
  } catch (const FileError& error) {
    result.problem = error.what();
  }
  return result;
}

bool is_worth_saying(const VerifiedObjects& objects) {
  const io::ObjectVerification& found = objects.verification;
  return !objects.is_sound() || found.num_histograms + found.num_others > 0;
}

void verify_file(const std::string& path, const VerifyOptions& options, VerifyReport& report) {
  try {
    const io::RootFile file(path);
    const std::vector<std::string> names = io::ntuple_names(file);
    const std::vector<std::string> trees = io::tree_names(file);
    if (file.keys().empty()) throw FileError(path, "contains nothing");
    for (const io::RootKey& key : file.keys())
      if (const std::string problem = io::pre_release_problem(key); !problem.empty())
        report.ntuples.push_back(
            {.path = path, .name = key.path, .problem = FileError(path, problem).what(), .verification = {}});
    for (const std::string& name : names) report.ntuples.push_back(verify_one(file, name, options));
    for (const std::string& name : trees) report.trees.push_back(verify_tree(path, name, options));
    if (VerifiedObjects objects = verify_objects(file, options); is_worth_saying(objects))
      report.objects.push_back(std::move(objects));
  } catch (const FileError& error) {
    report.ntuples.push_back({.path = path, .name = {}, .problem = error.what(), .verification = {}});
  }
}

std::string line_of(const VerifiedNTuple& ntuple) {
  if (!ntuple.problem.empty()) return "failed   " + shown(ntuple.problem) + "\n";
  const io::Verification& found = ntuple.verification;
  std::string line = (ntuple.is_sound() ? "sound    " : "damaged  ") + shown(ntuple.path) + ": RNTuple \"" +
                     shown(ntuple.name) + "\", " + format_count(found.num_pages) + " pages, " +
                     format_bytes(found.num_bytes);
  if (!found.faults.empty()) line += ", " + format_count(found.faults.size()) + " damaged";
  if (found.num_unproven > 0) line += ", " + format_count(found.num_unproven) + " pages without a checksum";
  return line + "\n";
}

std::string line_of(const VerifiedTree& tree) {
  if (!tree.problem.empty()) return "failed   " + shown(tree.problem) + "\n";
  const io::TreeVerification& found = tree.verification;
  std::string line = (tree.is_sound() ? "readable " : "damaged  ") + shown(tree.path) + ": TTree \"" +
                     shown(tree.name) + "\", " + format_count(found.num_baskets) +
                     (found.num_baskets == 1 ? " basket, " : " baskets, ") + format_bytes(found.num_bytes);
  if (!found.faults.empty()) line += ", " + format_count(found.faults.size()) + " damaged";
  if (found.num_unread > 0)
    line += ", " + format_count(found.num_unread) +
            (found.num_unread == 1 ? " branch that cannot be read" : " branches that cannot be read");
  return line + "; a TTree has no checksums of its own\n";
}

std::string counted(std::uint64_t count, const std::string& one, const std::string& many) {
  return format_count(count) + " " + (count == 1 ? one : many);
}

std::string line_of(const VerifiedObjects& objects) {
  if (!objects.problem.empty()) return "failed   " + objects.problem + "\n";
  const io::ObjectVerification& found = objects.verification;
  const char* const word = !objects.is_sound()      ? "damaged  "
                           : found.num_unproven > 0 ? "readable "
                                                    : "sound    ";
  std::string line = word + objects.path + ": ";
  if (found.num_histograms > 0) line += counted(found.num_histograms, "histogram", "histograms") + ", ";
  if (found.num_others > 0) line += counted(found.num_others, "other object", "other objects") + ", ";
  line += format_bytes(found.num_bytes);
  if (!found.faults.empty()) line += ", " + format_count(found.faults.size()) + " damaged";
  if (found.num_unproven > 0) line += ", " + format_count(found.num_unproven) + " without a checksum";
  if (found.num_unread > 0)
    line += ", " + format_count(found.num_unread) + " in an unknown version of its class";
  return line + "\n";
}

std::string line_of(const io::PageFault& fault) {
  return "         column \"" + shown(fault.column) + "\", cluster " + std::to_string(fault.cluster) +
         " (entries " + std::to_string(fault.first_entry) + " to " +
         std::to_string(fault.first_entry + fault.num_entries) + "), page at byte " +
         std::to_string(fault.offset) + ": " + shown(fault.problem) + "\n";
}

}  // namespace

bool VerifyReport::is_sound() const {
  return std::all_of(ntuples.begin(), ntuples.end(),
                     [](const VerifiedNTuple& ntuple) { return ntuple.is_sound(); }) &&
         std::all_of(trees.begin(), trees.end(), [](const VerifiedTree& tree) { return tree.is_sound(); }) &&
         std::all_of(objects.begin(), objects.end(),
                     [](const VerifiedObjects& found) { return found.is_sound(); });
}

VerifyReport verify(const VerifyOptions& options) {
  VerifyReport report;
  run_with_threads(options.threads, [&] {
    for (const std::string& path : options.paths) verify_file(path, options, report);
  });
  return report;
}

std::string to_text(const VerifyReport& report) {
  std::string text;
  for (const VerifiedNTuple& ntuple : report.ntuples) {
    text += line_of(ntuple);
    for (const io::PageFault& fault : ntuple.verification.faults) text += line_of(fault);
  }
  for (const VerifiedTree& tree : report.trees) {
    text += line_of(tree);
    for (const std::string& fault : tree.verification.faults) text += "         " + shown(fault) + "\n";
  }
  for (const VerifiedObjects& objects : report.objects) {
    text += line_of(objects);
    for (const std::string& fault : objects.verification.faults) text += "         " + fault + "\n";
  }
  return text;
}

}  // namespace skimline::skims
