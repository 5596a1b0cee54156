// SPDX-License-Identifier: BSD-3-Clause
#include "run/written_entries.h"

#include "plan/carried_columns.h"
#include "plan/members_as_columns.h"
#include "plan/written_names.h"
#include "run/skim_sink.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"
#include "skimline/io/output_formats.h"

#include <memory>
#include <set>

namespace skimline::skims {
namespace {

// Fields that are wanted and can be written, in the order of the first file.
std::vector<std::string> writable_names(const io::InputSource& source, const WriteOptions& options,
                                        std::vector<LeftOutColumn>& left_out_columns) {
  const io::OutputFormat& format = output_format(options.format);
  std::vector<std::string> names;
  for (const ColumnInfo& column : source.schema().columns()) {
    if (!options.columns.is_wanted(column.name)) continue;
    if (!format.problem_of(column.type).empty())
      left_out_columns.push_back({column.name, "it is a " + name_of(column.type), LeftOutKind::kUnwritable});
    else
      names.push_back(column.name);
  }
  for (const io::UnsupportedField& field : source.unsupported_fields()) {
    if (!options.columns.is_wanted(field.name)) continue;
    if (field.is_carriable && format.carries_unread)
      names.push_back(field.name);
    else
      left_out_columns.push_back(left_out(field, options.format, source.schema()));
  }
  return names;
}

SkimSinkOptions sink_options(const std::string& name, const WriteOptions& options) {
  SkimSinkOptions sink;
  sink.format = options.format;
  sink.name = name;
  sink.settings = options.settings;
  sink.stop = options.stop;
  return sink;
}

std::vector<std::string> warnings_of(const std::string& what, const std::vector<LeftOutColumn>& left_out,
                                     const std::string& renamed) {
  const std::string front = "warning: the " + what + " is written ";
  std::vector<std::string> warnings;
  if (!left_out.empty()) warnings.push_back(front + "without " + left_out_text(left_out));
  if (!renamed.empty())
    warnings.push_back(front + "with " + renamed + ", which are names that a file can have");
  return warnings;
}

// What a sink takes of the columns that are computed, under names that they can have in a file.
SkimColumns sink_columns(const io::InputSource& source, const std::vector<std::string>& fields,
                         const io::Carrying& carrying, const WriteOptions& options, std::string& renamed) {
  SkimColumns columns;
  columns.carried = carrying.fields;
  if (options.lists == WrittenLists::kRecords)
    columns.collections = written_collections(source, options.format);
  const std::set<std::string> computed(carrying.computed.begin(), carrying.computed.end());
  std::set<std::string> taken;
  for (const std::string& name : fields)
    if (!computed.contains(name)) taken.insert(name.substr(0, name.find('.')));
  const std::vector<std::string> names = written_names(carrying.computed, taken);
  for (std::size_t i = 0; i < names.size(); ++i) {
    ColumnInfo info = source.schema()[*source.schema().find(carrying.computed[i])];
    info.name = names[i];
    columns.computed.add(std::move(info));
  }
  rename(columns.collections, carrying.computed, names);
  renamed = renamed_text(carrying.computed, names);
  return columns;
}

// Takes what cannot be carried alike out of `names`.
io::Carrying carry_fields(io::InputSource& source, const WriteOptions& options,
                          std::vector<std::string>& names, std::vector<LeftOutColumn>& left_out_columns) {
  ColumnsOfRecords members;
  if (options.lists == WrittenLists::kVectors) members = take_members(source, names);
  io::Carrying carrying;
  for (const auto& gone : {carry_alike(source, names, carrying), members.left_out})
    left_out_columns.insert(left_out_columns.end(), gone.begin(), gone.end());
  for (auto* columns : {&names, &carrying.computed})
    columns->insert(columns->end(), members.columns.begin(), members.columns.end());
  return carrying;
}

}  // namespace

WrittenEntries write_entries(io::InputSource& source, const std::string& name, io::RootFileWriter& output,
                             const WriteOptions& options) {
  WrittenEntries written;
  std::vector<std::string> names = writable_names(source, options, written.left_out);
  io::Carrying carrying;
  if (output_format(options.format).carries_fields)
    carrying = carry_fields(source, options, names, written.left_out);
  else
    carrying.computed = names;
  const std::set<std::string> repeated = repeated_names(source, carrying.computed);
  for (auto* columns : {&names, &carrying.computed})
    std::erase_if(*columns, [&](const std::string& each) { return repeated.contains(each); });
  std::string renamed;
  SkimColumns columns = sink_columns(source, names, carrying, options, renamed);
  if (options.may_lack) std::erase_if(written.left_out, options.may_lack);
  written.warnings =
      warnings_of(std::string(io::name_of(options.format)) + " \"" + name + "\"", written.left_out, renamed);
  if (names.empty() && source.schema().size() + source.unsupported_fields().size() > 0) return written;
  const std::unique_ptr<SkimSink> writer =
      make_skim_sink(output, std::move(columns), sink_options(name, options));
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
  written.num_columns = names.size();
  written.content_hash = summary.files.front().content_hash;
  return written;
}

}  // namespace skimline::skims
