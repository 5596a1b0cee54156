// SPDX-License-Identifier: BSD-3-Clause
// The RNTuples of one path in the inputs of a merge.
#pragma once

#include "merging/copied_files.h"
#include "merging/ntuple_merge.h"
#include "rntuple/cluster_columns.h"
#include "rntuple/schema_union.h"

#include "skimline/io/merge_options.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace skimline::io {

/// Reads the metadata of all of them once for their schemas, and again, where there are many, as the merge
/// comes to each. Files are closed in between.
class NTupleInputs {
 public:
  /// Reads in parallel, on the threads of the current arena. Throws FileError, and Error for two files with
  /// the same UUID, unless the options allow copies.
  NTupleInputs(std::string ntuple, std::vector<std::string> files, const MergeOptions& options);

  /// Adds files behind those there are, with the errors of the constructor.
  void add(std::vector<std::string> files);

  const std::string& path() const { return ntuple_; }
  std::size_t num_schemas() const { return num_schemas_; }

  /// Throws SchemaError.
  MergeSchema schema() const { return MergeSchema(union_.unite(options_.missing_fields)); }

  std::uint64_t num_entries() const { return num_entries_; }
  std::uint64_t num_clusters() const { return num_clusters_; }
  std::uint64_t num_files() const { return inputs_.size(); }

  /// Returns the next one in their order, nullptr behind the last.
  std::shared_ptr<const NTupleInput> next();

 private:
  struct Input {
    std::string file;
    std::string uuid;
    std::size_t schema = 0;
    std::uint64_t num_entries = 0;
    std::uint64_t num_clusters = 0;
    std::shared_ptr<NTupleInput> read;  // kept, as far as there is room
  };
  void note(std::size_t number);

  std::string ntuple_;
  const MergeOptions& options_;
  std::vector<Input> inputs_;
  SchemaUnion union_;
  CopiedFiles copies_;
  std::uint64_t num_entries_ = 0;
  std::uint64_t num_clusters_ = 0;
  std::uint64_t num_kept_pages_ = 0;
  std::size_t num_schemas_ = 0;
  std::size_t next_ = 0;
};

}  // namespace skimline::io
