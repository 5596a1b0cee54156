// SPDX-License-Identifier: BSD-3-Clause
// Which objects of a file are wanted, by patterns of their paths.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::io {

/// Which objects of files take part in a merge, by patterns of their paths.
class ObjectFilter {
 public:
  /// Objects in `record_directory`, unless it is empty, are wanted but for patterns of `exclude` that begin
  /// with its name.
  ObjectFilter(const std::vector<std::string>& include, const std::vector<std::string>& exclude,
               std::string record_directory);

  /// Whether a path lies in the record directory.
  bool is_record(std::string_view path) const;
  /// Thread-safe.
  bool is_wanted(std::string_view path) const;
  /// Whether a pattern of `exclude` says so. Thread-safe.
  bool is_excluded(std::string_view path) const { return matches(exclude_, path); }

  /// Throws ConfigError naming a pattern that no path matched so far.
  void check_all_matched() const;

 private:
  struct Pattern {
    const std::string* text;
    mutable std::atomic<bool> is_matched{false};
  };
  using Patterns = std::vector<std::unique_ptr<const Pattern>>;
  static Patterns patterns_of(const std::vector<std::string>& texts);
  static bool matches(const Patterns& patterns, std::string_view path, std::string_view front = {});

  Patterns include_, exclude_;
  std::string record_directory_;
};

}  // namespace skimline::io
