// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/fit_words.h"

#include "config/json/name_checks.h"
#include "config/read/config_variables.h"
#include "config/translated/config_writing.h"
#include "config/translated/draw_cut.h"

#include "skimline/framework/error.h"
#include "skimline/io/open_inputs.h"

#include <cctype>

namespace skimline::skims {
namespace {

std::string as_identifier(std::string name) {
  for (char& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return name;
}

}  // namespace

bool is_one(const std::string& text) { return text.empty() || text == "1"; }

FitWords::FitWords(const NtuplePath& input, std::vector<std::string>& left_out) : left_out_(left_out) {
  try {
    const auto source = io::open_inputs({{input.file, input.tree}});
    for (const ColumnInfo& column : source->schema().columns())
      if (column.type.is_jagged()) lists_.insert(column.name);
    others_ = numbers_but_doubles(source->schema());
    knows_columns_ = true;
  } catch (const Error&) {
    left_out_.push_back(
        "that all numbers are doubles in TTree::Draw, and what cuts say of lists: the first "
        "input cannot be read");
  }
}

std::string FitWords::formula(const std::string& text) {
  return plain_text(expression_of_formula(text, others_, left_out_));
}

std::string FitWords::cut(const std::string& text) {
  std::string expression = expression_of_cut(text, lists_, others_);
  if (expression.find("Any(") != std::string::npos && cuts_of_lists_.insert(text).second)
    left_out_.push_back("elements in \"" + text +
                        "\", a cut on lists: TTree::Draw fills for each element that passes, and here an "
                        "event in which one passes is filled whole; write lists[mask] as the value");
  if (knows_columns_ && !is_condition(text, others_) && numbers_.insert(text).second)
    left_out_.push_back(
        "the selection \"" + text +
        "\" as a factor: it is a number, by which TTree::Draw multiplies where there is no other "
        "selection; write it as a weight, too");
  return plain_text(std::move(expression));
}

std::string FitWords::object_name(const FitBlock& block) {
  std::string plain = legal_object_name(block.name);
  if (!is_object_name(plain))
    throw ConfigError(block.place + ": \"" + block.name + "\" has no letter nor digit");
  if (is_new_name(block, block.kind, plain) && plain != block.name)
    left_out_.push_back(block.place + ": the name \"" + block.name + "\": here it is " + plain);
  return plain;
}

std::string FitWords::identifier(const FitBlock& block) {
  std::string name = as_identifier(block.name);
  static_cast<void>(is_new_name(block, block.kind + " in expressions", name));
  return name;
}

bool FitWords::is_new_name(const FitBlock& block, const std::string& use, const std::string& name) {
  const auto [known, is_new] = names_.try_emplace({use, name}, block.name);
  if (known->second != block.name)
    throw ConfigError(block.place + ": " + block.kind + " \"" + block.name + "\" and \"" + known->second +
                      "\" would both be called \"" + name + "\" here: rename one");
  return is_new;
}

}  // namespace skimline::skims
