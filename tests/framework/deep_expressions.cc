// SPDX-License-Identifier: BSD-3-Clause
// The expressions with lists of lists of lists.
#include "expression_generator.h"

namespace skimline::testing {
namespace {

using Names = std::vector<std::string>;

}  // namespace

std::string ExpressionGenerator::triple_leaf(Kind kind) {
  if (kind == Kind::kVector) return "P4(t_f, h_d, g_f, t_i32)";
  return kind == Kind::kInteger ? choose(Names{"t_b", "t_i32"}) : choose(Names{"t_f", "t_i32"});
}

// Lists of lists of lists.
std::string ExpressionGenerator::triple(Kind kind, int depth) {
  const Family family{'h', ""};
  if (depth <= 0) return triple_leaf(kind);
  switch (random_() % 8) {
    case 0:
      return "(" + triple(kind, depth - 1) + ")[" + of_depth(3, Kind::kInteger, depth - 1, family) + "]";
    case 1:
      return conditional(3, kind, depth - 1, family);
    case 2:
    case 3:
      return function(3, kind, depth - 1, family);
    default:
      return operation(3, kind, depth - 1, family);
  }
}

// What is made of lists of lists of lists, of any depth and size.
std::string ExpressionGenerator::any_triple(Kind kind, int depth) {
  const Family family{'h', ""};
  const std::string lists = triple(kind, depth - 1);
  switch (random_() % 9) {
    case 0:
      return "(" + lists + ")[" +
             of_depth(1 + static_cast<int>(random_() % 2), Kind::kInteger, depth - 1, family) + "]";
    case 1:
      return "(q > 1 ? (" + lists + ")[1] : (" + lists + ")[" + choose(Names{"0", "q", "k"}) + "])";
    case 2:
      return choose(Names{"Flatten(", "Sizes("}) +
             (one_in(2) ? lists : choose(Names{"Flatten(", "Sizes("}) + lists + ")") + ")";
    case 3:
      return "Take(" + lists + ", " + choose(Names{"Argsort(g_f)", "k", "Argsort(h_f)", "Argsort(t_f)"}) +
             ")";
    case 4:
      return "Concatenate(" + lists + ", " + triple(Kind::kNumber, depth - 1) + ")";
    case 5:
      return "Combinations(" + nested(kind, depth - 1) + ", 2)";
    case 6:
      return choose(Names{"Reverse(", "Sort(", "Argsort(", "Drop(h_i32, Nonzero(h_b)) + Sum(", "front("}) +
             lists + ")";
    default:
      return lists;
  }
}

}  // namespace skimline::testing
