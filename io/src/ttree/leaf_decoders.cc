// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/leaf_decoders.h"

#include "ttree/entry_bytes.h"
#include "ttree/list_kernels.h"

#include "skimline/io/format_error.h"

#include <string>
#include <string_view>
#include <utility>

namespace skimline::io {
namespace {

constexpr std::size_t kOffset = sizeof(std::uint32_t);

std::uint32_t* take_offsets(BufferPool& pool, std::size_t count, BufferPool::Buffer& memory) {
  memory = pool.take((count + 1) * kOffset);
  return reinterpret_cast<std::uint32_t*>(memory.get());
}

// Offsets of `count` lists of `size` values.
const std::uint32_t* equal_offsets(std::size_t count, std::uint64_t size, BufferPool& pool,
                                   BufferPool::Buffer& memory) {
  std::uint32_t* offsets = take_offsets(pool, count, memory);
  const auto step = static_cast<std::uint32_t>(size);
  for (std::size_t i = 0; i <= count; ++i) offsets[i] = static_cast<std::uint32_t>(i) * step;
  return offsets;
}

// The lists that arrays of fixed dimensions make, from a level on, where there are `count` of them.
void add_arrays(const std::vector<std::uint64_t>& dimensions, int level, std::size_t count, BufferPool& pool,
                DecodedBasket& basket) {
  for (const std::uint64_t dimension : dimensions) {
    basket.view.offsets_at(level) = equal_offsets(count, dimension, pool, basket.offsets[level]);
    count *= dimension;
    ++level;
  }
}

std::uint64_t product_of(const std::vector<std::uint64_t>& dimensions) {
  std::uint64_t product = 1;
  for (const std::uint64_t dimension : dimensions) product *= dimension;
  return product;
}

DecodedBasket begin_basket(Type type, const BasketEntries& entries) {
  DecodedBasket basket;
  basket.view.type = type;
  basket.view.length = entries.num_entries;
  return basket;
}

// ---- arrays of fixed size

class FixedDecoder final : public BasketDecoder {
 public:
  FixedDecoder(const StoredNumber& number, const std::vector<std::uint64_t>& dimensions, FixedPlace place)
      : number_(number),
        dimensions_(dimensions),
        place_(place),
        type_(type_of(number, dimensions)),
        length_(product_of(dimensions)) {}

  DecodedBasket decode(const BasketEntries& entries, BufferPool& pool) const override {
    check_equal_entries(entries, place_.entry_size);
    const std::size_t num_entries = entries.num_entries;
    DecodedBasket basket = begin_basket(type_, entries);
    basket.values = pool.take(num_entries * length_ * size_of(number_.scalar));
    basket.view.values = basket.values.get();
    decode_values(entries, basket.values.get());
    add_arrays(dimensions_, 0, num_entries, pool, basket);
    return basket;
  }

 private:
  void decode_values(const BasketEntries& entries, std::byte* values) const {
    const std::byte* stored = entries.data.data() + place_.offset;
    if (length_ * number_.stored_size() == place_.entry_size)
      return decode_numbers(number_, stored, entries.num_entries * length_, values);
    for (std::size_t i = 0; i < entries.num_entries; ++i)
      decode_numbers(number_, stored + i * place_.entry_size, length_,
                     values + i * length_ * size_of(number_.scalar));
  }

  StoredNumber number_;
  std::vector<std::uint64_t> dimensions_;
  FixedPlace place_;
  Type type_;
  std::size_t length_;
};

// ---- lists

class ListDecoder : public BasketDecoder {
 public:
  ListDecoder(const StoredNumber& number, const std::vector<std::uint64_t>& dimensions)
      : number_(number),
        dimensions_(dimensions),
        per_item_(product_of(dimensions)),
        item_size_(number.stored_size() * per_item_),
        type_(type_of(number, dimensions, 1)) {}

  DecodedBasket decode(const BasketEntries& entries, BufferPool& pool) const override {
    DecodedBasket basket = begin_basket(type_, entries);
    find_offsets(entries, pool, basket);
    decode_lists(entries, pool, basket);
    add_arrays(dimensions_, 1, basket.view.offsets[entries.num_entries], pool, basket);
    return basket;
  }

 protected:
  virtual void find_offsets(const BasketEntries& entries, BufferPool& pool, DecodedBasket& basket) const {
    const std::size_t num_entries = entries.num_entries;
    if (entries.offsets.empty()) {
      if (num_entries > 0 && entries.entry_size() % item_size_ != 0) throw_wrong_size(0);
      basket.view.offsets =
          equal_offsets(num_entries, entries.entry_size() / item_size_, pool, basket.offsets[0]);
      return;
    }
    std::uint32_t* offsets = take_offsets(pool, num_entries, basket.offsets[0]);
    if (!divide_offsets(entries.offsets, static_cast<std::uint32_t>(item_size_), offsets)) {
      const EntryBytes ranges(entries);
      for (std::size_t i = 0; i < num_entries; ++i)
        if ((ranges.end(i) - ranges.begin(i)) % item_size_ != 0) throw_wrong_size(i);
    }
    basket.view.offsets = offsets;
  }

  virtual void decode_lists(const BasketEntries& entries, BufferPool& pool, DecodedBasket& basket) const {
    const std::size_t count = entries.data.size() / number_.stored_size();
    basket.values = pool.take(count * size_of(number_.scalar));
    basket.view.values = basket.values.get();
    decode_numbers(number_, entries.data.data(), count, basket.values.get());
  }

  StoredNumber number_;
  std::vector<std::uint64_t> dimensions_;
  std::uint64_t per_item_;
  std::uint64_t item_size_;
  Type type_;
};

// Lists behind a header, which is left out.
class HeadedListDecoder final : public ListDecoder {
 public:
  HeadedListDecoder(const StoredNumber& number, ListHeader header,
                    const std::vector<std::uint64_t>& dimensions)
      : ListDecoder(number, dimensions), header_(header) {}

 protected:
  void find_offsets(const BasketEntries& entries, BufferPool& pool, DecodedBasket& basket) const override {
    const EntryBytes ranges(entries);
    std::uint32_t* offsets = take_offsets(pool, entries.num_entries, basket.offsets[0]);
    offsets[0] = 0;
    for (std::size_t i = 0; i < entries.num_entries; ++i) {
      const std::byte* begin = entries.data.data() + ranges.begin(i);
      const std::size_t size = ranges.end(i) - ranges.begin(i);
      offsets[i + 1] = offsets[i] + count_of(begin, size, i);
    }
    basket.view.offsets = offsets;
  }

  void decode_lists(const BasketEntries& entries, BufferPool& pool, DecodedBasket& basket) const override {
    const EntryBytes ranges(entries);
    const std::uint32_t* offsets = basket.view.offsets;
    const std::size_t value_size = size_of(number_.scalar);
    basket.values = pool.take(offsets[entries.num_entries] * per_item_ * value_size);
    basket.view.values = basket.values.get();
    if (number_.encoding == StoredNumber::Encoding::kPlain && number_.scalar != ScalarType::kBool)
      return gather_lists({entries.data, ranges, header_size(), value_size},
                          {offsets, std::size_t{entries.num_entries} + 1}, per_item_, basket.values.get());
    for (std::size_t i = 0; i < entries.num_entries; ++i)
      decode_numbers(number_, entries.data.data() + ranges.begin(i) + header_size(),
                     (offsets[i + 1] - offsets[i]) * per_item_,
                     basket.values.get() + offsets[i] * per_item_ * value_size);
  }

 private:
  std::size_t header_size() const { return header_ == ListHeader::kFlag ? 1 : 10; }

  std::uint32_t count_of(const std::byte* begin, std::size_t size, std::size_t entry) const {
    if (size < header_size() || (size - header_size()) % item_size_ != 0) throw_wrong_size(entry);
    const std::size_t count = (size - header_size()) / item_size_;
    const bool is_right =
        header_ == ListHeader::kFlag ? count == 0 || *begin != std::byte{0} : count == load_big(begin + 6);
    if (!is_right) throw_wrong_size(entry);
    return static_cast<std::uint32_t>(count);
  }

  ListHeader header_;
};

// ---- strings

class StringDecoder final : public BasketDecoder {
 public:
  explicit StringDecoder(std::uint64_t header_size) : header_size_(header_size) {}

  DecodedBasket decode(const BasketEntries& entries, BufferPool& pool) const override {
    DecodedBasket basket = begin_basket(flat(ScalarType::kString), entries);
    basket.is_of_data = true;
    basket.values = pool.take(entries.num_entries * sizeof(std::string_view));
    basket.view.values = basket.values.get();
    auto* values = reinterpret_cast<std::string_view*>(basket.values.get());
    const EntryBytes ranges(entries);
    for (std::size_t i = 0; i < entries.num_entries; ++i) {
      const std::size_t size = ranges.end(i) - ranges.begin(i);
      values[i] = size == 0 ? std::string_view() : text(entries.data.subspan(ranges.begin(i), size), i);
    }
    return basket;
  }

 private:
  std::string_view text(std::span<const std::byte> entry, std::size_t number) const {
    std::size_t begin = header_size_ + 1;
    if (entry.size() < begin) throw_wrong_size(number);
    std::size_t size = std::to_integer<std::size_t>(entry[header_size_]);
    if (size == 255) {
      begin += 4;
      if (entry.size() < begin) throw_wrong_size(number);
      size = load_big(entry.data() + begin - 4);
    }
    if (entry.size() - begin != size) throw_wrong_size(number);
    return {reinterpret_cast<const char*>(entry.data()) + begin, size};
  }

  std::uint64_t header_size_;
};

}  // namespace

Type type_of(const StoredNumber& number, const std::vector<std::uint64_t>& dimensions, int depth) {
  return {number.scalar, depth + static_cast<int>(dimensions.size())};
}

std::shared_ptr<const BasketDecoder> fixed_decoder(const StoredNumber& number,
                                                   const std::vector<std::uint64_t>& dimensions,
                                                   FixedPlace place) {
  return std::make_shared<FixedDecoder>(number, dimensions, place);
}

std::shared_ptr<const BasketDecoder> list_decoder(const StoredNumber& number, ListHeader header,
                                                  const std::vector<std::uint64_t>& dimensions) {
  if (header == ListHeader::kNone) return std::make_shared<ListDecoder>(number, dimensions);
  return std::make_shared<HeadedListDecoder>(number, header, dimensions);
}

std::shared_ptr<const BasketDecoder> string_decoder(std::uint64_t header_size) {
  return std::make_shared<StringDecoder>(header_size);
}

}  // namespace skimline::io
