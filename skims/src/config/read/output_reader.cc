// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/output_reader.h"

#include "base/resolved_path.h"
#include "base/text_table.h"
#include "config/json/object_reader.h"

#include <utility>

namespace skimline::skims {
namespace {

class OutputReader {
 public:
  OutputReader(const JsonValue& value, std::filesystem::path folder, Diagnostics& diagnostics)
      : object_(value, "\"output\"", {"histograms", "report", "cutflow", "n_minus_1"}, diagnostics),
        folder_(std::move(folder)) {}

  void read(OutputConfig& output) const {
    read_histograms(output);
    read_report(output);
    output.cutflow = object_.text("cutflow");
    if (output.cutflow) output.cutflow_path = path_of(*output.cutflow);
    output.n_minus_1 = object_.flag("n_minus_1", false);
  }

 private:
  void read_histograms(OutputConfig& output) const {
    const JsonValue* histograms = object_.find("histograms");
    if (!histograms) return;
    if (histograms->kind == JsonKind::kObject) {
      const ObjectReader object(*histograms, "\"histograms\" of \"output\"", {"file", "name"},
                                object_.diagnostics());
      output.histograms = object.required_text("file");
      read_names(object, output);
    } else {
      output.histograms = object_.text("histograms");
    }
    if (output.histograms) output.histograms_path = path_of(*output.histograms);
  }

  // One template, or one for nominal histograms and one for those of variations.
  void read_names(const ObjectReader& object, OutputConfig& output) const {
    const JsonValue* name = object.find("name");
    if (!name || name->kind != JsonKind::kObject) {
      output.name_template = output.varied_name_template = object.text("name");
      return;
    }
    const ObjectReader names(*name, "\"name\" of \"histograms\"", {"nominal", "varied"},
                             object.diagnostics());
    output.name_template = names.required_text("nominal");
    output.varied_name_template = names.required_text("varied");
    if (!output.name_template || !output.varied_name_template)
      output.name_template = output.varied_name_template = std::nullopt;
  }

  void read_report(OutputConfig& output) const {
    const JsonValue* report = object_.find("report");
    if (!report) return;
    const std::string json_path = std::exchange(output.report_path, {});
    if (report->kind == JsonKind::kBool && !report->boolean) return;
    if (report->kind != JsonKind::kString && report->kind != JsonKind::kList) {
      object_.diagnostics().add(report->location, "\"report\" must be a path, a list of paths or false");
      return;
    }
    output.report_path = json_path;
    if (report->kind == JsonKind::kString) return read_report(object_.text("report"), output);
    for (const Text& path : object_.texts("report")) read_report(path, output);
  }

  // One file of each format.
  void read_report(const std::optional<Text>& path, OutputConfig& output) const {
    if (!path) return;
    std::optional<Text>& file = is_html(path->value) ? output.html_report : output.report;
    if (file)
      object_.diagnostics().add(path->location,
                                "there is a report of this format already, " + in_quotes(file->value));
    file = path;
    (is_html(path->value) ? output.html_report_path : output.report_path) = path_of(*path);
  }

  std::string path_of(const Text& file) const { return resolved(folder_, file.value).string(); }

  ObjectReader object_;
  std::filesystem::path folder_;
};

}  // namespace

bool is_html(const std::string& path) { return path.ends_with(".html"); }

void read_output(const JsonValue* value, Config& config, const std::filesystem::path& folder,
                 Diagnostics& diagnostics) {
  const std::string& path = config.source->path;
  if (!is_of_system(path))
    config.output.report_path =
        (folder / (std::filesystem::path(path).stem().string() + ".report.json")).string();
  if (value) OutputReader(*value, folder, diagnostics).read(config.output);
}

}  // namespace skimline::skims
