// SPDX-License-Identifier: BSD-3-Clause
// What names mean behind the declaration of a variable.
#pragma once

#include "expression/inner_names.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skimline {

/// A variable beside the names outside, of which it may hide one.
class VariableNames : public InnerNames {
 public:
  VariableNames(std::string name, NodeId value, NameTable& outer)
      : InnerNames(outer), name_(std::move(name)), value_(value) {}

  std::optional<NodeId> find(std::string_view name) override {
    return name == name_ ? std::optional(value_) : outer().find(name);
  }
  std::vector<std::string> candidates_for(std::string_view name) override {
    std::vector<std::string> candidates = outer().candidates_for(name);
    candidates.push_back(name_);
    return candidates;
  }
  std::vector<std::string> matching(std::string_view pattern) const override {
    return outer().matching(pattern);
  }
  const Schema::Unusable* unusable_match(std::string_view pattern) const override {
    return outer().unusable_match(pattern);
  }
  std::optional<std::string> counted_member(std::string_view collection) const override {
    if (collection == name_) return std::nullopt;
    return outer().counted_member(collection);
  }

 private:
  std::string name_;
  NodeId value_;
};

}  // namespace skimline
