// SPDX-License-Identifier: BSD-3-Clause
#include "config/corrections/corrections.h"

#include "skimline/io/gzip_text.h"
#include "skimline/io/text_digest.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <correction.h>

namespace skimline::skims {
namespace {

using Value = correction::Variable::Type;
static_assert(std::is_same_v<Value, CorrectionInputValue>);

constexpr std::size_t kMaxBytes = 1 << 30;
// correctionlib's parsers are recursive: beyond these they would need more stack than there is.
constexpr int kMaxLevels = 100;
constexpr std::size_t kMaxFormulaBytes = 5000;
constexpr int kMaxFormulaLevels = 50;

// Looks at JSON before it is parsed; what is no JSON is left to the parser.
class DepthCheck {
 public:
  explicit DepthCheck(std::string_view text) : text_(text) {}

  /// Throws Error if something is nested too deeply.
  void run() {
    for (std::size_t at = 0; at < text_.size(); ++at) {
      const char letter = text_[at];
      if (letter == '"') at = pass_string(at);
      if (letter == '{' || letter == '[') ++levels_;
      if (letter == '}' || letter == ']') --levels_;
      if (levels_ > kMaxLevels) throw Error("nested more than " + std::to_string(kMaxLevels) + " deep");
    }
  }

 private:
  // Returns the place of the closing quotation mark.
  std::size_t pass_string(std::size_t begin) {
    std::size_t end = begin + 1;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    end = std::min(end, text_.size());
    const std::string_view content = text_.substr(begin + 1, end - begin - 1);
    const std::size_t next = text_.find_first_not_of(" \t\r\n", std::min(end + 1, text_.size()));
    const bool is_key = next != std::string_view::npos && text_[next] == ':';
    if (!is_key && is_formula_) check_formula(content);
    // An escape sequence may hide the name.
    is_formula_ = is_key && (content == "expression" || content.find('\\') != std::string_view::npos);
    return end;
  }

  static void check_formula(std::string_view formula) {
    if (formula.size() > kMaxFormulaBytes)
      throw Error("a formula has more than " + std::to_string(kMaxFormulaBytes) + " characters");
    int levels = 0;
    for (const char letter : formula) {
      levels += letter == '(' ? 1 : letter == ')' ? -1 : 0;
      if (levels > kMaxFormulaLevels)
        throw Error("a formula has more than " + std::to_string(kMaxFormulaLevels) +
                    " levels of parentheses");
    }
    // They may stand for parentheses.
    if (formula.find("\\u") != std::string_view::npos)
      throw Error("a formula has characters as \\u and digits");
  }

  std::string_view text_;
  int levels_ = 0;
  bool is_formula_ = false;
};

ScalarType type_of(const correction::Variable& input) {
  switch (input.type()) {
    case correction::Variable::VarType::string:
      return ScalarType::kString;
    case correction::Variable::VarType::integer:
      return ScalarType::kInt64;
    case correction::Variable::VarType::real:
      return ScalarType::kDouble;
  }
  throw InternalError("unknown type of a correction's input");
}

// A correction and its inputs: those that come with each call, and the values of the others.
template <typename Correction>
class Evaluation {
 public:
  Evaluation(std::shared_ptr<const Correction> correction,
             const std::map<std::string, CorrectionInputValue>& fixed)
      : correction_(std::move(correction)) {
    for (const correction::Variable& input : correction_->inputs()) {
      const auto found = fixed.find(input.name());
      if (found == fixed.end()) free_.push_back({values_.size(), type_of(input), input.name()});
      values_.push_back(found == fixed.end() ? initial(type_of(input)) : found->second);
    }
  }

  ElementFunction function() const {
    ElementFunction function;
    for (const Free& input : free_) {
      function.parameters.push_back(input.type);
      function.names.push_back(input.name);
    }
    function.refuses_truncation = true;
    function.call = *this;
    return function;
  }

  void operator()(std::size_t count, const void* const* arguments, void* results) const {
    std::vector<Value> values = values_;
    for (std::size_t i = 0; i < count; ++i) {
      try {
        for (std::size_t k = 0; k < free_.size(); ++k) assign(values, free_[k], arguments[k], i);
        static_cast<double*>(results)[i] = correction_->evaluate(values);
      } catch (const std::exception& error) {
        throw ElementError(i, "the correction \"" + correction_->name() + "\": " + error.what());
      }
    }
  }

 private:
  struct Free {
    std::size_t position;
    ScalarType type;
    std::string name;
  };

  static Value initial(ScalarType type) {
    if (type == ScalarType::kString) return std::string();
    return type == ScalarType::kInt64 ? Value(std::int64_t{0}) : Value(0.0);
  }

  // Texts seldom change from one element to the next: they are not copied then.
  static void assign(std::vector<Value>& values, const Free& input, const void* argument, std::size_t i) {
    Value& value = values[input.position];
    if (input.type == ScalarType::kDouble) {
      const double number = static_cast<const double*>(argument)[i];
      // Bins and clamps would take it for a large value.
      if (std::isnan(number)) throw Error("the input \"" + input.name + "\" is NaN");
      std::get<double>(value) = number;
    } else if (input.type == ScalarType::kInt64) {
      std::get<std::int64_t>(value) = static_cast<const std::int64_t*>(argument)[i];
    } else {
      const std::string_view text = static_cast<const std::string_view*>(argument)[i];
      if (std::get<std::string>(value) != text) std::get<std::string>(value) = text;
    }
  }

  std::shared_ptr<const Correction> correction_;
  std::vector<Value> values_;
  std::vector<Free> free_;
};

// Calls `work` with the correction of a name, or else with the compound one.
template <typename Work>
auto with_correction(const correction::CorrectionSet& set, const std::string& name, const Work& work) {
  const auto is_named = [&](const auto& each) { return each.first == name; };
  const auto found = std::find_if(set.begin(), set.end(), is_named);
  return found == set.end() ? work(set.compound().at(name)) : work(found->second);
}

class ParsedCorrections : public CorrectionFile {
 public:
  ParsedCorrections(std::unique_ptr<const correction::CorrectionSet> set, std::string digest)
      : set_(std::move(set)), digest_(std::move(digest)) {}

  const std::string& digest() const override { return digest_; }

  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [name, correction] : *set_) names.push_back(name);
    for (const auto& [name, correction] : set_->compound()) names.push_back(name);
    return names;
  }

  std::vector<CorrectionInput> inputs(const std::string& name) const override {
    return with_correction(*set_, name, [](const auto& correction) {
      std::vector<CorrectionInput> inputs;
      for (const correction::Variable& input : correction->inputs())
        inputs.push_back({input.name(), type_of(input)});
      return inputs;
    });
  }

  ElementFunction function(const std::string& name,
                           const std::map<std::string, CorrectionInputValue>& fixed) const override {
    return with_correction(*set_, name,
                           [&]<typename Correction>(const std::shared_ptr<const Correction>& correction) {
                             return Evaluation<Correction>(correction, fixed).function();
                           });
  }

 private:
  std::unique_ptr<const correction::CorrectionSet> set_;
  std::string digest_;
};

}  // namespace

std::shared_ptr<const CorrectionFile> read_correction_file(const std::string& path) {
  const std::string text = io::read_gzip_text(path, kMaxBytes);
  try {
    if (text.find('\0') != std::string::npos) throw Error("a byte of it is 0, which no text has");
    DepthCheck(text).run();
    return std::make_shared<ParsedCorrections>(correction::CorrectionSet::from_string(text.c_str()),
                                               io::text_digest(text));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    const std::string problem = error.what();
    const bool is_of_integers = problem == "Invalid edge type";
    throw FileError(path, "holds no corrections of schema version 2 of correctionlib: " + problem +
                              (is_of_integers ? " (edges have a decimal point: 20.0, not 20)" : ""));
  }
}

}  // namespace skimline::skims
