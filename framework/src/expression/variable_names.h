// SPDX-License-Identifier: BSD-3-Clause
// What names mean behind the declaration of a variable, or behind what gives it another value.
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
  /// Without a value, it is kNoNode.
  VariableNames(Declaration declared, NodeId value, NameTable& outer)
      : InnerNames(outer), declared_(std::move(declared)), value_(value) {}

  const Declaration* declaration(std::string_view name) const override {
    return name == declared_.name ? &declared_ : outer().declaration(name);
  }
  std::optional<NodeId> find(std::string_view name) override {
    return name == declared_.name ? std::optional(value_) : outer().find(name);
  }
  std::vector<std::string> candidates_for(std::string_view name) override {
    std::vector<std::string> candidates = outer().candidates_for(name);
    candidates.push_back(declared_.name);
    return candidates;
  }
  std::vector<std::string> matching(std::string_view pattern) const override {
    return outer().matching(pattern);
  }
  const Schema::Unusable* unusable_match(std::string_view pattern) const override {
    return outer().unusable_match(pattern);
  }
  std::optional<std::string> counted_member(std::string_view collection) const override {
    if (collection == declared_.name) return std::nullopt;
    return outer().counted_member(collection);
  }

 private:
  Declaration declared_;
  NodeId value_;
};

}  // namespace skimline
