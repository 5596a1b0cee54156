// SPDX-License-Identifier: BSD-3-Clause
// What fuzzing targets have in common. A target defines LLVMFuzzerTestOneInput, and LLVMFuzzerCustomMutator
// where its input has parts; it is run by libFuzzer, or by replay.cc over the corpus.
#pragma once

#include "skimline/framework/error.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

extern "C" {
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
/// Changes the first `size` of `max_size` bytes and returns how many there are then.
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed);
}

namespace skimline::testing {

using Bytes = std::vector<std::byte>;
using ByteSpan = std::span<const std::byte>;

inline ByteSpan input_bytes(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const std::byte*>(data), size};
}

/// Takes values from the front of an input; zeros once it has ended.
class InputReader {
 public:
  explicit InputReader(ByteSpan bytes) : left_(bytes) {}

  ByteSpan take(std::size_t size) {
    const ByteSpan taken = left_.first(size < left_.size() ? size : left_.size());
    left_ = left_.subspan(taken.size());
    return taken;
  }
  template <typename T>
  T number() {
    T value{};
    const ByteSpan bytes = take(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }
  ByteSpan rest() const { return left_; }

 private:
  ByteSpan left_;
};

/// Runs a step that may find the input damaged, and returns whether it did not. What is thrown besides Error
/// is a finding.
template <typename Step>
bool is_accepted(Step step) {
  try {
    step();
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Ends the run with a finding unless `holds`.
inline void require(bool holds, const char* what) {
  if (!holds) throw InternalError(what);
}

}  // namespace skimline::testing
