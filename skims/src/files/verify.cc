// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/verify.h"

#include "base/text_table.h"

#include "skimline/framework/runner.h"
#include "skimline/io/checksum_writing.h"
#include "skimline/io/input_file.h"
#include "skimline/io/input_formats.h"
#include "skimline/io/object_verification.h"
#include "skimline/io/read_stop.h"
#include "skimline/io/rntuple_metadata.h"
#include "skimline/skims/shown_text.h"

#include <algorithm>
#include <iterator>
#include <memory>

namespace skimline::skims {
namespace {

VerifiedEvents verify_events(const io::RootFile& file, const std::string& name, const io::InputFormat& format,
                             const VerifyOptions& options) {
  VerifiedEvents result{
      .path = file.path(), .name = name, .format = format.format, .problem = {}, .verification = {}};
  try {
    result.verification = format.verify(file, name, options.stop, options.checksum_folder);
  } catch (const FileError& error) {
    result.problem = error.what();
  }
  return result;
}

VerifiedEvents unreadable(const std::string& path, const std::string& name, const FileError& error) {
  return {.path = path, .name = name, .problem = error.what(), .verification = {}};
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
    // Nothing of the file itself would be read.
    if (file.input().is_copy())
      throw FileError(file.path(),
                      "cannot be verified: it is no ROOT file, and what is read of it is an RNTuple in the "
                      "cache that was made of it");
    if (file.keys().empty()) throw FileError(path, "contains nothing");
    for (const io::RootKey& key : file.keys())
      if (const std::string problem = io::pre_release_problem(key); !problem.empty())
        report.events.push_back(unreadable(path, key.path, FileError(path, problem)));
    for (const io::InputFormat& format : io::input_formats())
      for (const std::string& name : format.names_in(file))
        report.events.push_back(verify_events(file, name, format, options));
    if (VerifiedObjects objects = verify_objects(file, options); is_worth_saying(objects))
      report.objects.push_back(std::move(objects));
  } catch (const FileError& error) {
    report.events.push_back(unreadable(path, {}, error));
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

std::string checked_text(const io::InputFormat& format, const std::string& checksum_file) {
  if (!checksum_file.empty()) return "; compared with " + shown(checksum_file);
  return format.has_checksums ? std::string()
                              : "; a " + std::string(name_of(format.format)) + " has no checksums of its own";
}

// Not even compression proves what holds the parts together, such as the keys of baskets. Branches that
// cannot be read have parts that nobody has looked at.
std::uint64_t num_unproven(const io::InputFormat& format, const io::EventsVerification& found) {
  if (found.num_unread > 0) return found.num_parts + found.num_unread;
  const bool has_checksums = format.has_checksums || !found.checksum_file.empty();
  return has_checksums ? found.num_unverified : found.num_parts;
}

std::string line_of(const VerifiedEvents& events) {
  if (!events.problem.empty()) return "failed   " + shown(events.problem) + "\n";
  const io::InputFormat& format = io::input_format(events.format);
  const io::EventsVerification& found = events.verification;
  std::string line = verdict(events.is_sound(), num_unproven(format, found)) + shown(events.path) + ": " +
                     name_of(events.format) + " \"" + shown(events.name) + "\", " +
                     counted(found.num_parts, format.part) + ", " + format_bytes(found.num_bytes);
  if (!found.faults.empty()) line += ", " + format_count(found.faults.size()) + " damaged";
  if (found.num_repeated > 0)
    line += ", " + counted(found.num_repeated, format.part) + " that several clusters claim";
  if (found.num_unread > 0)
    line += ", " + counted(found.num_unread, "branch", "branches") + " that cannot be read";
  return line + unverified_text(found.num_unverified, found.bytes_unverified, format.part) +
         checked_text(format, found.checksum_file) + "\n";
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

std::string line_of(const io::VerificationFault& fault) {
  if (fault.column.empty()) return "         " + shown(fault.problem) + "\n";
  return "         column \"" + shown(fault.column) + "\", cluster " + std::to_string(fault.cluster) +
         " (entries " + std::to_string(fault.first_entry) + " to " +
         std::to_string(fault.first_entry + fault.num_entries) + "), page at byte " +
         std::to_string(fault.offset) + ": " + shown(fault.problem) + "\n";
}

}  // namespace

bool VerifyReport::is_sound() const {
  return are_sound(events) && are_sound(objects) &&
         std::all_of(checksums.begin(), checksums.end(),
                     [](const WrittenChecksums& written) { return written.problem.empty(); });
}

VerifyReport verify(const VerifyOptions& options) {
  if (!options.writes_checksums) io::check_checksum_folder(options.checksum_folder);
  VerifyReport report;
  // A small file is kept whole with its metadata: that of the server would not be looked at.
  const auto reading = std::make_shared<io::ReadStop>();
  reading->keep_no_metadata();
  const auto outer = io::ReadStopScope::current();
  reading->set(outer ? outer->flag() : options.stop);
  run_with_threads(options.threads, [&] {
    const io::ReadStopScope scope(reading);
    for (const std::string& path : options.paths) {
      VerifyReport of_file;
      verify_file(path, options, of_file);
      if (options.writes_checksums) add_checksums(path, of_file.is_sound(), options, of_file);
      append(std::move(of_file.events), report.events);
      append(std::move(of_file.objects), report.objects);
      append(std::move(of_file.checksums), report.checksums);
    }
  });
  return report;
}

std::string to_text(const VerifyReport& report) {
  std::string text;
  for (const VerifiedEvents& events : report.events) {
    text += line_of(events);
    for (const io::VerificationFault& fault : events.verification.faults) text += line_of(fault);
  }
  for (const VerifiedObjects& objects : report.objects) {
    text += line_of(objects);
    for (const std::string& fault : objects.verification.faults) text += "         " + fault + "\n";
  }
  for (const WrittenChecksums& written : report.checksums) text += line_of(written);
  return text;
}

}  // namespace skimline::skims
