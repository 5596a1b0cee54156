// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/convert.h"

#include "base/text_table.h"
#include "config/samples/chain_files.h"
#include "plan/column_patterns.h"
#include "plan/nano_runs.h"
#include "record/united_record.h"
#include "run/carried_ntuples.h"
#include "run/written_entries.h"

#include "skimline/framework/error.h"
#include "skimline/framework/number_text.h"
#include "skimline/framework/several_problems.h"
#include "skimline/io/arrow_library.h"
#include "skimline/io/checksum_writing.h"
#include "skimline/io/field_name.h"
#include "skimline/io/file_identity.h"
#include "skimline/io/identities.h"
#include "skimline/io/input_copies.h"
#include "skimline/io/job_mark.h"
#include "skimline/io/open_inputs.h"
#include "skimline/io/output_file.h"
#include "skimline/io/output_formats.h"
#include "skimline/skims/record_objects.h"
#include "skimline/skims/replaced_files.h"
#include "skimline/skims/shown_text.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>

namespace skimline::skims {
namespace {

constexpr const char* kWayOut = "--allow-duplicates writes them all the same";

// The files that are given, and in place of chains those that they name.
std::vector<io::ChainedFile> files_of(const ConvertOptions& options,
                                      const std::shared_ptr<io::OpenedFiles>& opened) {
  std::vector<io::InputLocation> given;
  for (const std::string& input : options.inputs) given.push_back(io::parse_location(input));
  open_possible_chains({given}, opened);
  std::vector<io::ChainedFile> files;
  io::FilesInUse inputs;
  for (const io::InputLocation& location : given) {
    inputs.add(location.path, "an input");
    if (const std::optional<io::FileChain> chain = find_chain(location, *opened))
      files.insert(files.end(), chain->files.begin(), chain->files.end());
    else
      files.push_back({location, std::nullopt});
  }
  for (const io::ChainedFile& file : files) inputs.add(file.location.path, "an input");
  if (inputs.find(options.output)) throw ConfigError(options.output + ": is an input and the output");
  return files;
}

std::vector<io::InputLocation> locations_of(const std::vector<io::ChainedFile>& files) {
  std::vector<io::InputLocation> locations;
  for (const io::ChainedFile& file : files) locations.push_back(file.location);
  return locations;
}

void check_entries(const std::vector<io::ChainedFile>& files, const io::InputSource& source) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::optional<std::uint64_t> promised = files[i].num_entries;
    const io::InputFacts& found = source.files()[i];
    if (promised && *promised != found.num_entries)
      throw FileError(found.path,
                      "has " + counted(found.num_entries, "entry", "entries") +
                          ", and the chain that names it says " + format_count(*promised),
                      FileFault::kUnavailable);
  }
}

void check_copies(const io::InputSource& source) {
  const std::vector<io::InputFacts>& files = source.files();
  const std::vector<std::size_t> first_of = io::find_copies(files);
  std::vector<std::string> pairs;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (first_of[i] != i) pairs.push_back("\"" + files[i].path + "\" of \"" + files[first_of[i]].path + "\"");
  if (!pairs.empty())
    throw ConfigError("entries would be written twice, as inputs are copies of others: " + first_few(pairs) +
                      "; " + std::string(kWayOut));
}

std::string last_part(const std::string& name) { return name.substr(name.rfind('/') + 1); }

// Of all patterns, as no other column is asked for.
void check_choice(const ColumnChoice& choice, const io::InputSource& source) {
  const std::vector<std::string> names = field_names(source);
  std::vector<std::string> problems;
  for (const auto* patterns : {&choice.keep, &choice.drop})
    for (const std::string& pattern : *patterns)
      if (std::none_of(names.begin(), names.end(),
                       [&](const std::string& name) { return matches_column(name, pattern); }))
        problems.push_back(unmatched_text(pattern, names));
  for (const io::UnsupportedField& field : source.unsupported_fields())
    if (!field.is_carriable && choice.is_named(field.name) && !source.schema().find(field.name))
      problems.push_back(in_quotes(field.name) + " cannot be kept: " + field.reason);
  if (problems.size() == 1) throw ConfigError(problems.front());
  if (!problems.empty()) throw SeveralProblems<ConfigError>("columns cannot be chosen like that:", problems);
}

void check_is_file(const std::string& path) {
  if (path == "-")
    throw ConfigError("\"-\" cannot be the output: a ROOT file is not written in order; give its path");
}

void check_ntuple_name(const std::string& name) {
  const std::string problem = name.empty() ? "" : io::problem_of_path(name, "an RNTuple");
  if (!problem.empty()) throw ConfigError(problem);
}

// Before anything is read.
void check_format(const ConvertOptions& options) {
  const io::DataFormat format = io::format_by_name(options.output);
  std::string problem = output_format(format).is_arrow ? io::problem_with_arrow() : "";
  if (problem.empty()) problem = problem_of_compression(format, options.settings.compression);
  if (!problem.empty()) throw ConfigError(options.output + ": " + problem);
}

// What the output is marked with. An old file must be of the same job, also one that comes meanwhile.
std::string checked_job(const ConvertOptions& options) {
  std::string job = job_called("convert " + options.ntuple_name, options.inputs);
  if (!options.overwrites) check_replaced(options.output, job);
  return job;
}

io::InputOptions input_options(const ConvertOptions& options) {
  io::check_checksum_folder(options.checksum_folder);
  io::InputOptions input;
  input.requires_checksums = options.requires_checksums;
  input.checksum_folder = options.checksum_folder;
  input.files = std::make_shared<io::OpenedFiles>();
  return input;
}

// Converts one set of inputs.
class Conversion {
 public:
  explicit Conversion(const ConvertOptions& options)
      : options_(options),
        input_(input_options(options)),
        files_(files_of(options, input_.files)),
        locations_(locations_of(files_)),
        job_(checked_job(options)),
        source_(io::open_inputs(locations_, input_)) {
    check_entries(files_, *source_);
    if (!options.allows_duplicates) check_copies(*source_);
    report_.path = options.output;
    report_.differences = source_->differences();
    choose_name();
    write_.columns = {options.keep, options.drop};
    write_.format = io::format_by_name(options.output);
    write_.lists = options.has_records ? WrittenLists::kRecords : WrittenLists::kVectors;
    check_choice(write_.columns, *source_);
    write_.threads = options.threads;
    write_.stop = options.stop;
    write_.settings = options.settings;
    write_.may_lack = [this](const LeftOutColumn& column) {
      return options_.has_only_common_columns && column.kind == LeftOutKind::kDifferent;
    };
  }

  ConvertReport run() {
    // The sums of weights of all events that the entries were chosen from are there only.
    const std::optional<RunRecord> record = record_of_inputs();
    io::RootFileWriter file(options_.output, classes_with(record.has_value()));
    WriteOptions events = write_;
    if (options_.progress)
      events.progress = [this](std::uint64_t done) { options_.progress(done, source_->num_entries()); };
    add(write_entries(*source_, report_.ntuple_name, file, events));
    if (report_.num_columns == 0)
      throw ConfigError("no column of \"" + report_.ntuple_name + "\" is left" +
                        (report_.left_out.empty() ? "" : ", without " + left_out_text(report_.left_out)));
    carry_beside(file);
    source_->check_unchanged();
    report_.bytes_read = source_->statistics().bytes_read;
    if (record)
      for (const io::RootObject& object :
           record_objects(*record, options_.settings.compression.value_or(io::CompressionSetting{})))
        file.add_object(object);
    report_.file_bytes = file.complete(content_hash_);
    publish(file);
    io::mark_as_output(options_.output, job_);
    return std::move(report_);
  }

 private:
  static std::vector<std::string> classes_with(bool record) {
    std::vector<std::string> classes{"ROOT::RNTuple"};
    if (record)
      for (std::string& name : record_classes()) classes.push_back(std::move(name));
    return classes;
  }

  std::optional<RunRecord> record_of_inputs() {
    const std::vector<bool> are_first = are_first_beside(locations_, Beside::kFile);
    std::vector<std::shared_ptr<const io::RootFile>> files;
    for (std::size_t i = 0; i < locations_.size(); ++i)
      if (are_first[i]) files.push_back(io::open_file(input_.files.get(), locations_[i].path).root);
    UnitedRecord united = united_record(files, {options_.allows_duplicates, kWayOut});
    if (united.record && united.num_files_without > 0)
      report_.warnings.push_back("warning: " + format_count(united.num_files_without) + " of " +
                                 counted(files.size(), "input") +
                                 (united.num_files_without == 1 ? " has" : " have") +
                                 " no record of a run: that of the output does not tell all");
    return std::move(united.record);
  }

  void publish(io::RootFileWriter& file) {
    if (!is_arrow()) {
      checked_job(options_);
      return file.file().publish(options_.stop);
    }
    const auto arrow = io::write_as(write_.format, file.file(), report_.ntuple_name,
                                    options_.settings.compression, options_.stop);
    report_.file_bytes = std::filesystem::file_size(arrow->current_path());
    checked_job(options_);
    arrow->publish(options_.stop);
  }

  bool is_arrow() const { return output_format(write_.format).is_arrow; }

  // An RNTuple cannot be called as any tree can.
  void choose_name() {
    const std::string own = last_part(std::string(io::without_cycle(source_->files().front().name)));
    report_.ntuple_name = options_.ntuple_name.empty() ? io::legal_name(own) : options_.ntuple_name;
    if (options_.ntuple_name.empty() && report_.ntuple_name != own)
      report_.warnings.push_back("warning: \"" + own + "\" is written as \"" + report_.ntuple_name +
                                 "\", which is a name that an RNTuple can have");
  }

  void add(WrittenEntries written) {
    content_hash_ = content_hash_ * 31 + written.content_hash;
    report_.num_entries = written.num_entries;
    report_.num_columns = written.num_columns;
    add_warnings(std::move(written));
  }

  void add_warnings(WrittenEntries written) {
    std::move(written.left_out.begin(), written.left_out.end(), std::back_inserter(report_.left_out));
    std::move(written.warnings.begin(), written.warnings.end(), std::back_inserter(report_.warnings));
  }

  // All columns of it, but for those that need not be there.
  void carry_beside(io::RootFileWriter& file) {
    for (std::size_t i = 0; i < locations_.size(); ++i) locations_[i].name = source_->files()[i].name;
    const std::vector<bool> are_first = are_first_beside(locations_, Beside::kFolder);
    std::vector<io::InputLocation> first;
    for (std::size_t i = 0; i < locations_.size(); ++i)
      if (are_first[i]) first.push_back(locations_[i]);
    WriteOptions beside = write_;
    beside.columns = {};
    beside.may_lack = [this](const LeftOutColumn& column) {
      return write_.columns.is_dropped(column.name) || write_.may_lack(column);
    };
    for (const char* name : kCarriedNTuples) {
      if (report_.ntuple_name == name) {
        if (has_beside(first, name, input_))
          report_.warnings.push_back("warning: the \"" + std::string(name) +
                                     "\" beside the entries is left out, as they are called so themselves");
        continue;
      }
      auto carried = carry_ntuple(first, name, file, beside, input_);
      if (!carried) continue;
      content_hash_ = content_hash_ * 31 + carried->content_hash;
      if (is_arrow())
        report_.warnings.push_back("warning: \"" + std::string(name) + "\" is left out: a file of " +
                                   io::name_of(write_.format) + " holds one table");
      add_warnings(std::move(*carried));
    }
  }

  const ConvertOptions& options_;
  io::InputOptions input_;
  std::vector<io::ChainedFile> files_;
  std::vector<io::InputLocation> locations_;
  std::string job_;
  std::unique_ptr<io::InputSource> source_;
  WriteOptions write_;
  std::uint64_t content_hash_ = 0;
  ConvertReport report_;
};

}  // namespace

ConvertReport convert(const ConvertOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  check_is_file(options.output);
  check_ntuple_name(options.ntuple_name);
  check_format(options);
  ConvertReport report = Conversion(options).run();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

std::string to_text(const ConvertReport& report) {
  constexpr std::size_t kShown = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(report.differences.size(), kShown); ++i)
    text += shown(report.differences[i]) + "\n";
  if (report.differences.size() > kShown)
    text += "and " + std::to_string(report.differences.size() - kShown) + " more columns that differ\n";
  return text + shown(report.path + ":" + report.ntuple_name) + ": " + format_count(report.num_entries) +
         (report.num_entries == 1 ? " entry, " : " entries, ") + std::to_string(report.num_columns) +
         " columns, " + format_bytes(report.file_bytes) + " of " + format_bytes(report.bytes_read) +
         " read, in " + fixed_digits(report.seconds, 2) + " s\n";
}

}  // namespace skimline::skims
