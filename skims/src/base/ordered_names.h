// SPDX-License-Identifier: BSD-3-Clause
// Names in order, each found without looking at all.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace skimline::skims {

/// Names in the order in which they were added; looking for one takes the same time however many there are.
class OrderedNames {
 public:
  void add(const std::string& name) {
    numbers_.emplace(name, names_.size());
    names_.push_back(name);
  }
  /// Returns the number of the first that is `name`.
  std::optional<std::size_t> find(const std::string& name) const {
    const auto found = numbers_.find(name);
    if (found == numbers_.end()) return std::nullopt;
    return found->second;
  }
  bool contains(const std::string& name) const { return numbers_.contains(name); }
  const std::vector<std::string>& in_order() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace skimline::skims
