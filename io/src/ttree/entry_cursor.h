// SPDX-License-Identifier: BSD-3-Clause
// A place in the bytes of an entry, and how values there are passed over.
#pragma once

#include "ttree/streamed_value.h"

#include "skimline/io/format_error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace skimline::io {

/// Bytes that may be sound, but are laid out in a way that is not read.
class UnreadableLayout : public FormatError {
 public:
  using FormatError::FormatError;
};

class EntryCursor {
 public:
  /// Passes over an entry, into every object, as far as ends are known. Throws FormatError unless each part
  /// ends where the value around it says, and the value where the entry does. Returns the objects that were
  /// met whose classes may write them in a way of their own. Nothing else may be called then.
  const std::set<const StreamedValue*>& examine(const StreamedValue& value, std::span<const std::byte> entry);

 protected:
  // Where an object or collection ends, and its version; of an object, how that version is laid out.
  struct Frame {
    const std::byte* end = nullptr;
    std::uint16_t version = 0;
    bool has_end = false;
    const StreamedValue* layout = nullptr;
  };

  static constexpr std::uint16_t kMemberWiseBit = 0x4000;
  static std::size_t item_bytes(const StreamedValue& numbers) {
    return numbers.length * numbers.number.stored_size();
  }

  void begin(std::span<const std::byte> entry);
  const std::byte* at() const { return at_; }
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }
  const std::byte* take(std::uint64_t size);
  const std::byte* take(std::uint64_t count, std::uint64_t size);
  std::uint32_t take_word();
  std::uint16_t take_half_word();
  std::string_view take_text(const StreamedValue& value);
  Frame take_frame();
  void leave(const Frame& frame);
  Frame enter_object(const StreamedValue& object);
  // Returns how the objects are laid out whose members follow one after another.
  const StreamedValue& enter_columns(const StreamedValue& value);
  std::uint64_t take_count(const StreamedValue& counted);
  std::uint64_t take_rows(const StreamedValue& triangle) const;
  void take_tag(const StreamedValue& tagged);
  Frame enter_pointed(const StreamedValue& pointed);
  // What stands in front of the objects of a TClonesArray.
  struct ClonesHead {
    Frame frame;
    std::uint64_t count = 0;
    bool is_member_wise = false;
    const StreamedValue* layout = nullptr;
  };
  std::string_view take_clones_class(ClonesHead& head);
  ClonesHead take_clones_head(const StreamedValue& clones);
  void enter_clone();
  void keep(const StreamedValue& number, const std::byte* stored);
  // Of objects that are stored member by member: the numbers that follow, and which of them counts next.
  void keep_column(const StreamedValue& number, std::uint64_t count);
  void use_count_of(const StreamedValue& counted, std::uint64_t object);

  void skip(const StreamedValue& value);
  void skip_column(const StreamedValue& member, std::uint64_t count);

 private:
  bool is_examined(const StreamedValue& value) const { return is_examining_ && has_known_ends(value); }
  void leave_at_end(const Frame& frame);
  const StreamedValue& stored_layout(const StreamedValue& object, std::uint16_t version,
                                     bool is_in_columns = false);
  void skip_pointer();
  void skip_pointed(const StreamedValue& pointed);
  void check_tag(const StreamedValue& pointed);
  void skip_items(const StreamedValue& item, std::uint64_t count);
  void skip_clones(const StreamedValue& clones);
  static void check_pairs(const StreamedValue& map);
  void skip_headed(const StreamedValue& value, std::uint64_t count);
  void skip_bodies(const StreamedValue& value, std::optional<std::uint64_t> count);
  bool has_known_bodies(const StreamedValue& value) const;
  void skip_body(const StreamedValue& value, const StreamedValue* layout);
  void skip_to_end(const StreamedValue& item);

  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;
  std::array<std::uint64_t, kMaxSlots> slots_{};
  std::array<std::vector<std::uint64_t>, kMaxSlots> column_counts_;
  std::vector<std::pair<std::string_view, std::uint32_t>> tags_;  // where names of classes are said to stand
  std::set<const StreamedValue*> met_;
  bool is_examining_ = false;
};

}  // namespace skimline::io
