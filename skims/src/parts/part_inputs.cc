// SPDX-License-Identifier: BSD-3-Clause
#include "parts/part_inputs.h"

#include "skimline/io/text_digest.h"
#include "skimline/skims/diagnostics.h"

namespace skimline::skims {
namespace {

// As a part of a text of which no other has the same parts.
void append(std::string& text, const std::string& part) { text += std::to_string(part.size()) + ':' + part; }

void append(std::string& text, const std::vector<std::string>& parts) {
  append(text, std::to_string(parts.size()));
  for (const std::string& part : parts) append(text, part);
}

void append(std::string& text, const std::vector<io::Collection>& collections) {
  append(text, std::to_string(collections.size()));
  for (const io::Collection& collection : collections) {
    append(text, collection.name);
    append(text, collection.count);
    append(text, collection.columns);
  }
}

EntryRange moved(EntryRange entries, std::uint64_t by) { return {entries.first + by, entries.count}; }

// Of the columns, what is known of them, and the formats of the files.
std::string columns_digest(const io::InputSource& source) {
  std::string text;
  const Schema& schema = source.schema();
  for (std::size_t column = 0; column < schema.size(); ++column) {
    const ColumnInfo& info = schema[column];
    for (const std::string& each : {info.name, name_of(info.type), info.description}) append(text, each);
    append(text, source.field_type_names()[column]);
  }
  for (const io::UnsupportedField& field : source.unsupported_fields()) append(text, field.name);
  for (const std::vector<std::string>& names : source.names_of_one_field()) append(text, names);
  append(text, source.collections());
  append(text, source.lists_of_equal_sizes());
  append(text, source.names_in_records());
  append(text, source.columns_nowhere());
  append(text, source.columns_with_gaps());
  std::set<std::string> formats;
  for (const io::InputFacts& file : source.files()) formats.insert(io::name_of(file.format));
  for (const std::string& format : formats) append(text, format);
  return io::text_digest(text);
}

}  // namespace

std::unique_ptr<io::InputSource> PartInputs::open(const Part& part) {
  if (needs_all_) return open_all(part);
  Files files = shown_;
  files.insert(part.file);
  std::unique_ptr<io::InputSource> source = open_some(files);
  if (!source || (files.size() < inputs_.inputs().size() && !show_all_columns(*source))) {
    if (!is_found_) {
      find_shown();
      return open(part);
    }
    needs_all_ = true;
    return open_all(part);
  }
  std::uint64_t before = 0;
  for (const std::size_t file : files)
    if (file < part.file) before += inputs_.num_entries(file);
  source->restrict_to(moved(part.entries_of_file(), before));
  return source;
}

void PartInputs::expect(const std::vector<Part>& parts) const {
  if (needs_all_) return;
  Files files = shown_;
  for (const Part& part : parts) files.insert(part.file);
  inputs_.expect_to_open({files.begin(), files.end()});
}

std::unique_ptr<io::InputSource> PartInputs::open_all(const Part& part) {
  std::unique_ptr<io::InputSource> source = inputs_.open();
  source->restrict_to(part.entries);
  return source;
}

// What the config says of all files, such as a default that a wider type in some of them holds, may be wrong
// for a few: then these show nothing.
std::unique_ptr<io::InputSource> PartInputs::open_some(const Files& files) {
  try {
    return inputs_.open_some({files.begin(), files.end()});
  } catch (const MarkedError&) {
    return nullptr;
  }
}

bool PartInputs::show_all_columns(const io::InputSource& source) {
  if (columns_.empty()) columns_ = columns_digest(whole_);
  return columns_digest(source) == columns_;
}

// Of files with the same columns the first one stands for all. What cannot be opened alone is one more only
// if it shows other columns beside these.
void PartInputs::find_shown() {
  is_found_ = true;
  std::set<std::string> known;
  Files unknown;
  for (std::size_t file = 0; file < inputs_.inputs().size(); ++file) {
    const std::unique_ptr<io::InputSource> source = open_some({file});
    if (!source)
      unknown.insert(file);
    else if (known.insert(columns_digest(*source)).second)
      shown_.insert(file);
  }
  for (const std::size_t file : unknown) {
    Files more = shown_;
    more.insert(file);
    const std::unique_ptr<io::InputSource> source = open_some(more);
    if (!source || !show_all_columns(*source)) shown_.insert(file);
  }
}

}  // namespace skimline::skims
