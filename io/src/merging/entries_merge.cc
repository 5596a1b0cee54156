// SPDX-License-Identifier: BSD-3-Clause
#include "merging/entries_merge.h"

#include "merging/ntuple_inputs.h"
#include "merging/ntuple_merge.h"
#include "merging/tree_inputs.h"
#include "merging/tree_merge.h"

#include "skimline/framework/error.h"
#include "skimline/framework/several_problems.h"
#include "skimline/io/format_error.h"
#include "skimline/io/rntuple_metadata.h"
#include "skimline/io/tree_metadata.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace skimline::io {
namespace {

void check_number(const MergedNTuple& merged, std::uint64_t expected) {
  if (merged.num_entries != expected)
    throw InternalError("\"" + merged.path + "\": " + std::to_string(merged.num_entries) + " of " +
                        std::to_string(expected) + " entries were merged");
}

class MergeOfNTuples : public EntriesMerge {
 public:
  MergeOfNTuples(std::string path, const MergeOptions& options)
      : options_(options), inputs_(std::move(path), {}, options) {}

  void add(std::vector<InputOfEntries> files) override {
    std::vector<std::string> paths;
    for (InputOfEntries& input : files) paths.push_back(std::move(input.file));
    inputs_.add(std::move(paths));
  }
  void check() override { schema_ = schema(); }
  void check_added(const std::string& file, const std::string& first) override {
    schema();
    if (inputs_.num_schemas() > 1)
      throw SchemaError(file + ": the fields of RNTuple \"" + path() +
                        "\" are stored otherwise than those of " + first);
  }

  void begin(RootFileWriter& file) override {
    merge_.emplace(file, path(), std::move(schema_).value(), options_);
    schema_.reset();
  }

  void append(const std::function<void(std::uint64_t)>& done) override {
    merge_->append([&] { return inputs_.next(); }, done);
  }

  MergedNTuple finish() override {
    MergedNTuple merged = merge_->finish();
    merged.num_files = inputs_.num_files();
    check_number(merged, inputs_.num_entries());
    return merged;
  }

  const std::string& path() const override { return inputs_.path(); }
  std::uint64_t num_to_do() const override { return inputs_.num_clusters(); }
  std::uint64_t content_hash() const override { return merge_->content_hash(); }

 private:
  MergeSchema schema() const {
    const std::string ntuple = "RNTuple \"" + path() + "\": ";
    try {
      return inputs_.schema();
    } catch (const SeveralProblems<SchemaError>& error) {
      throw SeveralProblems<SchemaError>(ntuple, error);
    } catch (const SchemaError& error) {
      throw SchemaError(ntuple + error.what());
    } catch (const FormatError& error) {
      throw SchemaError(ntuple + error.what());
    }
  }

  const MergeOptions& options_;
  NTupleInputs inputs_;
  std::optional<MergeSchema> schema_;
  std::optional<NTupleMerge> merge_;
};

class MergeOfTrees : public EntriesMerge {
 public:
  MergeOfTrees(std::string path, const MergeOptions& options)
      : options_(options), inputs_(std::move(path), options) {}

  void add(std::vector<InputOfEntries> files) override { inputs_.add(std::move(files)); }
  void check() override { inputs_.check(); }
  void check_added(const std::string&, const std::string&) override { inputs_.check(); }
  void begin(RootFileWriter& file) override { merge_.emplace(file, inputs_, options_); }
  void append(const std::function<void(std::uint64_t)>& done) override { merge_->append(done); }

  MergedNTuple finish() override {
    MergedNTuple merged = merge_->finish();
    merged.num_files = inputs_.num_files();
    merged.other_bits = inputs_.other_bits();
    check_number(merged, inputs_.num_entries());
    return merged;
  }

  const std::string& path() const override { return inputs_.path(); }
  std::uint64_t num_to_do() const override { return inputs_.num_baskets(); }
  std::uint64_t content_hash() const override { return merge_->content_hash(); }

 private:
  const MergeOptions& options_;
  TreeInputs inputs_;
  std::optional<TreeMerge> merge_;
};

// Of the branches too: what they say must fit to their baskets.
std::uint64_t num_entries_of_tree(const RootFile& file, const std::string& path) {
  const TreeDescriptor tree = read_tree(file, path);
  for (std::size_t i = 0; i < tree.branches.size(); ++i) {
    const TreeBranch& branch = tree.branches[i];
    const std::vector<TreeBasket>& baskets = tree.branch_data[i].baskets;
    if (!branch.problem.empty())
      throw InternalError("branch \"" + branch.path + "\" of TTree \"" + path + "\": " + branch.problem);
    if (!baskets.empty() && baskets.back().end_entry() != tree.num_entries)
      throw InternalError("branch \"" + branch.path + "\" of TTree \"" + path + "\" has " +
                          std::to_string(baskets.back().end_entry()) + " entries of " +
                          std::to_string(tree.num_entries));
  }
  return tree.num_entries;
}

}  // namespace

std::unique_ptr<EntriesMerge> merge_of_entries(const MergedEntries& entries, const MergeOptions& options) {
  if (entries.is_tree) return std::make_unique<MergeOfTrees>(entries.path, options);
  return std::make_unique<MergeOfNTuples>(entries.path, options);
}

std::uint64_t num_entries_of(const RootFile& file, const MergedNTuple& merged) {
  return merged.is_tree ? num_entries_of_tree(file, merged.path)
                        : read_descriptor(file, merged.path).num_entries();
}

}  // namespace skimline::io
