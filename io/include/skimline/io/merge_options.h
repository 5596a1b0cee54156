// SPDX-License-Identifier: BSD-3-Clause
// What is merged, and how.
#pragma once

#include "skimline/framework/stop_flag.h"
#include "skimline/io/compression.h"
#include "skimline/io/missing_fields.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace skimline::io {

/// The texts (TObjString) that the inputs of a merge have under one path.
struct TextsOfInputs {
  /// The text of one input.
  struct Text {
    std::string file;
    std::string text;
  };
  std::string path;
  std::vector<Text> texts;  ///< in the order of the inputs; of several cycles in one, the oldest first
  std::uint64_t num_files_without = 0;
};

/// How the bytes of RNTuples get into the output.
enum class MergeMethod {
  kClone,    ///< whole clusters are shared by the storage, neither read nor written
  kKernel,   ///< the system copies them, without their passing through this process
  kCopy,     ///< pages are read, verified and written as they are stored
  kRewrite,  ///< pages are decoded and encoded anew
};

/// What merge_files() merges, and how.
struct MergeOptions {
  std::vector<std::string> inputs;
  std::string output;
  /// If not given, that of `skimline run` for inputs that it wrote; for others zstd 1, which makes histograms
  /// as small as higher levels in a quarter of the time.
  std::optional<CompressionSetting> compression;
  /// Patterns of object paths ("dir/name"), in which "*" stands for any text, "/" included, and "?" for any
  /// letter. Objects take part that match one of `include`, or all if it is empty, and none of `exclude`.
  /// Others are not even looked at.
  std::vector<std::string> include, exclude;
  /// Objects in this directory say how the histograms came to be. They take part whatever `include` says,
  /// unless they match a pattern of `exclude` that begins with this name, and do not count as histograms.
  std::string record_directory;
  /// Makes one text of several, and of a single one too. Without it, texts are no histograms.
  std::function<std::string(const TextsOfInputs&)> combine_texts;
  /// Take what Skimline wrote and what has other bytes than then as another program's change: ROOT's objects
  /// count, without exact sums. Without it, it is damage.
  bool allow_changed = false;
  /// Refuse inputs of which not all that is read has checksums: those that Skimline did not write.
  bool requires_checksums = false;
  /// Leave out inputs that cannot be read, each as a whole.
  bool skip_bad = false;
  /// By what RNTuples are merged; if not given, the first that is possible of kClone and kCopy. Clusters that
  /// must be are rewritten all the same.
  std::optional<MergeMethod> method;
  /// Whether all checksums are verified while pages are merged; if not given, where pages are read anyway.
  std::optional<bool> verifies;
  MissingFields missing_fields = MissingFields::kRefuse;
  /// Clusters that take no more in memory are joined, to no more; kRewrite cuts all to this. 0 joins and cuts
  /// none. If not given, 16 MiB; 128 MiB with kRewrite, and 0 with other methods that are asked for.
  std::optional<std::uint64_t> cluster_bytes;
  /// Merge also files with the same UUID, which are copies of each other.
  bool allows_copies = false;
  /// Returns the order in which the entries of the files follow each other, as numbers of them; without it,
  /// that of the inputs. Called once texts are combined, if there are entries.
  std::function<std::vector<std::size_t>(const std::vector<std::string>& files)> order;
  StopFlag stop;  ///< makes it throw Interrupted soon once it is set
  /// Called when the output is complete, before it has its name. What it throws ends the merge.
  std::function<void()> before_naming;
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;  ///< told of the histograms
};

}  // namespace skimline::io
