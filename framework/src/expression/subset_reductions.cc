// SPDX-License-Identifier: BSD-3-Clause
#include "expression/subset_reductions.h"

#include "expression/lorentz_vectors.h"
#include "expression/moved_value.h"
#include "expression/subsets.h"

#include "skimline/framework/instruction_set.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>

namespace skimline {
namespace {

// Values of a step that are computed together: few enough to stay in the first-level cache.
constexpr std::size_t kStepValues = 512;
// Wider rows of short lists save no more calls, and their vectors would leave the cache.
constexpr std::size_t kMaxWidth = 128;

// Where so few lists of a size are left, each is worked on alone if it has so many elements: these then fill
// the vectors, with less waste than copies of lists would.
constexpr std::size_t kFewLists = 2;
constexpr std::uint32_t kLongListSize = 8;

std::size_t in_whole_lanes(std::size_t count) {
  return (count + kSubsetLanes - 1) / kSubsetLanes * kSubsetLanes;
}

// Subsets that differ in the last member only, which is each of `begin` to before `end`.
template <int kCount>
struct SubsetRun {
  std::array<std::uint32_t, kCount - 1> first;  ///< the other members
  std::uint32_t begin = 0, end = 0;
};

// Goes through the subsets of a list of some size in order, a number of them at a time.
template <int kCount>
class SubsetRuns {
 public:
  void begin(std::uint32_t size) {
    size_ = size;
    for (std::uint32_t i = 0; i + 1 < kCount; ++i) first_[i] = i;
    last_ = kCount - 1;
  }

  // The next ones, at most `most`; returns how many. 0 if there are none left.
  std::size_t next(std::size_t most) {
    runs_.clear();
    std::size_t count = 0;
    while (count < most && first_.back() + 1 < size_) {
      const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(size_, last_ + (most - count)));
      if (end > last_) runs_.push_back({first_, last_, end});
      count += end - last_;
      last_ = end;
      if (last_ == size_) advance();
    }
    return count;
  }
  const std::vector<SubsetRun<kCount>>& runs() const { return runs_; }

 private:
  void advance() {
    ++first_.back();
    if constexpr (kCount == 3) {
      if (first_[1] + 1 == size_) first_[1] = ++first_[0] + 1;
    }
    last_ = first_.back() + 1;
  }

  std::uint32_t size_ = 0, last_ = 0;
  std::array<std::uint32_t, kCount - 1> first_{};
  std::vector<SubsetRun<kCount>> runs_;
};

// Lists of one size side by side: element i of list j is number i * width + j. Lorentz vectors may be kept
// by component, one array behind the other.
struct SideBySide {
  std::size_t size = 0, width = 0;

  // From one component to the next, with zeros that vectors may end in.
  std::size_t stride() const { return size * width + kSubsetLanes; }
};

using MassLanes = double __attribute__((vector_size(8 * kSubsetLanes)));
static_assert(sizeof(MassLanes) == kSubsetLanes * sizeof(double));

// Four vectors of which each is the same element of another list.
struct MomentumLanes {
  MassLanes x, y, z, energy;

  // Of arrays of `stride` components, from number `place` on.
  [[gnu::always_inline]] static inline MomentumLanes load(const double* components, std::size_t stride,
                                                          std::size_t place) {
    MomentumLanes loaded;
    std::memcpy(&loaded.x, components + place, sizeof(MassLanes));
    std::memcpy(&loaded.y, components + stride + place, sizeof(MassLanes));
    std::memcpy(&loaded.z, components + 2 * stride + place, sizeof(MassLanes));
    std::memcpy(&loaded.energy, components + 3 * stride + place, sizeof(MassLanes));
    return loaded;
  }

  // One vector in all lanes.
  [[gnu::always_inline]] static inline MomentumLanes repeat(const double* components, std::size_t stride,
                                                            std::size_t place) {
    const double x = components[place], y = components[stride + place], z = components[2 * stride + place];
    const double energy = components[3 * stride + place];
    return {MassLanes{x, x, x, x}, MassLanes{y, y, y, y}, MassLanes{z, z, z, z},
            MassLanes{energy, energy, energy, energy}};
  }

  [[gnu::always_inline]] inline void add(const MomentumLanes& other) {
    x += other.x;
    y += other.y;
    z += other.z;
    energy += other.energy;
  }
};

// The masses of sums of vectors by component.
template <int kCount>
struct MassRows {
  using Runs = std::vector<SubsetRun<kCount>>;

  [[gnu::always_inline]] static inline void run(const Runs& runs, const SideBySide& lists,
                                                const double* const& components, double* const& results) {
    const std::size_t width = lists.width, stride = lists.stride();
    double* const result = results;
    if (width == 1)
      write_masses_of_one(runs, stride, components, result);
    else
      for (std::size_t lane = 0; lane < width; lane += kSubsetLanes)
        write_masses(runs, width, stride, components + lane, result + lane);
  }

 private:
  [[gnu::always_inline]] static inline void write_mass(MomentumLanes& sum, const MomentumLanes& before,
                                                       double* out) {
    sum.add(before);
    const MassLanes square = sum.energy * sum.energy - sum.x * sum.x - sum.y * sum.y - sum.z * sum.z;
    MassLanes mass;  // The root of a negative square is negative.
    for (std::size_t lane = 0; lane < kSubsetLanes; ++lane)
      mass[lane] = std::copysign(std::sqrt(std::fabs(square[lane])), square[lane]);
    std::memcpy(out, &mass, sizeof mass);
  }

  [[gnu::always_inline]] static inline void write_masses(const Runs& runs, std::size_t width,
                                                         std::size_t stride, const double* components,
                                                         double* out) {
    for (const SubsetRun<kCount>& each : runs) {
      MomentumLanes before = MomentumLanes::load(components, stride, each.first[0] * width);
      if constexpr (kCount == 3) before.add(MomentumLanes::load(components, stride, each.first[1] * width));
      for (std::size_t last = each.begin, end = each.end; last < end; ++last, out += width) {
        MomentumLanes sum = MomentumLanes::load(components, stride, last * width);
        write_mass(sum, before, out);
      }
    }
  }

  // Of one list, several of its last members at a time: what lies beyond a run the next one overwrites.
  [[gnu::always_inline]] static inline void write_masses_of_one(const Runs& runs, std::size_t stride,
                                                                const double* components, double* out) {
    for (const SubsetRun<kCount>& each : runs) {
      MomentumLanes before = MomentumLanes::repeat(components, stride, each.first[0]);
      if constexpr (kCount == 3) before.add(MomentumLanes::repeat(components, stride, each.first[1]));
      for (std::size_t last = each.begin; last < each.end; last += kSubsetLanes) {
        MomentumLanes sum = MomentumLanes::load(components, stride, last);
        write_mass(sum, before, out + (last - each.begin));
      }
      out += each.end - each.begin;
    }
  }
};

// One reduction of a batch.
template <int kCount>
class SubsetReducer {
 public:
  explicit SubsetReducer(const KernelCall& call)
      : call_(call),
        program_(*static_cast<const SubsetProgram*>(call.state)),
        lists_(program_.steps.size()),
        values_(program_.steps.size()) {}

  ColumnView run() {
    for (const SubsetStep& step : program_.steps) check(step);
    void* results = call_.results.values.reserve_bytes(call_.length * size_of(call_.type.scalar));
    if (program_.allows_none) reduce_short_lists(results);
    order_by_size();
    for (std::uint32_t size = kCount; size + 1 < ends_.size(); ++size)
      reduce_lists_of(size, {order_ + ends_[size], ends_[size + 1] - ends_[size]}, results);
    return flat_result(call_, results);
  }

 private:
  using Kind = SubsetStep::Kind;
  using Entries = std::span<const std::uint32_t>;

  static bool is_of_list(const SubsetStep& step) {
    return step.kind != Kind::kEntryValue && step.kind != Kind::kLoop;
  }

  // Throws what the functions would throw that the step stands for.
  void check(const SubsetStep& step) const {
    if (!is_of_list(step)) return;
    const SubsetArguments<kCount> subsets(call_.inputs[step.input], call_.inputs[0], program_.allows_none);
    const bool is_of_one = step.kind == Kind::kMember || step.kind == Kind::kIndex;
    for (std::size_t entry = 0; entry < call_.length; ++entry)
      ListLayout::check(entry, subsets.number(entry, is_of_one ? step.member : kCount - 1), 0);
  }

  // What the function gives of an empty list.
  void reduce_short_lists(void* results) const {
    const bool has_value =
        program_.function == "Sum" || program_.function == "Any" || program_.function == "All";
    const std::size_t size = size_of(call_.type.scalar);
    for (std::size_t entry = 0; entry < call_.length; ++entry) {
      if (size_at(call_.inputs[0], entry) >= kCount) continue;
      if (!has_value) throw EntryFault{entry, std::string(program_.function) + " of an empty list"};
      auto* const result = static_cast<std::byte*>(results) + entry * size;
      std::fill_n(result, size, std::byte{0});
      if (program_.function == "All") *result = std::byte{1};
    }
  }

  // Entries by the sizes of their lists: those of size n are from number ends_[n] to before ends_[n + 1].
  // Beyond some thousand elements lists have too many subsets, so that sizes are small numbers.
  void order_by_size() {
    const ColumnView& combined = call_.inputs[0];
    std::uint32_t largest = 0;
    for (std::size_t entry = 0; entry < call_.length; ++entry)
      largest = std::max(largest, size_at(combined, entry));
    ends_.assign(largest + std::size_t{2}, 0);
    for (std::size_t entry = 0; entry < call_.length; ++entry) ++ends_[size_at(combined, entry) + 1];
    for (std::size_t size = 1; size < ends_.size(); ++size) ends_[size] += ends_[size - 1];
    order_ = call_.results.offsets.template reserve<std::uint32_t>(call_.length);
    std::vector<std::uint32_t> places(ends_.begin(), ends_.end());
    for (std::size_t entry = 0; entry < call_.length; ++entry)
      order_[places[size_at(combined, entry)]++] = static_cast<std::uint32_t>(entry);
  }

  void reduce_lists_of(std::uint32_t size, Entries entries, void* results) {
    if (entries.empty()) return;
    const std::size_t number = num_subsets<kCount>(size);
    const std::size_t fitting = std::max(kStepValues / number / kSubsetLanes * kSubsetLanes, kSubsetLanes);
    const std::size_t most = std::min({fitting, kMaxWidth, in_whole_lanes(entries.size())});
    lay_out({size, most}, std::min(number, kStepValues / most), std::min(number, kStepValues));
    while (!entries.empty()) {
      const std::size_t width = width_for(size, std::min(most, entries.size()));
      const Entries now = entries.first(std::min(width, entries.size()));
      reduce({size, width}, std::min(number, kStepValues / width), now, results);
      entries = entries.subspan(now.size());
    }
  }

  // For so many lists that are left.
  static std::size_t width_for(std::uint32_t size, std::size_t left) {
    const std::size_t rest = left % kSubsetLanes;
    if (size < kLongListSize || rest == 0 || rest > kFewLists) return in_whole_lanes(left);
    return left > rest ? left - rest : 1;
  }

  void reduce(const SideBySide& lists, std::size_t most_rows, Entries entries, void* results) {
    read_lists(lists, entries);
    runs_.begin(static_cast<std::uint32_t>(lists.size));
    std::uint64_t done = 0;
    while (const std::size_t num_rows = runs_.next(most_rows)) {
      for (std::size_t i = 0; i < program_.steps.size(); ++i) compute(i, lists, num_rows);
      program_.fold.add({values_.back(), num_rows, lists.width, done}, state_);
      done += num_rows;
    }
    program_.fold.store(state_, lists.width, entries, results);
  }

  // Room for the lists of each step, its values, and the state. Vectors may end behind them.
  void lay_out(const SideBySide& lists, std::size_t num_rows, std::size_t num_rows_of_one) {
    constexpr std::size_t kAlignment = 64;
    std::vector<std::size_t> places;
    std::size_t end = 0;
    const auto add = [&](std::size_t bytes) {
      places.push_back(end);
      end += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    };
    const std::size_t num_values = std::max(num_rows * lists.width, num_rows_of_one) + kSubsetLanes;
    for (const SubsetStep& step : program_.steps) {
      const std::size_t of_lists =
          step.kind == Kind::kIndex || step.kind == Kind::kLoop ? 0 : size_of(scalar_of(step));
      add((step.kind == Kind::kEntryValue ? lists.width : lists.stride()) * of_lists);
      add(num_values * size_of(step.scalar));
    }
    add(lists.width * SubsetFold::kStateBytes);
    auto* memory = static_cast<std::byte*>(call_.results.inner_offsets.reserve_bytes(end));
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      lists_[i] = memory + places[2 * i];
      values_[i] = memory + places[2 * i + 1];
    }
    state_ = memory + places.back();
  }

  ScalarType scalar_of(const SubsetStep& step) const { return call_.inputs[step.input].type.scalar; }

  // Where fewer entries than the width are left, the last one is read again.
  void read_lists(const SideBySide& lists, Entries entries) {
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      const SubsetStep& step = program_.steps[i];
      if (step.kind == Kind::kMass)
        read_components(call_.inputs[step.input], lists, entries, static_cast<double*>(lists_[i]));
      else if (step.kind == Kind::kMember || step.kind == Kind::kSum || step.kind == Kind::kEntryValue)
        visit_moved(scalar_of(step), [&](auto tag) {
          read_values<typename decltype(tag)::type>(call_.inputs[step.input], lists, entries, lists_[i]);
        });
    }
  }

  static std::uint32_t entry_at(Entries entries, std::size_t lane) {
    return entries[std::min(lane, entries.size() - 1)];
  }

  template <typename T>
  static void read_values(const ColumnView& column, const SideBySide& lists, Entries entries, void* result) {
    const bool is_flat = !column.type.is_jagged();
    for (std::size_t lane = 0; lane < lists.width; ++lane) {
      const std::uint32_t entry = entry_at(entries, lane);
      const std::size_t first = is_flat ? (column.is_constant ? 0 : entry) : column.offsets[entry];
      for (std::size_t i = 0; i < (is_flat ? 1 : lists.size); ++i)
        store_value(result, i * lists.width + lane, load_value<T>(column.values, first + i));
    }
  }

  static void read_components(const ColumnView& vectors, const SideBySide& lists, Entries entries,
                              double* result) {
    const std::size_t array = lists.stride();
    for (std::size_t component = 1; component <= 4; ++component)
      std::fill_n(result + component * array - kSubsetLanes, kSubsetLanes, 0.0);
    for (std::size_t lane = 0; lane < lists.width; ++lane) {
      const auto* list = vectors.data<LorentzVector>() + vectors.offsets[entry_at(entries, lane)];
      for (std::size_t i = 0; i < lists.size; ++i) {
        double* const out = result + i * lists.width + lane;
        out[0] = list[i].x;
        out[array] = list[i].y;
        out[2 * array] = list[i].z;
        out[3 * array] = list[i].energy;
      }
    }
  }

  void compute(std::size_t number, const SideBySide& lists, std::size_t num_rows) {
    const SubsetStep& step = program_.steps[number];
    switch (step.kind) {
      case Kind::kMember:
        return visit_moved(step.scalar, [&](auto tag) {
          write_members<typename decltype(tag)::type>(step.member, lists, lists_[number], values_[number]);
        });
      case Kind::kIndex:
        return write_indexes(step.member, lists, static_cast<std::uint64_t*>(values_[number]));
      case Kind::kSum:
        return write_sums(lists, static_cast<const LorentzVector*>(lists_[number]),
                          static_cast<LorentzVector*>(values_[number]));
      case Kind::kMass:
        return run_kernel<MassRows<kCount>>(runs_.runs(), lists, static_cast<const double*>(lists_[number]),
                                            static_cast<double*>(values_[number]));
      case Kind::kEntryValue:
        return visit_moved(step.scalar, [&](auto tag) {
          repeat_row<typename decltype(tag)::type>(lists_[number], 0, lists.width, num_rows, values_[number],
                                                   0);
        });
      case Kind::kLoop:
        return run_loop(step, num_rows * lists.width, values_[number]);
    }
  }

  template <typename T>
  void write_members(std::uint32_t member, const SideBySide& lists, const void* list, void* result) const {
    std::size_t place = 0;
    for (const SubsetRun<kCount>& run : runs_.runs()) {
      const std::size_t num_rows = run.end - run.begin;
      if (member + 1 == kCount) {
        copy_values<T>(list, run.begin * lists.width, num_rows * lists.width, result, place);
        place += num_rows * lists.width;
      } else {
        repeat_row<T>(list, run.first[member] * lists.width, lists.width, num_rows, result, place);
        place += num_rows * lists.width;
      }
    }
  }

  // The `width` values from number `from` on, again and again.
  template <typename T>
  static void repeat_row(const void* values, std::size_t from, std::size_t width, std::size_t num_rows,
                         void* result, std::size_t place) {
    if (width == 1) {
      const T value = load_value<T>(values, from);
      for (std::size_t row = 0; row < num_rows; ++row) store_value(result, place + row, value);
      return;
    }
    for (std::size_t row = 0; row < num_rows; ++row, place += width)
      copy_values<T>(values, from, width, result, place);
  }

  void write_indexes(std::uint32_t member, const SideBySide& lists, std::uint64_t* out) const {
    for (const SubsetRun<kCount>& run : runs_.runs())
      for (std::uint32_t last = run.begin; last < run.end; ++last)
        out = std::fill_n(out, lists.width, member + 1 == kCount ? last : run.first[member]);
  }

  void write_sums(const SideBySide& lists, const LorentzVector* vectors, LorentzVector* out) const {
    const std::size_t width = lists.width;
    for (const SubsetRun<kCount>& run : runs_.runs()) {
      for (std::uint32_t last = run.begin; last < run.end; ++last) {
        for (std::size_t lane = 0; lane < width; ++lane) {
          LorentzVector sum = vectors[run.first[0] * width + lane];
          if constexpr (kCount == 3) sum = vector_sum(sum, vectors[run.first[1] * width + lane]);
          *out++ = vector_sum(sum, vectors[last * width + lane]);
        }
      }
    }
  }

  void run_loop(const SubsetStep& step, std::size_t count, void* result) {
    operands_.clear();
    for (const SubsetStep::Value& value : step.operands) {
      const void* values = value.is_constant ? value.constant.bytes.data() : values_[value.step];
      operands_.push_back({values, value.is_constant});
    }
    step.loop(operands_.data(), result, count);
  }

  const KernelCall& call_;
  const SubsetProgram& program_;
  std::vector<std::uint32_t> ends_;
  std::uint32_t* order_ = nullptr;
  SubsetRuns<kCount> runs_;
  std::vector<void*> lists_, values_;  // by step
  void* state_ = nullptr;
  std::vector<Operand> operands_;
};

}  // namespace

ColumnView reduce_subsets(const KernelCall& call) {
  const bool is_of_pairs = static_cast<const SubsetProgram*>(call.state)->count == 2;
  return is_of_pairs ? SubsetReducer<2>(call).run() : SubsetReducer<3>(call).run();
}

}  // namespace skimline
