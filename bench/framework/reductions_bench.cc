// SPDX-License-Identifier: BSD-3-Clause
// Functions that give one value per list.
#include "comparison.h"

namespace skimline::bench {
namespace {

std::vector<ColumnView> pt(const Batch& b) { return {list_view(b.few, b.few.pt)}; }
std::vector<ColumnView> pt_of_many(const Batch& b) { return {list_view(b.many, b.many.pt)}; }
std::vector<ColumnView> charge(const Batch& b) { return {list_view(b.few, b.few.charge)}; }
std::vector<ColumnView> charge_of_many(const Batch& b) { return {list_view(b.many, b.many.charge)}; }
std::vector<ColumnView> good(const Batch& b) { return {list_view(b.few, b.few.is_good.get())}; }
std::vector<ColumnView> good_of_many(const Batch& b) { return {list_view(b.many, b.many.is_good.get())}; }
std::vector<ColumnView> id(const Batch& b) { return {list_view(b.few, b.few.id)}; }

// Folds the values of each event as one writes it by hand.
template <typename R, typename T, typename Fold>
void fold(const Particles& particles, const T* values, R start, Fold fold_one, R* results) {
  for (std::size_t event = 0; event < kBatch; ++event) {
    R result = start;
    for (std::uint32_t i = particles.offsets[event]; i < particles.offsets[event + 1]; ++i)
      result = fold_one(result, values[i]);
    results[event] = result;
  }
}

template <typename T>
std::uint32_t index_of_largest(const Particles& particles, const T* values, std::size_t event) {
  std::uint32_t best = particles.offsets[event];
  for (std::uint32_t i = best + 1; i < particles.offsets[event + 1]; ++i)
    if (values[i] > values[best]) best = i;
  return best;
}

const auto kPlus = [](auto sum, auto value) { return static_cast<decltype(sum)>(sum + value); };

void add_sums() {
  add<float>(
      {"Sum(float) of 3", kPerFew, called("Sum", pt), [](const Batch& b, float* values, std::uint32_t*) {
         fold(b.few, b.few.pt.data(), 0.f, kPlus, values);
       }});
  add<float>({"Sum(float) of 10", kPerMany, called("Sum", pt_of_many),
              [](const Batch& b, float* values, std::uint32_t*) {
                fold(b.many, b.many.pt.data(), 0.f, kPlus, values);
              }});
  add<std::int32_t>({"Sum(int) of 3", kPerFew, called("Sum", charge),
                     [](const Batch& b, std::int32_t* values, std::uint32_t*) {
                       fold(b.few, b.few.charge.data(), 0, kPlus, values);
                     }});
  add<std::int32_t>({"Sum(int) of 10", kPerMany, called("Sum", charge_of_many),
                     [](const Batch& b, std::int32_t* values, std::uint32_t*) {
                       fold(b.many, b.many.charge.data(), 0, kPlus, values);
                     }});
  add<std::uint64_t>({"Sum(bool) of 3", kPerFew, called("Sum", good),
                      [](const Batch& b, std::uint64_t* values, std::uint32_t*) {
                        fold(b.few, b.few.is_good.get(), std::uint64_t{0}, kPlus, values);
                      }});
  add<std::uint64_t>({"Sum(bool) of 10", kPerMany, called("Sum", good_of_many),
                      [](const Batch& b, std::uint64_t* values, std::uint32_t*) {
                        fold(b.many, b.many.is_good.get(), std::uint64_t{0}, kPlus, values);
                      }});
  add<double>(
      {"Mean(float) of 3", kPerFew, called("Mean", pt), [](const Batch& b, double* values, std::uint32_t*) {
         for (std::size_t event = 0; event < kBatch; ++event) {
           const std::uint32_t first = b.few.offsets[event], last = b.few.offsets[event + 1];
           float sum = 0;
           for (std::uint32_t i = first; i < last; ++i) sum += b.few.pt[i];
           values[event] = first == last ? 0. : static_cast<double>(sum) / (last - first);
         }
       }});
}

// A loop that ends at the first answer.
template <typename T>
void find_any(const Particles& particles, const T* flags, bool* results) {
  for (std::size_t event = 0; event < kBatch; ++event) {
    results[event] = false;
    for (std::uint32_t i = particles.offsets[event]; i < particles.offsets[event + 1]; ++i)
      if (flags[i]) {
        results[event] = true;
        break;
      }
  }
}

template <typename T>
void check_all(const Particles& particles, const T* flags, bool* results) {
  for (std::size_t event = 0; event < kBatch; ++event) {
    results[event] = true;
    for (std::uint32_t i = particles.offsets[event]; i < particles.offsets[event + 1]; ++i)
      if (!flags[i]) {
        results[event] = false;
        break;
      }
  }
}

void add_tests() {
  add<bool>(
      {"Any(bool) of 3", kPerFew, called("Any", good),
       [](const Batch& b, bool* values, std::uint32_t*) { find_any(b.few, b.few.is_good.get(), values); }});
  add<bool>({"Any(int) of 3", kPerFew, called("Any", id),
             [](const Batch& b, bool* values, std::uint32_t*) { find_any(b.few, b.few.id.data(), values); }});
  add<bool>(
      {"Any(bool) of 10", kPerMany, called("Any", good_of_many),
       [](const Batch& b, bool* values, std::uint32_t*) { find_any(b.many, b.many.is_good.get(), values); }});
  add<bool>(
      {"All(bool) of 3", kPerFew, called("All", good),
       [](const Batch& b, bool* values, std::uint32_t*) { check_all(b.few, b.few.is_good.get(), values); }});
  add<bool>({"All(bool) of 10", kPerMany, called("All", good_of_many),
             [](const Batch& b, bool* values, std::uint32_t*) {
               check_all(b.many, b.many.is_good.get(), values);
             }});
}

void add_extremes() {
  add<float>(
      {"Max(float) of 3", kPerFew, called("Max", pt), [](const Batch& b, float* values, std::uint32_t*) {
         for (std::size_t event = 0; event < kBatch; ++event)
           values[event] = b.few.pt[index_of_largest(b.few, b.few.pt.data(), event)];
       }});
  add<float>({"Max(float) of 10", kPerMany, called("Max", pt_of_many),
              [](const Batch& b, float* values, std::uint32_t*) {
                for (std::size_t event = 0; event < kBatch; ++event)
                  values[event] = b.many.pt[index_of_largest(b.many, b.many.pt.data(), event)];
              }});
  add<std::uint64_t>({"ArgMax(float) of 3", kPerFew, called("ArgMax", pt),
                      [](const Batch& b, std::uint64_t* values, std::uint32_t*) {
                        for (std::size_t event = 0; event < kBatch; ++event)
                          values[event] =
                              index_of_largest(b.few, b.few.pt.data(), event) - b.few.offsets[event];
                      }});
  add<std::uint64_t>({"ArgMax(float) of 10", kPerMany, called("ArgMax", pt_of_many),
                      [](const Batch& b, std::uint64_t* values, std::uint32_t*) {
                        for (std::size_t event = 0; event < kBatch; ++event)
                          values[event] =
                              index_of_largest(b.many, b.many.pt.data(), event) - b.many.offsets[event];
                      }});
  add<std::uint64_t>(
      {"size of 3", kPerEntry, called("size", pt), [](const Batch& b, std::uint64_t* values, std::uint32_t*) {
         for (std::size_t event = 0; event < kBatch; ++event)
           values[event] = b.few.offsets[event + 1] - b.few.offsets[event];
       }});
}

}  // namespace

void add_reductions() {
  add_sums();
  add_tests();
  add_extremes();
}

}  // namespace skimline::bench
