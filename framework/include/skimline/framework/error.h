// SPDX-License-Identifier: BSD-3-Clause
// The faults Skimline reports, and what it warns of. The user's mistakes derive from Error, our own broken
// invariants are InternalError: the two never mix. The library throws and never prints or aborts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// A fault that the user can understand and mend. what() is complete and needs no context added.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a fault of a file is, which decides what can be done about it.
enum class FileFault {
  kDamaged,      ///< its content cannot be trusted, or not be understood
  kUnavailable,  ///< it is missing, may not be read, or changed while it was being read
  kUnverified,   ///< its content has no checksum, and what is read must have one
  kChanged,      ///< it is not the file that was there before
  kStorage,      ///< the storage failed, also when it was asked again
  kUnwritable    ///< it is an output that cannot be written
};

/// A file that cannot be opened, read, trusted or written. what() begins with the path.
class FileError : public Error {
 public:
  /// what() is the path and the problem, which does not name the path itself.
  FileError(std::string path, std::string_view problem, FileFault fault = FileFault::kDamaged);
  /// What the constructor was given.
  const std::string& path() const { return path_; }
  FileFault fault() const { return fault_; }

 private:
  std::string path_;
  FileFault fault_;
};

/// A column that is missing or has a type that cannot be used.
class SchemaError : public Error {
 public:
  using Error::Error;
};

/// A mistake in an expression: its text, the byte range at fault in it, and what is wrong.
class ExpressionError : public Error {
 public:
  /// what() says the problem, the text and the character at which the fault begins.
  ExpressionError(std::string_view text, std::size_t offset, std::size_t length, std::string_view problem);
  /// What the constructor was given: offset and length count bytes of the text.
  const std::string& text() const { return text_; }
  std::size_t offset() const { return offset_; }
  std::size_t length() const { return length_; }
  const std::string& problem() const { return problem_; }

 private:
  std::string text_;
  std::size_t offset_;
  std::size_t length_;
  std::string problem_;
};

/// Something in an expression that is allowed but often not meant: the byte range in its text, and why.
struct ExpressionWarning {
  std::string text;
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string message;
};

/// A value met during the event loop for which an operation has no answer, such as an index out of range.
class EvaluationError : public Error {
 public:
  /// what() says all three; `entry` counts the entries of the source from 0.
  EvaluationError(std::uint64_t entry, std::string_view expression, std::string_view problem);
  /// The global entry: its number in all files of the source together.
  std::uint64_t entry() const { return entry_; }
  /// The part of an expression that has no answer, as it was written.
  const std::string& expression() const { return expression_; }

 private:
  std::uint64_t entry_;
  std::string expression_;
};

/// A mistake in a configuration or in how the program was called.
class ConfigError : public Error {
 public:
  using Error::Error;
};

/// The run was asked to stop before its end.
class Interrupted : public Error {
 public:
  /// what() says only this.
  Interrupted() : Error("interrupted") {}
};

/// A broken invariant of Skimline itself.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Returns the candidate that `name` most probably meant (least edit distance, case ignored in ties), or
/// an empty string if none is near enough to be a typing mistake.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// Returns ` (did you mean "x"?)` with the nearest candidate, or an empty string.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace skimline
