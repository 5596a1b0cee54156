// SPDX-License-Identifier: BSD-3-Clause
// Masks, elements, and lists made from other lists.
#include "comparison.h"
#include "expression/list_elements.h"

#include <numeric>

namespace skimline::bench {
namespace {

const Type kList = jagged(ScalarType::kFloat);

// Calls `append(event, count)`, which returns the number of values so far, and writes the offsets.
template <typename Append>
void append_lists(std::uint32_t* offsets, Append append) {
  std::uint32_t count = 0;
  offsets[0] = 0;
  for (std::size_t event = 0; event < kBatch; ++event) {
    count = append(event, count);
    offsets[event + 1] = count;
  }
}

void mask(const Particles& particles, float* values, std::uint32_t* offsets) {
  append_lists(offsets, [&](std::size_t event, std::uint32_t count) {
    for (std::uint32_t i = particles.offsets[event]; i < particles.offsets[event + 1]; ++i)
      if (particles.is_good[i]) values[count++] = particles.pt[i];
    return count;
  });
}

void nonzero(const Particles& particles, std::uint64_t* values, std::uint32_t* offsets) {
  append_lists(offsets, [&](std::size_t event, std::uint32_t count) {
    const std::uint32_t first = particles.offsets[event];
    for (std::uint32_t i = first; i < particles.offsets[event + 1]; ++i)
      if (particles.is_good[i]) values[count++] = i - first;
    return count;
  });
}

void take(const Particles& particles, float* values, std::uint32_t* offsets) {
  append_lists(offsets, [&](std::size_t event, std::uint32_t count) {
    for (std::uint32_t i = particles.offsets[event]; i < particles.offsets[event + 1]; ++i)
      values[count++] = particles.pt[particles.offsets[event] + particles.by_pt[i]];
    return count;
  });
}

void reverse(const Particles& particles, float* values, std::uint32_t* offsets) {
  append_lists(offsets, [&](std::size_t event, std::uint32_t count) {
    for (std::uint32_t i = particles.offsets[event + 1]; i > particles.offsets[event]; --i)
      values[count++] = particles.pt[i - 1];
    return count;
  });
}

void concatenate(const Particles& a, const Particles& b, float* values, std::uint32_t* offsets) {
  append_lists(offsets, [&](std::size_t event, std::uint32_t count) {
    for (std::uint32_t i = a.offsets[event]; i < a.offsets[event + 1]; ++i) values[count++] = a.pt[i];
    for (std::uint32_t i = b.offsets[event]; i < b.offsets[event + 1]; ++i) values[count++] = b.pt[i];
    return count;
  });
}

void sort(const Particles& particles, float* values, std::uint32_t* offsets) {
  append_lists(offsets, [&](std::size_t event, std::uint32_t) {
    const std::uint32_t first = particles.offsets[event], last = particles.offsets[event + 1];
    std::copy(&particles.pt[first], &particles.pt[last], values + first);
    std::sort(values + first, values + last);
    return last;
  });
}

void argsort(const Particles& particles, std::uint64_t* values, std::uint32_t* offsets) {
  append_lists(offsets, [&](std::size_t event, std::uint32_t) {
    const std::uint32_t first = particles.offsets[event], last = particles.offsets[event + 1];
    const float* pt = &particles.pt[first];
    std::iota(values + first, values + last, std::uint64_t{0});
    std::sort(values + first, values + last,
              [pt](std::uint64_t i, std::uint64_t j) { return pt[i] < pt[j]; });
    return last;
  });
}

std::vector<ColumnView> pt(const Batch& b) { return {list_view(b.few, b.few.pt)}; }
std::vector<ColumnView> pt_of_many(const Batch& b) { return {list_view(b.many, b.many.pt)}; }
std::vector<ColumnView> good(const Batch& b) { return {list_view(b.few, b.few.is_good.get())}; }

void add_masks() {
  const auto masked = [](const Batch& b) -> std::vector<ColumnView> {
    return {list_view(b.few, b.few.pt), list_view(b.few, b.few.is_good.get())};
  };
  const auto masked_many = [](const Batch& b) -> std::vector<ColumnView> {
    return {list_view(b.many, b.many.pt), list_view(b.many, b.many.is_good.get())};
  };
  add<float>({"pt[good] of 3", kPerFew, Kernel(mask_operation(kList), masked),
              [](const Batch& b, float* values, std::uint32_t* offsets) { mask(b.few, values, offsets); }});
  add<float>({"pt[good] of 10", kPerMany, Kernel(mask_operation(kList), masked_many),
              [](const Batch& b, float* values, std::uint32_t* offsets) { mask(b.many, values, offsets); }});
  add<std::uint64_t>({"Nonzero(good) of 3", kPerFew, called("Nonzero", good),
                      [](const Batch& b, std::uint64_t* values, std::uint32_t* offsets) {
                        nonzero(b.few, values, offsets);
                      }});
}

void add_elements() {
  const auto first = [](const Batch& b) -> std::vector<ColumnView> {
    return {list_view(b.few, b.few.pt), constant_view<std::int64_t{0}>()};
  };
  const auto second_or = [](const Batch& b) -> std::vector<ColumnView> {
    return {list_view(b.few, b.few.pt), constant_view<std::int64_t{1}>(), constant_view<-1.f>()};
  };
  add<float>({"pt[0]", kPerEntry, Kernel(element_operation(kList), first),
              [](const Batch& b, float* values, std::uint32_t*) {
                for (std::size_t event = 0; event < kBatch; ++event)
                  values[event] = b.few.pt[b.few.offsets[event]];
              }});
  add<float>({"at(pt, 1, -1)", kPerEntry, called("at", second_or),
              [](const Batch& b, float* values, std::uint32_t*) {
                for (std::size_t event = 0; event < kBatch; ++event) {
                  const std::uint32_t second = b.few.offsets[event] + 1;
                  values[event] = second < b.few.offsets[event + 1] ? b.few.pt[second] : -1.f;
                }
              }});
}

void add_takes() {
  const auto taken = [](const Batch& b) -> std::vector<ColumnView> {
    return {list_view(b.few, b.few.pt), list_view(b.few, b.few.by_pt)};
  };
  const auto taken_of_many = [](const Batch& b) -> std::vector<ColumnView> {
    return {list_view(b.many, b.many.pt), list_view(b.many, b.many.by_pt)};
  };
  const auto two_lists = [](const Batch& b) -> std::vector<ColumnView> {
    return {list_view(b.few, b.few.pt), list_view(b.several, b.several.pt)};
  };
  const auto first_two = [](const Batch& b) -> std::vector<ColumnView> {
    return {list_view(b.several, b.several.pt), constant_view<std::int64_t{2}>()};
  };
  add<float>({"Take(pt, indexes) of 3", kPerFew, called("Take", taken),
              [](const Batch& b, float* values, std::uint32_t* offsets) { take(b.few, values, offsets); }});
  add<float>({"Take(pt, indexes) of 10", kPerMany, called("Take", taken_of_many),
              [](const Batch& b, float* values, std::uint32_t* offsets) { take(b.many, values, offsets); }});
  add<float>({"Take(pt, 2)", kPerResult, called("Take", first_two),
              [](const Batch& b, float* values, std::uint32_t* offsets) {
                append_lists(offsets, [&](std::size_t event, std::uint32_t count) {
                  for (std::uint32_t i = 0; i < 2; ++i)
                    values[count++] = b.several.pt[b.several.offsets[event] + i];
                  return count;
                });
              }});
  add<float>(
      {"Reverse(pt) of 3", kPerFew, called("Reverse", pt),
       [](const Batch& b, float* values, std::uint32_t* offsets) { reverse(b.few, values, offsets); }});
  add<float>({"Concatenate of 3 and 4", kPerResult, called("Concatenate", two_lists),
              [](const Batch& b, float* values, std::uint32_t* offsets) {
                concatenate(b.few, b.several, values, offsets);
              }});
}

void add_sorts() {
  add<float>({"Sort(pt) of 3", kPerFew, called("Sort", pt),
              [](const Batch& b, float* values, std::uint32_t* offsets) { sort(b.few, values, offsets); }});
  add<float>({"Sort(pt) of 10", kPerMany, called("Sort", pt_of_many),
              [](const Batch& b, float* values, std::uint32_t* offsets) { sort(b.many, values, offsets); }});
  add<std::uint64_t>({"Argsort(pt) of 3", kPerFew, called("Argsort", pt),
                      [](const Batch& b, std::uint64_t* values, std::uint32_t* offsets) {
                        argsort(b.few, values, offsets);
                      }});
  add<std::uint64_t>({"Argsort(pt) of 10", kPerMany, called("Argsort", pt_of_many),
                      [](const Batch& b, std::uint64_t* values, std::uint32_t* offsets) {
                        argsort(b.many, values, offsets);
                      }});
}

}  // namespace

void add_list_outputs() {
  add_masks();
  add_elements();
  add_takes();
  add_sorts();
}

}  // namespace skimline::bench
