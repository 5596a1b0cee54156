// SPDX-License-Identifier: BSD-3-Clause
// Errors that tell several problems at once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// Says of an error that the lines of its what() are its own: names from files begin none of them.
class HasOwnLines {
 public:
  HasOwnLines(const HasOwnLines&) = default;
  HasOwnLines& operator=(const HasOwnLines&) = default;
  virtual ~HasOwnLines() = default;

 protected:
  HasOwnLines() = default;
};

/// What is wrong, each problem in a line of its own, indented, and in the last line what to do about them, if
/// anything. Ends of lines inside of these become their picture.
std::string in_lines(std::string_view what, const std::vector<std::string>& problems,
                     std::string_view advice = {});

/// An Error, SchemaError or the like with a line for each problem.
template <class Fault>
class SeveralProblems : public Fault, public HasOwnLines {
 public:
  SeveralProblems(std::string_view what, const std::vector<std::string>& problems,
                  std::string_view advice = {})
      : Fault(in_lines(what, problems, advice)) {}
  /// The same with words in front of the first line.
  SeveralProblems(std::string_view words, const SeveralProblems& error)
      : Fault(in_lines(words, {}) + error.what()) {}
};

}  // namespace skimline
