// SPDX-License-Identifier: BSD-3-Clause
#include "expression/value_content.h"

#include "skimline/framework/external_function.h"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace skimline {
namespace {

// Texts of users may hold anything: with their length in front none can be taken for what follows it.
void add_text(std::string& content, std::string_view text) {
  content += std::to_string(text.size()) + ':';
  content += text;
}

void add_constant(std::string& content, const Constant& constant) {
  if (constant.scalar == ScalarType::kString) return add_text(content, constant.as<std::string_view>());
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const std::byte byte : constant.bytes) {
    content += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    content += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
}

// Numbers nodes in the order in which they are met from the root, whatever else is in the graph.
class ContentOf {
 public:
  ContentOf(const Graph& graph, const Schema& schema) : graph_(graph), schema_(schema) {}

  // Inputs first; values build on one another further than the stack would go.
  ValueContent of(NodeId root) && {
    std::vector<NodeId> pending{root};
    while (!pending.empty()) {
      const NodeId node = pending.back();
      const std::size_t num_pending = pending.size();
      if (!numbers_.contains(node))
        for (auto input = graph_[node].inputs.rbegin(); input != graph_[node].inputs.rend(); ++input)
          if (!numbers_.contains(*input)) pending.push_back(*input);
      if (pending.size() != num_pending) continue;
      pending.pop_back();
      if (numbers_.try_emplace(node, numbers_.size()).second) add(graph_[node]);
    }
    return std::move(content_);
  }

 private:
  void add(const Node& node) {
    std::string& text = content_.text;
    text += std::to_string(static_cast<int>(node.kind)) + ' ' + name_of(node.type) + ' ';
    for (int level = 0; level < node.outer_levels; ++level) text += "inner ";
    if (node.kind == NodeKind::kColumn) add_text(text, schema_[node.column].name);
    if (node.kind == NodeKind::kConstant) add_constant(text, node.constant);
    content_.uses_entry |= node.kind == NodeKind::kEntry;
    content_.uses_file |= node.kind == NodeKind::kFile;
    if (node.external)
      add_external(*static_cast<const ExternalFunction*>(node.external));
    else
      add_text(text, node.name);
    for (const NodeId input : node.inputs) text += ' ' + std::to_string(numbers_.at(input));
    text += '\n';
  }

  void add_external(const ExternalFunction& function) {
    content_.is_known &= !function.content.empty();
    content_.text += "external ";
    add_text(content_.text, function.content);
  }

  const Graph& graph_;
  const Schema& schema_;
  std::unordered_map<NodeId, std::size_t> numbers_;
  ValueContent content_;
};

}  // namespace

ValueContent content_of(NodeId root, const Graph& graph, const Schema& schema) {
  return ContentOf(graph, schema).of(root);
}

void append(ValueContent& whole, const ValueContent& part) {
  add_text(whole.text, part.text);
  whole.uses_entry |= part.uses_entry;
  whole.uses_file |= part.uses_file;
  whole.is_known &= part.is_known;
}

}  // namespace skimline
