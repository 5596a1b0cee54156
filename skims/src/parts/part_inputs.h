// SPDX-License-Identifier: BSD-3-Clause
// The files that a part of a sample is read from.
#pragma once

#include "parts/part_division.h"
#include "plan/sample_inputs.h"

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// Opens for each part as few files as show the columns of all: with many files, each of which is a part or
/// more, opening all of them for each would take longer than all else.
class PartInputs {
 public:
  /// `whole` has all files that `inputs` have left; both must outlive this.
  PartInputs(SampleInputs& inputs, const io::InputSource& whole) : inputs_(inputs), whole_(whole) {}

  /// Returns a source of the entries of a part alone; their numbers need not be those of all files.
  std::unique_ptr<io::InputSource> open(const Part& part);
  /// To be called before several parts are opened one after the other.
  void expect(const std::vector<Part>& parts) const;
  bool are_slow() const { return inputs_.are_slow(); }
  /// The same as open() with all files.
  std::unique_ptr<io::InputSource> open_all(const Part& part);

 private:
  using Files = std::set<std::size_t>;
  std::unique_ptr<io::InputSource> open_some(const Files& files);
  bool show_all_columns(const io::InputSource& source);
  void find_shown();

  SampleInputs& inputs_;
  const io::InputSource& whole_;
  std::string columns_;  // of all files
  // With the file of a part these show the columns of all; the first one says how skims store what they keep.
  Files shown_{0};
  bool is_found_ = false;  // whether all files were looked at for that
  bool needs_all_ = false;
};

}  // namespace skimline::skims
