// SPDX-License-Identifier: BSD-3-Clause
// What the commands for files do, with what they find as plain objects of Python.
#include "bindings.h"
#include "interruption.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/histograms/histogram.h"
#include "skimline/io/job_mark.h"
#include "skimline/io/output_formats.h"
#include "skimline/io/url_secrets.h"
#include "skimline/skims/convert.h"
#include "skimline/skims/file_contents.h"
#include "skimline/skims/generate.h"
#include "skimline/skims/histogram_catalogue.h"
#include "skimline/skims/histogram_file.h"
#include "skimline/skims/merge.h"
#include "skimline/skims/replaced_files.h"
#include "skimline/skims/run_record.h"
#include "skimline/skims/verify.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

namespace py = pybind11;

namespace skimline::python {
namespace {

using histograms::Histogram;

// Names in files and paths need not be UTF-8.
py::str text_of(const std::string& bytes) {
  PyObject* const text =
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape");
  if (text == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(text);
}

py::list texts_of(const std::vector<std::string>& all) {
  py::list texts;
  for (const std::string& each : all) texts.append(text_of(each));
  return texts;
}

std::vector<std::string> without_secrets(std::vector<std::string> names) {
  for (std::string& name : names) name = io::hide_secrets(name);
  return names;
}

py::tuple inspect(const std::string& location) {
  std::string json, text;
  run_interruptibly([&](StopFlag) {
    const skims::FileContents contents = skims::inspect_contents(io::hide_secrets(location), {});
    json = skims::to_json(contents);
    text = skims::to_text(contents);
  });
  return py::make_tuple(json, text_of(text));
}

py::list faults_of(const io::EventsVerification& verification) {
  py::list faults;
  for (const io::VerificationFault& fault : verification.faults)
    if (fault.column.empty())
      faults.append(py::make_tuple(text_of(fault.problem)));
    else
      faults.append(py::make_tuple(text_of(fault.problem), text_of(fault.column), fault.cluster,
                                   fault.first_entry, fault.num_entries, fault.offset));
  return faults;
}

py::list faults_of(const io::ObjectVerification& verification) {
  py::list faults;
  for (const std::string& fault : verification.faults) faults.append(py::make_tuple(text_of(fault)));
  return faults;
}

struct VerifiedCounts {
  std::uint64_t parts, bytes, unverified, bytes_unverified, unread;
};

// Of an RNTuple, a TTree, or the other objects of a file.
template <typename Verified>
py::dict item_of(const Verified& verified, const std::string& name, const char* format,
                 VerifiedCounts counts) {
  py::dict item;
  item["path"] = text_of(verified.path);
  item["name"] = text_of(name);
  item["format"] = format;
  item["sound"] = verified.is_sound();
  item["problem"] = text_of(verified.problem);
  item["parts"] = counts.parts;
  item["bytes"] = counts.bytes;
  item["unverified"] = counts.unverified;
  item["bytes_unverified"] = counts.bytes_unverified;
  item["unread"] = counts.unread;
  item["faults"] = faults_of(verified.verification);
  return item;
}

py::tuple verify(std::vector<std::string> paths, bool write_checksums, std::string checksum_folder,
                 int threads) {
  skims::VerifyReport report;
  run_interruptibly([&](StopFlag stop) {
    report = skims::verify({.paths = without_secrets(std::move(paths)),
                            .threads = threads,
                            .writes_checksums = write_checksums,
                            .checksum_folder = std::move(checksum_folder),
                            .stop = stop});
  });
  py::list items;
  for (const skims::VerifiedEvents& events : report.events) {
    const io::EventsVerification& found = events.verification;
    items.append(item_of(
        events, events.name, events.name.empty() ? "" : name_of(events.format),
        {found.num_parts, found.num_bytes, found.num_unverified, found.bytes_unverified, found.num_unread}));
  }
  for (const skims::VerifiedObjects& objects : report.objects) {
    const io::ObjectVerification& found = objects.verification;
    items.append(
        item_of(objects, {}, "objects",
                {found.num_histograms + found.num_others, found.num_bytes, found.num_unproven, 0, 0}));
  }
  py::list checksums;
  for (const skims::WrittenChecksums& written : report.checksums)
    checksums.append(py::make_tuple(text_of(written.path), written.num_records, text_of(written.problem)));
  return py::make_tuple(report.is_sound(), text_of(skims::to_text(report)), items, checksums);
}

std::optional<io::CompressionSetting> compression_of(const std::optional<std::string>& text) {
  return text ? std::optional(io::parse_compression(*text)) : std::nullopt;
}

py::tuple merge(const std::string& output, std::vector<std::string> inputs, std::vector<std::string> include,
                std::vector<std::string> exclude, bool skip_bad, bool allow_overlap, bool allow_changed,
                bool require_checksums, const std::optional<std::string>& compression,
                const std::string& method, const std::string& missing_fields, const std::string& cluster_size,
                std::optional<bool> verify, bool incomplete, bool keep_order, bool force, int threads) {
  skims::MergeRequest request;
  request.threads = threads;
  request.allow_overlap = allow_overlap;
  request.overwrites = force;
  request.keeps_order = keep_order;
  request.allows_missing = incomplete;
  io::MergeOptions& options = request.options;
  skims::set_ntuple_options(options, method, missing_fields, cluster_size);
  options.verifies = verify;
  options.output = io::hide_secrets(output);
  options.inputs = without_secrets(std::move(inputs));
  options.include = std::move(include);
  options.exclude = std::move(exclude);
  options.skip_bad = skip_bad;
  options.allow_changed = allow_changed;
  options.requires_checksums = require_checksums;
  options.compression = compression_of(compression);
  skims::MergeReport report;
  run_interruptibly([&](StopFlag stop) {
    options.stop = stop;
    report = skims::merge(std::move(request));
  });
  return py::make_tuple(skims::to_json(report), text_of(skims::to_text(report)));
}

py::tuple convert(std::vector<std::string> inputs, const std::string& output, std::string name,
                  std::vector<std::string> keep, std::vector<std::string> drop, bool columns_in_common,
                  const std::string& collections, const std::string& compression, bool allow_duplicates,
                  bool require_checksums, bool force, int threads) {
  if (collections != "records" && collections != "vectors")
    throw py::value_error("collections is \"records\" or \"vectors\", not \"" + collections + "\"");
  skims::ConvertOptions options;
  options.allows_duplicates = allow_duplicates;
  options.requires_checksums = require_checksums;
  options.inputs = without_secrets(std::move(inputs));
  options.output = io::hide_secrets(output);
  options.ntuple_name = std::move(name);
  options.keep = std::move(keep);
  options.drop = std::move(drop);
  options.has_only_common_columns = columns_in_common;
  options.has_records = collections == "records";
  options.settings.compression = io::parse_writer_compression(compression);
  options.overwrites = force;
  options.threads = threads;
  skims::ConvertReport report;
  run_interruptibly([&](StopFlag stop) {
    options.stop = stop;
    report = skims::convert(options);
  });
  py::dict values;
  values["path"] = text_of(report.path);
  values["name"] = text_of(report.ntuple_name);
  values["entries"] = report.num_entries;
  values["columns"] = report.num_columns;
  values["bytes_read"] = report.bytes_read;
  values["bytes"] = report.file_bytes;
  values["seconds"] = report.seconds;
  values["differences"] = texts_of(report.differences);
  py::dict left_out;
  for (const skims::LeftOutColumn& column : report.left_out)
    left_out[text_of(column.name)] = text_of(column.reason);
  values["left_out"] = left_out;
  values["warnings"] = texts_of(report.warnings);
  return py::make_tuple(values, text_of(skims::to_text(report)));
}

py::tuple generate(const std::string& model, const std::string& output, std::uint64_t num_events,
                   std::uint64_t seed, std::string sample, const std::string& format, std::string name,
                   const std::string& compression, bool force, int threads) {
  skims::GenerateOptions options;
  options.events = {generate::parse_synthetic_model(model), num_events, seed, std::move(sample)};
  const auto known = io::output_format_called(format);
  if (!known) throw ConfigError("unknown format \"" + format + "\"");
  options.format = *known;
  options.path = io::hide_secrets(output);
  options.ntuple_name = std::move(name);
  options.settings.compression = io::parse_writer_compression(compression);
  options.overwrites = force;
  options.threads = threads;
  skims::GenerateReport report;
  run_interruptibly([&](StopFlag stop) {
    options.stop = stop;
    report = skims::generate(options);
  });
  py::dict values;
  values["path"] = text_of(report.path);
  values["events"] = report.num_events;
  values["bytes"] = report.file_bytes;
  values["seconds"] = report.seconds;
  values["threads"] = report.threads;
  return py::make_tuple(values, text_of(skims::to_text(report)));
}

void check_replaced(const std::string& path, const std::string& command,
                    const std::vector<std::string>& arguments) {
  run_interruptibly([&](StopFlag) {
    skims::check_replaced(io::hide_secrets(path), skims::job_called(command, arguments));
  });
}

void mark_as_output(const std::string& path, const std::string& command,
                    const std::vector<std::string>& arguments) {
  io::mark_as_output(io::hide_secrets(path), skims::job_called(command, arguments));
}

io::ChangedRecords changed(bool are_allowed) {
  return are_allowed ? io::ChangedRecords::kAllowed : io::ChangedRecords::kRefused;
}

using NamedHistograms = std::vector<std::pair<std::string, std::shared_ptr<Histogram>>>;

py::list list_of(const NamedHistograms& read) {
  py::list histograms;
  for (const auto& [name, histogram] : read) histograms.append(py::make_tuple(text_of(name), histogram));
  return histograms;
}

py::tuple read_drawn_histograms(const std::string& path) {
  NamedHistograms read;
  std::vector<std::pair<std::string, std::string>> unread;
  run_interruptibly([&](StopFlag stop) {
    const skims::HistogramFile file(io::hide_secrets(path));
    for (const std::string& name : file.names()) {
      stop.throw_if_set();
      std::vector<std::string> reason;
      if (auto histogram = file.read(name, reason))
        read.emplace_back(name, std::make_shared<Histogram>(*std::move(histogram)));
      else
        unread.emplace_back(name, reason.front());
    }
  });
  py::dict reasons;
  for (const auto& [name, reason] : unread) reasons[text_of(name)] = text_of(reason);
  return py::make_tuple(list_of(read), reasons);
}

py::list read_histograms(const std::string& path, bool allow_changed) {
  NamedHistograms read;
  run_interruptibly([&](StopFlag stop) {
    const skims::HistogramFile file(io::hide_secrets(path), changed(allow_changed));
    for (const std::string& name : file.names()) {
      stop.throw_if_set();
      read.emplace_back(name, std::make_shared<Histogram>(file.read(name)));
    }
  });
  return list_of(read);
}

std::shared_ptr<Histogram> read_histogram(const std::string& path, const std::string& name,
                                          bool allow_changed) {
  std::shared_ptr<Histogram> histogram;
  run_interruptibly([&](StopFlag) {
    const skims::HistogramFile file(io::hide_secrets(path), changed(allow_changed));
    histogram = std::make_shared<Histogram>(file.read(name));
  });
  return histogram;
}

std::string histogram_catalogue(const std::string& path) {
  std::string json;
  run_interruptibly([&](StopFlag) {
    json = skims::to_json(skims::catalogue_of(skims::HistogramFile(io::hide_secrets(path))));
  });
  return json;
}

py::tuple read_record(const std::string& given) {
  const std::string path = io::hide_secrets(given);
  std::string json, text;
  run_interruptibly([&](StopFlag) {
    const std::optional<skims::RunRecord> record = skims::HistogramFile(path).record();
    if (!record)
      throw FileError(path,
                      "has no record of a run: skimline did not write it, or another tool has left it out");
    json = skims::to_json(*record);
    text = path + ": " + skims::to_text(*record);
  });
  return py::make_tuple(json, text_of(text));
}

}  // namespace

void bind_files(py::module_& module) {
  const py::arg path("path"), output("output"), inputs("inputs"), compression("compression"),
      threads("threads"), name("name"), force("force");
  module.def("inspect", &inspect, py::arg("location"));
  module.def("verify", &verify, py::arg("paths"), py::kw_only(), py::arg("write_checksums"),
             py::arg("checksum_folder"), threads);
  module.def("merge", &merge, output, inputs, py::kw_only(), py::arg("include"), py::arg("exclude"),
             py::arg("skip_bad"), py::arg("allow_overlap"), py::arg("allow_changed"),
             py::arg("require_checksums"), compression, py::arg("method"), py::arg("missing_fields"),
             py::arg("cluster_size"), py::arg("verify"), py::arg("incomplete"), py::arg("keep_order"), force,
             threads);
  module.def("convert", &convert, inputs, output, py::kw_only(), name, py::arg("keep"), py::arg("drop"),
             py::arg("columns_in_common"), py::arg("collections"), compression, py::arg("allow_duplicates"),
             py::arg("require_checksums"), force, threads);
  module.def("generate", &generate, py::arg("model"), output, py::kw_only(), py::arg("events"),
             py::arg("seed"), py::arg("sample"), py::arg("format"), name, compression, force, threads);
  module.def("check_replaced", &check_replaced, path, py::arg("command"), py::arg("arguments"));
  module.def("mark_as_output", &mark_as_output, path, py::arg("command"), py::arg("arguments"));
  const py::arg allow_changed("allow_changed");
  module.def("read_histograms", &read_histograms, path, py::kw_only(), allow_changed);
  module.def("read_drawn_histograms", &read_drawn_histograms, path);
  module.def("read_histogram", &read_histogram, path, name, py::kw_only(), allow_changed);
  module.def("histogram_catalogue", &histogram_catalogue, path);
  module.def("read_record", &read_record, path);
}

}  // namespace skimline::python
