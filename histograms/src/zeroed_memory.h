// SPDX-License-Identifier: BSD-3-Clause
// Memory of zeros, used only where it is written to.
#pragma once

#include <cstddef>
#include <memory>

namespace skimline::histograms {

/// Zeroed memory that begins at a cache line; pages are used once they are written to, of 2 MiB each where
/// there are several of these.
class ZeroedMemory {
 public:
  explicit ZeroedMemory(std::size_t size);
  std::byte* data() { return data_; }

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  std::unique_ptr<void, Free> memory_;
  std::byte* data_;
};

}  // namespace skimline::histograms
