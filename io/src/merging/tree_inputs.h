// SPDX-License-Identifier: BSD-3-Clause
// The TTrees of one path in the inputs of a merge.
#pragma once

#include "columns/described_bits.h"
#include "merging/copied_files.h"
#include "merging/input_of_entries.h"
#include "merging/stored_classes.h"
#include "merging/tree_differences.h"
#include "ttree/tree_copy.h"

#include "skimline/io/input_file.h"
#include "skimline/io/merge_options.h"
#include "skimline/io/tree_descriptor.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace skimline::io {

/// A tree of one file.
struct TreeInput {
  std::unique_ptr<InputFile> file;
  TreeDescriptor tree;
  std::vector<std::uint32_t> branches;  ///< for each branch its number in the tree of the whole
  std::uint64_t first_entry = 0;        ///< in the whole
  std::string uneven_friend{};          ///< one in the same file that has another number of entries, if any
  StoredClasses classes{};              ///< of its objects
  std::string class_name{};             ///< of one for TreeInputs::take()
  ProcessShift processes{};

  /// Entries of each cluster.
  std::vector<std::uint64_t> cluster_entries() const;
};

/// Reads the metadata of all of them once, to compare them, and again, where there are many, as the merge
/// comes to each. Files are closed in between.
class TreeInputs {
 public:
  /// The options must outlive the inputs.
  TreeInputs(std::string path, const MergeOptions& options) : path_(std::move(path)), options_(options) {}

  /// Adds files behind those there are. Reads in parallel, on the threads of the current arena. Throws
  /// FileError, and Error for two files with the same UUID, unless the options allow copies.
  void add(std::vector<InputOfEntries> files);

  /// Takes one that was read already, as the only one.
  void take(TreeDescriptor pattern, TreeOutline outline, std::shared_ptr<TreeInput> input);

  /// Throws SchemaError that lists all in which the trees differ, and all that cannot be merged.
  void check() const;

  const std::string& path() const { return path_; }
  const std::string& class_name() const { return class_name_; }
  /// What the key of the object adds to numbers of processes.
  std::uint16_t process_offset() const { return process_offset_; }
  std::uint64_t num_entries() const { return whole_.num_entries; }
  std::uint64_t num_baskets() const { return num_baskets_; }
  std::uint64_t num_files() const { return inputs_.size(); }

  /// The tree that the whole is made after: the first that has branches.
  const TreeDescriptor& pattern() const { return pattern_; }
  const TreeOutline& outline() const { return outline_; }
  /// What the trees have together, but for their baskets.
  const CopiedTree& whole() const { return whole_; }

  /// Which bits the files describe differently, a sentence for each branch.
  const std::vector<std::string>& other_bits() const { return bits_.differences(); }

  /// Returns the next one in their order, nullptr behind the last.
  std::shared_ptr<const TreeInput> next();

 private:
  struct Input {
    std::string file;
    ProcessShift processes;
    std::string uuid;
    std::uint64_t num_entries = 0, num_baskets = 0, first_entry = 0;
    std::shared_ptr<TreeInput> read;  // kept, as far as there is room
  };
  void note(std::size_t number);
  void begin_whole(const Input& input);
  void begin_whole();
  void add_ranges(const TreeInput& read);
  void add_index(const TreeInput& read);
  void check_friend_before(const TreeInput& read);
  void note_bits(const TreeInput& read, bool is_pattern);

  std::string path_;
  const MergeOptions& options_;
  std::vector<Input> inputs_;
  CopiedFiles copies_;
  TreeDifferences differences_;
  DescribedBits bits_;
  bool has_pattern_ = false;
  std::string class_name_;
  std::uint16_t process_offset_ = 0;
  TreeDescriptor pattern_;
  TreeOutline outline_;
  CopiedTree whole_;
  std::uint64_t num_baskets_ = 0;
  std::uint64_t num_kept_baskets_ = 0;
  std::size_t next_ = 0;
  std::pair<std::string, std::string> uneven_friend_;  // of the last file with one, and this file
};

}  // namespace skimline::io
