// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/appended_entries.h"

#include "histograms/merge_inputs.h"
#include "merging/entries_merge.h"

#include <utility>

namespace skimline::io {

class AppendedEntries::Implementation {
 public:
  Implementation(RootFileWriter& file, std::string path, bool is_tree, MergeOptions options)
      : file_(file),
        options_(std::move(options)),
        entries_(merge_of_entries({std::move(path), is_tree, {}}, options_)) {}

  void add(const std::string& path) {
    entries_->add({{path}});
    if (first_.empty()) {
      entries_->check();
      entries_->begin(file_);
      first_ = path;
    } else {
      entries_->check_added(path, first_);
    }
    entries_->append([](std::uint64_t) {});
  }

  EntriesMerge& entries() const { return *entries_; }

 private:
  RootFileWriter& file_;
  MergeOptions options_;
  std::string first_;
  std::unique_ptr<EntriesMerge> entries_;
};

AppendedEntries::AppendedEntries(RootFileWriter& file, std::string path, bool is_tree, MergeOptions options)
    : implementation_(std::make_unique<Implementation>(file, std::move(path), is_tree, std::move(options))) {}
AppendedEntries::~AppendedEntries() = default;

void AppendedEntries::add(const std::string& path) { implementation_->add(path); }
MergedNTuple AppendedEntries::finish() { return implementation_->entries().finish(); }
std::uint64_t AppendedEntries::content_hash() const { return implementation_->entries().content_hash(); }

}  // namespace skimline::io
