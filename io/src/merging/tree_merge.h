// SPDX-License-Identifier: BSD-3-Clause
// One TTree out of those of several files, basket by basket.
#pragma once

#include "merging/tree_inputs.h"
#include "storage/buffer_pool.h"
#include "ttree/carried_basket.h"

#include "skimline/io/merge_options.h"
#include "skimline/io/merge_summary.h"
#include "skimline/io/root_file_writer.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace skimline::io {

/// Baskets lie in the output input by input, cluster by cluster and branch by branch. Holds the list of all
/// baskets, and the bytes of a few.
class TreeMerge {
 public:
  /// File, inputs and options must outlive the merge.
  TreeMerge(RootFileWriter& file, TreeInputs& inputs, const MergeOptions& options);
  /// Baskets may have more entries than the trees say; without it, they are damaged.
  void allow_cuts() { carrying_.cuts = true; }
  ~TreeMerge();

  /// Appends the baskets of the inputs that come next, on the threads of the current arena; `done` is told
  /// how many got in at a time. Throws FileError for a damaged basket, with its place, and Interrupted.
  void append(const std::function<void(std::uint64_t)>& done);

  /// Writes the TTree object. Throws Error if it is too large for a file.
  MergedNTuple finish();

  /// A hash of all baskets. Valid after finish().
  std::uint64_t content_hash() const { return hash_; }

 private:
  struct Item;
  struct Job;
  class Jobs;

  void carry_baskets(Job& job);
  void read_baskets(Job& job);
  void place(Job& job);
  void place(const TreeInput& input, Item& item, std::uint64_t& offset);
  void write(const Job& job);
  void note(const Job& job);

  RootFileWriter& file_;
  TreeInputs& inputs_;
  const MergeOptions& options_;
  CarryOptions carrying_;
  BufferPool pool_;
  std::vector<WrittenBranch> branches_;
  std::unordered_map<std::uint64_t, std::uint64_t> shared_;  // places of baskets that several branches have
  const TreeInput* shared_of_ = nullptr;                     // whose they are
  MergedNTuple merged_;
  std::uint64_t hash_ = 0;
};

}  // namespace skimline::io
