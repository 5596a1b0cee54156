// SPDX-License-Identifier: BSD-3-Clause
// One basket of a branch, shared by the slices that need entries of it.
#pragma once

#include "storage/buffer_pool.h"
#include "ttree/basket_entries.h"
#include "ttree/tree_columns.h"

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace skimline::io {

/// A basket on its way from storage to values. Whoever created it fetches its record; any thread that needs a
/// column of its branch may then decode that, the first to start; the others wait. Thread-safe.
class SharedBasket {
 public:
  /// For a branch that makes so many columns.
  explicit SharedBasket(std::size_t num_columns) : columns_(num_columns) {}

  /// Hands over the record, which lies in `memory`, or outlives the basket.
  void provide(std::shared_ptr<const BufferPool::Buffer> memory, std::span<const std::byte> record);
  void fail(std::exception_ptr error);
  /// Waits until the record is there, or fetching it has failed.
  void settle() const { state_.wait(kPending, std::memory_order_acquire); }
  /// The same; throws what fetching threw.
  void wait_until_fetched() const;
  bool is_pending() const { return state_.load(std::memory_order_acquire) == kPending; }

  bool is_decoded(std::size_t column) const {
    return columns_[column].state.load(std::memory_order_acquire) == kDecoded;
  }
  /// Returns true to exactly one caller for each column, once the record is there: it must call decode().
  bool try_start_decoding(std::size_t column);
  /// Unpacks the record if that was not done yet, by `unpack`, and decodes it; what is thrown fails the
  /// column, too.
  void decode(std::size_t column, const BasketDecoder& decoder, BufferPool& pool,
              const std::function<UnpackedBasket(std::span<const std::byte> record)>& unpack);
  /// Throws what fetching or decoding threw.
  void wait_until_decoded(std::size_t column) const;
  /// The entries of the basket, of a column that was waited for.
  const ColumnView& values(std::size_t column) const { return columns_[column].decoded.view; }

 private:
  enum State : int { kPending, kReady, kDecoding, kDecoded, kFailed };
  struct Column {
    std::atomic<int> state{kReady};  // to be decoded
    DecodedBasket decoded;
    std::exception_ptr error;
  };
  const BasketEntries& entries(const std::function<UnpackedBasket(std::span<const std::byte>)>& unpack);
  void forget_record();

  std::atomic<int> state_{kPending};  // of the record
  std::exception_ptr error_;
  std::shared_ptr<const BufferPool::Buffer> memory_;
  std::span<const std::byte> record_;
  std::mutex mutex_;
  std::optional<UnpackedBasket> unpacked_;
  std::vector<Column> columns_;
};

}  // namespace skimline::io
