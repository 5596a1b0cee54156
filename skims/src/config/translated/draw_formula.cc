// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/draw_formula.h"

#include <algorithm>

namespace skimline::skims {

std::string expression_of_formula(const std::string& formula, const NumberTypes& columns,
                                  std::vector<std::string>& left_out) {
  if (formula.find('^') != std::string::npos)
    left_out.push_back("\"^\" in \"" + formula +
                       "\", which is a power there and of bits in expressions: write pow(x, y)");
  if (const std::string difference = difference_of_order(formula); !difference.empty())
    left_out.push_back("the order in \"" + formula + "\": " + difference);
  return with_real_numbers(formula, columns, FormulaUse::kNumber);
}

void add_quotient(OrderedJson& config) {
  const OrderedJson values = config.flatten();
  const bool divides = std::any_of(values.begin(), values.end(), [](const OrderedJson& value) {
    return value.is_string() && value.get<std::string>().find("quotient(") != std::string::npos;
  });
  if (divides) config["functions"]["quotient(a, b)"] = kQuotient;
}

}  // namespace skimline::skims
