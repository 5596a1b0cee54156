// SPDX-License-Identifier: BSD-3-Clause
// What correctionlib calls for nodes that are neural networks. The libraries that evaluate them are left out:
// files that have some are refused when they are read.
#include <stdexcept>

#include <correction.h>

namespace correction {
namespace {

constexpr const char* kProblem = "neural networks (lwtnn) are not evaluated by skimline";

}  // namespace

class detail::LWTNNEvaluationContext {};

LWTNN::LWTNN(const JSONObject&, const Correction&) { throw std::runtime_error(kProblem); }
// NOLINTBEGIN(performance-noexcept-move-constructor): as they are declared
LWTNN::LWTNN(LWTNN&&) = default;
LWTNN& LWTNN::operator=(LWTNN&&) = default;
// NOLINTEND(performance-noexcept-move-constructor)
LWTNN::~LWTNN() = default;

double LWTNN::evaluate(const std::vector<Variable::Type>&) const { throw std::runtime_error(kProblem); }

}  // namespace correction
