// SPDX-License-Identifier: BSD-3-Clause
// A file that takes the name of another one.
#pragma once

#include <string>

namespace skimline::io {

/// A complete file that takes the name of another one, which is kept until it is known that the new one
/// stays.
class Replacement {
 public:
  Replacement(std::string temporary, std::string target)
      : temporary_(std::move(temporary)), target_(std::move(target)) {}
  Replacement(Replacement&& other) noexcept;
  Replacement& operator=(Replacement&&) = delete;
  ~Replacement();

  /// Gives the file the name. Returns 0, or the number of the error, and then nothing has changed.
  int make();
  /// Gives the name back to what had it, or to nothing, and the temporary name to the new file. Returns
  /// whether that was possible; if not, the old file is at old_path().
  bool undo();
  /// Removes what had the name before.
  void settle();

  const std::string& old_path() const { return old_; }

 private:
  int exchange();
  int keep_and_rename();
  void hold_target();

  std::string temporary_, target_;
  std::string old_;  // where the old file is kept; empty if there was none
  int held_ = -1;    // the old file, locked, so that nobody takes it for one that was left
  bool is_made_ = false;
};

}  // namespace skimline::io
