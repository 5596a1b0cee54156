// SPDX-License-Identifier: BSD-3-Clause
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
  ObjectFilter(const std::vector<std::string>& include, const std::vector<std::string>& exclude);

  /// Thread-safe.
  bool is_wanted(std::string_view path) const;

  /// Throws ConfigError naming a pattern that no path matched so far.
  void check_all_matched() const;

 private:
  struct Pattern {
    const std::string* text;
    mutable std::atomic<bool> is_matched{false};
  };
  using Patterns = std::vector<std::unique_ptr<const Pattern>>;
  static Patterns patterns_of(const std::vector<std::string>& texts);
  static bool matches(const Patterns& patterns, std::string_view path);

  Patterns include_, exclude_;
};

}  // namespace skimline::io
