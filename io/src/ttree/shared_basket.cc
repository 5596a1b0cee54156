// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/shared_basket.h"

namespace skimline::io {
namespace {

void become(std::atomic<int>& state, int value) {
  state.store(value, std::memory_order_release);
  state.notify_all();
}

}  // namespace

void SharedBasket::provide(std::shared_ptr<const BufferPool::Buffer> memory,
                           std::span<const std::byte> record) {
  memory_ = std::move(memory);
  record_ = record;
  become(state_, kReady);
}

void SharedBasket::fail(std::exception_ptr error) {
  error_ = std::move(error);
  become(state_, kFailed);
}

void SharedBasket::wait_until_fetched() const {
  settle();
  if (state_.load(std::memory_order_acquire) == kFailed) std::rethrow_exception(error_);
}

bool SharedBasket::try_start_decoding(std::size_t column) {
  if (state_.load(std::memory_order_acquire) != kReady) return false;
  int expected = kReady;
  return columns_[column].state.compare_exchange_strong(expected, kDecoding, std::memory_order_acq_rel);
}

const BasketEntries& SharedBasket::entries(
    const std::function<UnpackedBasket(std::span<const std::byte>)>& unpack) {
  const std::lock_guard lock(mutex_);
  if (!unpacked_) unpacked_ = unpack(record_);
  return unpacked_->entries;
}

// Other columns of the branch would need it again; strings need it as long as they live.
void SharedBasket::forget_record() {
  if (columns_.size() > 1 || columns_.front().decoded.is_of_data) return;
  unpacked_.reset();
  memory_.reset();
  record_ = {};
}

void SharedBasket::decode(std::size_t column, const BasketDecoder& decoder, BufferPool& pool,
                          const std::function<UnpackedBasket(std::span<const std::byte>)>& unpack) {
  Column& target = columns_[column];
  try {
    target.decoded = decoder.decode(entries(unpack), pool);
    forget_record();
  } catch (...) {
    target.error = std::current_exception();
    become(target.state, kFailed);
    throw;
  }
  become(target.state, kDecoded);
}

void SharedBasket::wait_until_decoded(std::size_t column) const {
  wait_until_fetched();
  const Column& target = columns_[column];
  for (;;) {
    const int state = target.state.load(std::memory_order_acquire);
    if (state == kDecoded) return;
    if (state == kFailed) std::rethrow_exception(target.error);
    target.state.wait(state, std::memory_order_acquire);
  }
}

}  // namespace skimline::io
