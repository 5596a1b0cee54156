// SPDX-License-Identifier: BSD-3-Clause
#include "written_entries.h"

#include "skim_sink.h"
#include "text_table.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"
#include "skimline/io/tree_sink.h"

#include <algorithm>

namespace skimline::skims {
namespace {

// Columns that are not written, and why.
struct LeftOut {
  std::vector<std::string> different;   // from file to file
  std::vector<std::string> unreadable;  // with the reason
  std::vector<std::string> unwritable;  // in a TTree
};

std::string quoted(const std::string& name) { return "\"" + name + "\""; }

// Names of what can be written, in the order of the first file.
std::vector<std::string> writable_names(const io::InputSource& source, LeftOut& left_out) {
  std::vector<std::string> names = source.schema().names();
  for (const io::UnsupportedField& field : source.unsupported_fields())
    if (field.is_carriable)
      names.push_back(field.name);
    else
      left_out.unreadable.push_back(quoted(field.name) + " (" + field.reason + ")");
  for (const std::string& name : source.columns_left_out()) left_out.different.push_back(quoted(name));
  return names;
}

// A carrying of all fields that the files have in common, in the order of the first.
io::Carrying carry_all(io::InputSource& source, LeftOut& left_out) {
  const std::vector<std::string> names = writable_names(source, left_out);
  try {
    return source.carry(names);
  } catch (const SchemaError&) {
    std::vector<std::string> common;
    for (const std::string& name : names) {
      try {
        source.carry({name});
        common.push_back(name);
      } catch (const SchemaError&) {
        left_out.different.push_back(quoted(name));
      }
    }
    return source.carry(common);
  }
}

// The same for a TTree, of the columns that it can hold.
io::Carrying compute_all(const io::InputSource& source, LeftOut& left_out) {
  io::Carrying carrying;
  LeftOut others;
  writable_names(source, others);
  left_out.different = others.different;
  left_out.unreadable = others.unreadable;
  for (const ColumnInfo& column : source.schema().columns()) {
    const bool is_held = io::problem_in_tree(column.type).empty();
    (is_held ? carrying.computed : left_out.unwritable)
        .push_back(is_held ? column.name : quoted(column.name));
  }
  for (const io::UnsupportedField& field : source.unsupported_fields())
    if (field.is_carriable) left_out.unwritable.push_back(quoted(field.name));
  return carrying;
}

std::vector<std::string> warnings_of(const std::string& name, io::DataFormat format,
                                     const LeftOut& left_out) {
  const std::string front =
      std::string("warning: the ") + io::name_of(format) + " " + quoted(name) + " is written without ";
  std::vector<std::string> warnings;
  if (!left_out.different.empty())
    warnings.push_back(front + first_few(left_out.different) +
                       ", which not all inputs have, or not with the same type");
  if (!left_out.unwritable.empty())
    warnings.push_back(front + first_few(left_out.unwritable) + ", which no TTree can hold");
  if (!left_out.unreadable.empty())
    warnings.push_back(front + first_few(left_out.unreadable) + ", which cannot be read");
  return warnings;
}

}  // namespace

WrittenEntries write_entries(io::InputSource& source, const std::string& name, io::RootFileWriter& output,
                             const WriteOptions& options) {
  WrittenEntries written;
  LeftOut left_out;
  const bool is_tree = options.format == io::DataFormat::kTTree;
  const io::Carrying carrying = is_tree ? compute_all(source, left_out) : carry_all(source, left_out);
  written.warnings = warnings_of(name, options.format, left_out);
  SkimColumns columns;
  columns.carried = carrying.fields;
  columns.collections = is_tree ? source.lists_of_equal_sizes() : source.collections();
  for (const std::string& column : carrying.computed)
    columns.computed.add(source.schema()[*source.schema().find(column)]);
  SkimSinkOptions sink_options;
  sink_options.format = options.format;
  sink_options.name = name;
  sink_options.compression = options.compression;
  sink_options.cluster_bytes = options.cluster_bytes;
  sink_options.page_bytes = options.page_bytes;
  sink_options.stop = options.stop;
  const std::unique_ptr<SkimSink> writer = make_skim_sink(output, std::move(columns), sink_options);
  PlanBuilder builder(source.schema());
  builder.write(kAllEntries, carrying.computed, writer->sink());
  const Plan plan = std::move(builder).build();
  RunOptions run_options;
  run_options.threads = options.threads;
  run_options.stop = options.stop;
  run_options.progress = options.progress;
  written.num_entries = run(plan, source, run_options).num_entries;
  SkimSummary summary;
  run_with_threads(options.threads, [&] { summary = writer->finish(); });
  written.num_columns = source.schema().size();
  written.content_hash = summary.content_hash;
  return written;
}

}  // namespace skimline::skims
