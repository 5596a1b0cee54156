// SPDX-License-Identifier: BSD-3-Clause
#include "expression/declaration_reader.h"

#include "expression/casts.h"

#include <utility>
#include <vector>

namespace skimline {

namespace {

bool is_list_template(std::string_view name) {
  const std::string_view plain = unqualified(name);
  return plain == "RVec" || plain == "vector";
}

}  // namespace

std::string_view unqualified(std::string_view name) {
  for (const std::string_view qualifier : {"std::", "ROOT::VecOps::", "VecOps::"})
    if (name.starts_with(qualifier)) return name.substr(qualifier.size());
  return name.starts_with("ROOT::RVec") ? name.substr(6) : name;
}

bool DeclarationReader::is_word(std::string_view word) const {
  return peek().kind == TokenKind::kName && peek().text == word;
}

bool DeclarationReader::accept_word(std::string_view word) {
  if (!is_word(word)) return false;
  take();
  return true;
}

std::string DeclarationReader::type(std::string_view end) {
  const std::size_t first = position();
  std::vector<std::string_view> words;
  while (peek().kind == TokenKind::kName) words.push_back(take().text);
  std::string found = type_of_words(words);
  if (peek().text == end && !found.empty()) return found;
  if (peek().text == end) return_to(first);
  fail("there is no such type of numbers: expected \"float\", \"unsigned long\" or the like, found " +
       shown(peek()));
}

Declaration DeclarationReader::parameter() {
  std::vector<std::string_view> words;
  const std::size_t first = position();
  while (peek().kind == TokenKind::kName || peek().op == Operator::kBitAnd || peek().op == Operator::kAnd) {
    if (peek().kind == TokenKind::kName) words.push_back(peek().text);
    take();
  }
  const bool has_name = words.size() > 1 && last().kind == TokenKind::kName;
  if (!has_name) fail_at_foreign("expected a type and a name, as in \"float x\", found ");
  const std::string name(words.back());
  const TextRange name_range = last().range;
  words.pop_back();
  std::erase(words, "const");
  if (words.size() == 1 && (words[0] == "auto" || unqualified(words[0]) == "string"))
    return {"", name, name_range};
  std::string found = type_of_words(words);
  if (found.empty()) {
    return_to(first);
    fail("there is no such type of elements: expected \"float\", \"int\", \"auto\" or the like");
  }
  return {std::move(found), name, name_range};
}

// Where the name stands, behind words, "<...>" and "&"; 0 if there is none.
std::size_t DeclarationReader::name_of_variable(std::size_t begin) const {
  std::size_t end = begin;
  while (peek(end).kind == TokenKind::kName) ++end;
  const bool is_list = end > begin && peek(end).op == Operator::kLess;
  if (is_list) {
    do ++end;
    while (peek(end).kind == TokenKind::kName);
    if (peek(end).op != Operator::kGreater) return 0;
    ++end;
  }
  const bool is_reference =
      end > begin && (peek(end).op == Operator::kBitAnd || peek(end).op == Operator::kAnd);
  if (is_reference) ++end;
  if (!is_list && !is_reference) return end > begin + 1 ? end - 1 : 0;
  return peek(end).kind == TokenKind::kName ? end : 0;
}

Declaration DeclarationReader::name_with_type(const std::string& what) {
  std::string type = name_of_variable(0) == 0 ? "" : type_of_variable();
  if (peek().kind != TokenKind::kName || is_type_word(peek().text))
    fail("expected the name of " + what + ", found " + shown(peek()));
  const Token& name = take();
  return {std::move(type), std::string(name.text), name.range};
}

bool DeclarationReader::is_declaration(std::size_t ahead) const {
  const std::size_t name = name_of_variable(ahead);
  if (name == 0) return false;
  const std::string_view type = peek(ahead).text;
  const bool is_known =
      type == "auto" || is_type_word(type) || is_list_cast(unqualified(type)) || is_list_template(type);
  constexpr std::string_view kBehind = "{(;,";
  const Token& behind = peek(name + 1);
  return is_punctuation('=', name + 1) || (is_known && behind.kind == TokenKind::kPunctuation &&
                                           kBehind.find(behind.text) != std::string_view::npos);
}

std::string DeclarationReader::type_of_variable() {
  const std::size_t first = position(), end = first + name_of_variable(0);
  std::vector<std::string_view> words;
  std::string elements;
  while (position() < end) {
    if (peek().kind == TokenKind::kName) words.push_back(peek().text);
    if (take().op == Operator::kLess) elements = type(">");
  }
  std::erase(words, "const");
  const std::string_view word = words.size() == 1 ? unqualified(words[0]) : "";
  if (!elements.empty() && is_list_template(word)) return "RVec<" + elements + ">";
  if (elements.empty() && (word == "auto" || word == "string")) return {};
  if (elements.empty() && is_list_cast(word)) return std::string(word);
  std::string found = elements.empty() ? type_of_words(words) : "";
  if (!found.empty()) return found;
  return_to(first);
  const bool is_vector = !words.empty() && (words[0].find("LorentzVector") != std::string_view::npos ||
                                            words[0].ends_with("MVector") || words[0].ends_with("EVector"));
  fail("there is no such type of variables: expected \"auto\", \"float\", \"RVecF\" or the like" +
       std::string(is_vector ? "; a Lorentz vector is auto p = P4(pt, eta, phi, mass);" : ""));
}

}  // namespace skimline
