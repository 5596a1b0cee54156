// SPDX-License-Identifier: BSD-3-Clause
// What selections and mixed shapes cost: positions and values of the events that survive, repeated values.
#include "comparison.h"
#include "engine/gather.h"
#include "expression/list_elements.h"

namespace skimline::bench {
namespace {

// A selection of a batch.
struct Selection {
  const char* percent;
  std::unique_ptr<bool[]> Batch::*keeps;
  std::vector<std::uint32_t> Batch::*entries;
};

const Selection kSelections[] = {
    {" 1 %", &Batch::keeps_1, &Batch::entries_1},
    {" 20 %", &Batch::keeps_20, &Batch::entries_20},
    {" 90 %", &Batch::keeps_90, &Batch::entries_90},
};

Ours positions_of(const Selection& selection) {
  return [&selection](std::size_t batch, ColumnBuffer& results) -> ColumnView {
    auto* positions = results.values.reserve<std::uint32_t>(kBatch);
    const std::size_t count =
        find_positions({(batches()[batch].*selection.keeps).get(), kBatch}, true, positions);
    return {flat(ScalarType::kUInt32), count, positions, nullptr, false};
  };
}

template <typename MakeView>
Ours gathered(const Selection& selection, MakeView make_view) {
  return [&selection, make_view](std::size_t batch, ColumnBuffer& results) -> ColumnView {
    return gather(make_view(batches()[batch]), batches()[batch].*selection.entries, results);
  };
}

void add_selection(const Selection& selection) {
  const std::string percent = selection.percent;
  add<std::uint32_t>({"find_positions" + percent, kPerEntry, positions_of(selection),
                      [&](const Batch& b, std::uint32_t* values, std::uint32_t*) {
                        const bool* keeps = (b.*selection.keeps).get();
                        std::uint32_t count = 0;
                        for (std::uint32_t event = 0; event < kBatch; ++event)
                          if (keeps[event]) values[count++] = event;
                      }});
  add<float>({"gather x" + percent, kPerResult,
              gathered(selection, [](const Batch& b) { return flat_view(b.x); }),
              [&](const Batch& b, float* values, std::uint32_t*) {
                for (const std::uint32_t event : b.*selection.entries) *values++ = b.x[event];
              }});
  add<float>({"gather pt of 3" + percent, kPerResult,
              gathered(selection, [](const Batch& b) { return list_view(b.few, b.few.pt); }),
              [&](const Batch& b, float* values, std::uint32_t* offsets) {
                std::uint32_t count = 0;
                *offsets++ = 0;
                for (const std::uint32_t event : b.*selection.entries) {
                  for (std::uint32_t i = b.few.offsets[event]; i < b.few.offsets[event + 1]; ++i)
                    values[count++] = b.few.pt[i];
                  *offsets++ = count;
                }
              }});
}

template <typename T>
void repeat(const Particles& particles, const std::vector<T>& from, T* values, std::uint32_t* offsets) {
  for (std::size_t event = 0; event < kBatch; ++event) {
    for (std::uint32_t i = particles.offsets[event]; i < particles.offsets[event + 1]; ++i)
      values[i] = from[event];
    offsets[event + 1] = particles.offsets[event + 1];
  }
}

}  // namespace

void add_moves() {
  for (const Selection& selection : kSelections) add_selection(selection);
  const Operation broadcast = broadcast_operation(flat(ScalarType::kFloat), 1);
  const auto to_few = [](const Batch& b) -> std::vector<ColumnView> {
    return {flat_view(b.x), list_view(b.few, b.few.pt)};
  };
  const auto to_many = [](const Batch& b) -> std::vector<ColumnView> {
    return {flat_view(b.x), list_view(b.many, b.many.pt)};
  };
  add<float>(
      {"broadcast to 3", kPerFew, Kernel(broadcast, to_few),
       [](const Batch& b, float* values, std::uint32_t* offsets) { repeat(b.few, b.x, values, offsets); }});
  add<float>(
      {"broadcast to 10", kPerMany, Kernel(broadcast, to_many),
       [](const Batch& b, float* values, std::uint32_t* offsets) { repeat(b.many, b.x, values, offsets); }});
}

}  // namespace skimline::bench
