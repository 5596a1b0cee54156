// SPDX-License-Identifier: BSD-3-Clause
// A streamed object with other bytes in some places.
#pragma once

#include "root/object_cursor.h"
#include "root/pointer_writer.h"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace skimline::io {

/// Copies the payload of an object, and puts right what depends on where its bytes are.
class PayloadCopy {
 public:
  using Write = std::function<void(ByteWriter&, PointerWriter&)>;

  /// A view of the payload, in a record with a key of so many bytes.
  PayloadCopy(std::span<const std::byte> payload, std::size_t key_size)
      : payload_(payload), key_size_(key_size), pointers_(copy_, key_size) {}

  /// What `write` writes comes in place of these bytes, which overlap no others that are replaced.
  void replace(PayloadRange range, Write write);

  /// Returns the copy. `frames` and `references` are those of the ObjectCursor that read the payload; nothing
  /// that stays may refer to a class that is named in what was replaced.
  std::vector<std::byte> finish(const std::vector<PayloadRange>& frames,
                                const std::vector<std::size_t>& references);

 private:
  struct Replacement {
    PayloadRange range;
    Write write;
    std::size_t end = 0;  // in the copy
  };

  void carry(std::size_t begin, std::size_t end);
  std::size_t place_of(std::size_t place) const;
  bool is_replaced(const PayloadRange& range) const;
  void correct_size(const PayloadRange& frame);
  void correct_reference(std::size_t place);

  std::span<const std::byte> payload_;
  std::size_t key_size_;
  ByteWriter copy_;
  PointerWriter pointers_;
  std::vector<Replacement> replacements_;
};

}  // namespace skimline::io
