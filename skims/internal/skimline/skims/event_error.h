// SPDX-License-Identifier: BSD-3-Clause
// Errors of events, with their place in the config.
#pragma once

#include "skimline/framework/error.h"

#include <string>
#include <utility>

namespace skimline::skims {

/// An EvaluationError whose what() says for which histogram, cut or skim the value was wanted, where its
/// expression stands in the config, with the source line and a mark, in which event of which file it was met,
/// and what helps. Lines end as those of mistakes of a config do.
class EventError : public EvaluationError {
 public:
  EventError(const EvaluationError& error, std::string text)
      : EvaluationError(error), text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

}  // namespace skimline::skims
