// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/branch_baskets.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace skimline::io {
namespace {

// The smallest key of a basket with its own fields.
constexpr std::int64_t kSmallestRecord = 45;
constexpr std::uint16_t kLargeKey = 1000;

// A basket in the object, and its number among those of the branch.
struct EmbeddedBasket {
  std::size_t number = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::int64_t num_entries = 0;
};

// The key and the basket's own fields behind it.
std::int64_t entries_in_header(StreamedBytes bytes) {
  bytes.skip(4);  // size of the record
  const auto version = bytes.number<std::uint16_t>();
  bytes.skip(4 + 4 + 2 + 2);  // size of the object, date, size of the key, cycle
  bytes.skip(version > kLargeKey ? 16 : 8);
  for (int i = 0; i < 3; ++i) bytes.text();
  bytes.skip(2 + 4);  // version, size of the buffer
  if (bytes.number<std::int32_t>() < 0) bytes.skip(1);
  return bytes.number<std::int32_t>();
}

std::vector<EmbeddedBasket> embedded_baskets(const MemberValues& values) {
  std::vector<EmbeddedBasket> baskets;
  if (!values.has(Member::kBaskets)) return baskets;
  StreamedBytes member = values.bytes(Member::kBaskets);
  StreamedObject list = member.object();
  const std::uint32_t size = list.bytes.begin_array(list.version);
  for (std::uint32_t i = 0; i < size; ++i) {
    const StreamedPointer pointer = list.bytes.pointer();
    if (pointer.kind == StreamedPointer::Kind::kNull) continue;
    if (pointer.class_name != "TBasket")
      throw FormatError("basket " + std::to_string(i) + " is of an unknown class");
    baskets.push_back({i, pointer.bytes.position(), pointer.bytes.end(), entries_in_header(pointer.bytes)});
  }
  return baskets;
}

// Goes through the baskets of one branch.
class BasketTable {
 public:
  BasketTable(const MemberValues& values, std::uint64_t file_size, std::uint64_t num_entries)
      : values_(values),
        file_size_(file_size),
        num_entries_(static_cast<std::int64_t>(num_entries)),
        num_written_(
            static_cast<std::size_t>(std::max<std::int64_t>(values.integer(Member::kWriteBasket), 0))),
        size_(std::min({values.array_size(Member::kBasketBytes), values.array_size(Member::kBasketEntry),
                        values.array_size(Member::kBasketSeek)})),
        embedded_(embedded_baskets(values)) {}

  std::vector<TreeBasket> read() {
    const std::size_t end = std::min(size_, num_written_);
    for (std::size_t i = 0; i < end; ++i) {
      add_embedded(i);
      if (seek(i) != 0)
        add_stored(i, end);
      else if (next_ < embedded_.size() && embedded_[next_].number == i)
        add(embedded_[next_++]);
    }
    add_embedded(std::numeric_limits<std::size_t>::max());
    if (next_entry_ != num_entries_ && !baskets_.empty())
      throw FormatError("its baskets have " + std::to_string(next_entry_) + " entries and not " +
                        std::to_string(num_entries_));
    baskets_.shrink_to_fit();
    return std::move(baskets_);
  }

 private:
  std::int64_t seek(std::size_t i) const { return values_.array_item(Member::kBasketSeek, i); }
  std::int64_t first_entry(std::size_t i) const { return values_.array_item(Member::kBasketEntry, i); }

  // Those before basket `end`. Where the basket being filled would be stored is left undefined by ROOT 3.
  void add_embedded(std::size_t end) {
    for (; next_ < embedded_.size() && embedded_[next_].number < end; ++next_) {
      const std::size_t number = embedded_[next_].number;
      if (number >= size_ || number >= num_written_ || seek(number) == 0) add(embedded_[next_]);
    }
  }

  void add(const EmbeddedBasket& embedded) {
    if (embedded.num_entries == 0) return;
    if (embedded.number >= size_)
      throw FormatError("basket " + decimal_number(embedded.number) + " is not listed");
    TreeBasket basket;
    basket.offset = embedded.begin;
    basket.size = embedded.end - embedded.begin;
    basket.is_embedded = true;
    add(embedded.number, basket, embedded.num_entries);
  }

  // The last one in the file ends where one in the object begins, or with the branch.
  void add_stored(std::size_t i, std::size_t num_stored) {
    const bool is_last = i + 1 == num_stored && next_ == embedded_.size();
    const bool has_next = i + 1 < size_ && !is_last;
    const std::int64_t first = first_entry(i);
    const std::int64_t end = has_next ? first_entry(i + 1) : num_entries_;
    if (first < 0 || end < first) throw FormatError("basket " + decimal_number(i) + " ends before it begins");
    if (first == end) return;
    const std::int64_t offset = seek(i);
    const std::int64_t size = values_.array_item(Member::kBasketBytes, i);
    if (size < kSmallestRecord || offset < 0 || static_cast<std::uint64_t>(offset) > file_size_ ||
        static_cast<std::uint64_t>(size) > file_size_ - static_cast<std::uint64_t>(offset))
      throw FormatError("basket " + decimal_number(i) + " lies outside the file");
    TreeBasket basket;
    basket.offset = static_cast<std::uint64_t>(offset);
    basket.size = static_cast<std::uint64_t>(size);
    add(i, basket, end - first);
  }

  void add(std::size_t i, TreeBasket basket, std::int64_t num_entries) {
    if (const std::int64_t first = first_entry(i); first != next_entry_)
      throw FormatError("basket " + decimal_number(i) + " begins at entry " + std::to_string(first) +
                        " and not at " + std::to_string(next_entry_));
    if (num_entries < 0 || num_entries > num_entries_ - next_entry_)
      throw FormatError("basket " + decimal_number(i) + " has more entries than the branch");
    basket.first_entry = static_cast<std::uint64_t>(next_entry_);
    basket.num_entries = static_cast<std::uint64_t>(num_entries);
    next_entry_ += num_entries;
    baskets_.push_back(basket);
  }

  static std::string decimal_number(std::size_t number) { return std::to_string(number); }

  const MemberValues& values_;
  std::uint64_t file_size_;
  std::int64_t num_entries_;
  std::size_t num_written_;
  std::size_t size_;  // of the tables
  std::vector<EmbeddedBasket> embedded_;
  std::size_t next_ = 0;  // of the embedded ones
  std::int64_t next_entry_ = 0;
  std::vector<TreeBasket> baskets_;
};

std::uint64_t embedded_bytes(const TreeDescriptor& tree) {
  std::uint64_t bytes = 0;
  for (const BranchData& branch : tree.branch_data)
    for (const TreeBasket& basket : branch.baskets) bytes += basket.is_embedded ? basket.size : 0;
  return bytes;
}

}  // namespace

void find_baskets(const MemberValues& values, std::uint64_t file_size, BranchData& data) {
  data.baskets = BasketTable(values, file_size, data.num_entries).read();
}

void forget_object(TreeDescriptor& tree) {
  tree.leaf_data = {};
  // Damaged trees may have the same bytes in many baskets.
  if (embedded_bytes(tree) > tree.object.size()) return;
  std::vector<std::byte> kept;
  for (BranchData& branch : tree.branch_data)
    for (TreeBasket& basket : branch.baskets) {
      if (!basket.is_embedded) continue;
      const auto begin = tree.object.begin() + static_cast<std::ptrdiff_t>(basket.offset);
      basket.offset = kept.size();
      kept.insert(kept.end(), begin, begin + static_cast<std::ptrdiff_t>(basket.size));
    }
  kept.shrink_to_fit();
  tree.object = std::move(kept);
}

}  // namespace skimline::io
