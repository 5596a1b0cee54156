// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/verify.h"

#include "base/text_table.h"

#include "skimline/framework/runner.h"
#include "skimline/io/checksum_writing.h"
#include "skimline/io/input_formats.h"
#include "skimline/io/ntuple_verification.h"
#include "skimline/io/object_verification.h"
#include "skimline/io/rntuple_metadata.h"
#include "skimline/io/tree_verification.h"
#include "skimline/skims/shown_text.h"

#include <algorithm>
#include <iterator>

namespace skimline::skims {
namespace {

VerifiedNTuple verify_ntuple(const io::RootFile& file, const std::string& name,
                             const VerifyOptions& options) {
  VerifiedNTuple result{.path = file.path(), .name = name, .problem = {}, .verification = {}};
  try {
    result.verification = io::verify_ntuple(file, name, options.stop, options.checksum_folder);
  } catch (const FileError& error) {
    result.problem = error.what();
  }
  return result;
}

VerifiedTree verify_tree(const std::string& path, const std::string& name, const VerifyOptions& options) {
  VerifiedTree result{.path = path, .name = name, .problem = {}, .verification = {}};
  try {
    result.verification = io::verify_tree({path, name}, options.stop, options.checksum_folder);
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

void verify_events(const io::RootFile& file, const std::string& name, io::DataFormat format,
                   const VerifyOptions& options, VerifyReport& report) {
  switch (format) {
    case io::DataFormat::kRNTuple:
      return report.ntuples.push_back(verify_ntuple(file, name, options));
    case io::DataFormat::kTTree:
      return report.trees.push_back(verify_tree(file.path(), name, options));
  }
}

void verify_file(const std::string& path, const VerifyOptions& options, VerifyReport& report) {
  try {
    const io::RootFile file(path);
    if (file.keys().empty()) throw FileError(path, "contains nothing");
    for (const io::RootKey& key : file.keys())
      if (const std::string problem = io::pre_release_problem(key); !problem.empty())
        report.ntuples.push_back(
            {.path = path, .name = key.path, .problem = FileError(path, problem).what(), .verification = {}});
    for (const io::InputFormat& format : io::input_formats())
      for (const std::string& name : format.names_in(file))
        verify_events(file, name, format.format, options, report);
    if (VerifiedObjects objects = verify_objects(file, options); is_worth_saying(objects))
      report.objects.push_back(std::move(objects));
  } catch (const FileError& error) {
    report.ntuples.push_back({.path = path, .name = {}, .problem = error.what(), .verification = {}});
  }
}

template <typename Item>
void append(std::vector<Item> from, std::vector<Item>& to) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

template <typename Verified>
bool are_sound(const std::vector<Verified>& all) {
  return std::all_of(all.begin(), all.end(), [](const Verified& each) { return each.is_sound(); });
}

void add_checksums(const std::string& path, bool is_sound, const VerifyOptions& options,
                   VerifyReport& report) {
  WrittenChecksums written{.path = io::checksum_path(path, options.checksum_folder), .problem = {}};
  try {
    if (!is_sound)
      throw FileError(written.path, "is not written, as something is wrong with " + path,
                      FileFault::kUnwritable);
    written.num_records = io::write_checksums(io::RootFile(path), options.checksum_folder, options.stop);
  } catch (const FileError& error) {
    written.problem = error.what();
  }
  report.checksums.push_back(std::move(written));
}

std::string line_of(const WrittenChecksums& written) {
  if (!written.problem.empty()) return "failed   " + shown(written.problem) + "\n";
  return "written  " + shown(written.path) + ": checksums of " + format_count(written.num_records) +
         " records\n";
}

std::string checked_text(const std::string& checksum_file) {
  return checksum_file.empty() ? std::string() : "; compared with " + shown(checksum_file);
}

// Sound is only what a checksum proves.
std::string verdict(bool is_sound, std::uint64_t num_unverified) {
  if (!is_sound) return "damaged  ";
  return num_unverified == 0 ? "sound    " : "readable ";
}

std::string unverified_text(std::uint64_t num_unverified, std::uint64_t bytes, const std::string& what) {
  if (num_unverified == 0) return {};
  return "; not verified, as they have no checksum: " + counted(num_unverified, what) + ", " +
         format_bytes(bytes);
}

std::string line_of(const VerifiedNTuple& ntuple) {
  if (!ntuple.problem.empty()) return "failed   " + shown(ntuple.problem) + "\n";
  const io::NTupleVerification& found = ntuple.verification;
  std::string line = verdict(ntuple.is_sound(), found.num_unverified) + shown(ntuple.path) + ": RNTuple \"" +
                     shown(ntuple.name) + "\", " + counted(found.num_pages, "page") + ", " +
                     format_bytes(found.num_bytes);
  if (!found.faults.empty()) line += ", " + format_count(found.faults.size()) + " damaged";
  if (found.num_repeated_pages > 0)
    line += ", " + counted(found.num_repeated_pages, "page") + " that several clusters claim";
  return line + unverified_text(found.num_unverified, found.bytes_unverified, "page") +
         checked_text(found.checksum_file) + "\n";
}

std::string line_of(const VerifiedTree& tree) {
  if (!tree.problem.empty()) return "failed   " + shown(tree.problem) + "\n";
  const io::TreeVerification& found = tree.verification;
  // The keys of baskets have no checksum, whatever their compression has.
  const bool has_checksums = !found.checksum_file.empty() && found.num_unread == 0;
  std::string line = verdict(tree.is_sound(), has_checksums ? 0 : found.num_baskets) + shown(tree.path) +
                     ": TTree \"" + shown(tree.name) + "\", " + counted(found.num_baskets, "basket") + ", " +
                     format_bytes(found.num_bytes);
  if (!found.faults.empty()) line += ", " + format_count(found.faults.size()) + " damaged";
  if (found.num_unread > 0)
    line += ", " + format_count(found.num_unread) +
            (found.num_unread == 1 ? " branch that cannot be read" : " branches that cannot be read");
  line += unverified_text(found.num_unverified, found.bytes_unverified, "basket");
  if (found.checksum_file.empty()) return line + "; a TTree has no checksums of its own\n";
  return line + checked_text(found.checksum_file) + "\n";
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
  return are_sound(ntuples) && are_sound(trees) && are_sound(objects) &&
         std::all_of(checksums.begin(), checksums.end(),
                     [](const WrittenChecksums& written) { return written.problem.empty(); });
}

VerifyReport verify(const VerifyOptions& options) {
  VerifyReport report;
  run_with_threads(options.threads, [&] {
    for (const std::string& path : options.paths) {
      VerifyReport of_file;
      verify_file(path, options, of_file);
      if (options.writes_checksums) add_checksums(path, of_file.is_sound(), options, of_file);
      append(std::move(of_file.ntuples), report.ntuples);
      append(std::move(of_file.trees), report.trees);
      append(std::move(of_file.objects), report.objects);
      append(std::move(of_file.checksums), report.checksums);
    }
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
  for (const WrittenChecksums& written : report.checksums) text += line_of(written);
  return text;
}

}  // namespace skimline::skims
