// SPDX-License-Identifier: BSD-3-Clause
#include "config/models/model_function.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace skimline::skims {
namespace {

// As vector instructions like it, so that no library makes a copy that is.
constexpr std::size_t kAlignment = 64;
// What a model may want at once, whatever its file says.
constexpr std::size_t kMostNumbers = 1 << 24;

struct AlignedDelete {
  void operator()(std::byte* bytes) const { ::operator delete[](bytes, std::align_val_t(kAlignment)); }
};
using AlignedBytes = std::unique_ptr<std::byte[], AlignedDelete>;

AlignedBytes aligned_bytes(std::size_t count) {
  return AlignedBytes(new (std::align_val_t(kAlignment)) std::byte[std::max<std::size_t>(count, 1)]);
}

// The objects of a block: different ones, or one again and again.
struct BlockShape {
  std::size_t rows = kModelRows;
  std::size_t objects = kModelRows;

  std::size_t repeats() const { return rows / objects; }
};

ScalarType input_type(const ModelCall& call, std::size_t input) {
  return *call.model->inputs()[input].scalar;
}

ScalarType output_type(const ModelCall& call) { return *call.model->outputs()[call.output].scalar; }

// Calls `visit(input, position in the row, argument)` for each number of an object.
template <typename Visitor>
void for_each_number(const ModelCall& call, const Visitor& visit) {
  std::size_t number = 0;
  for (std::size_t input = 0; input < call.widths.size(); ++input)
    for (std::size_t i = 0; i < call.widths[input]; ++i) visit(input, i, call.arguments[number++]);
}

// Where the numbers of one argument go: into every row once, `width` numbers from each other.
struct Place {
  std::byte* first;
  std::size_t width;
  std::size_t num_rows;
};

// Rows that are left at the end get the last number.
template <typename T>
void fill_column(const void* column, std::size_t count, std::size_t repeats, const Place& place) {
  const auto* values = static_cast<const T*>(column);
  T* to = reinterpret_cast<T*>(place.first);
  std::size_t row = 0;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t again = 0; again < repeats; ++again) to[row++ * place.width] = values[i];
  for (; row < place.num_rows; ++row) to[row * place.width] = values[count - 1];
}

// The numbers of objects as a model takes them: row by row instead of column by column.
class ModelInputs {
 public:
  ModelInputs(const ModelCall& call, const BlockShape& shape, std::size_t count, const void* const* arguments)
      : call_(call), shape_(shape), num_blocks_((count + shape.objects - 1) / shape.objects) {
    const std::size_t num_rows = num_blocks_ * shape.rows;
    for (std::size_t input = 0; input < call.widths.size(); ++input) {
      buffers_.push_back(aligned_bytes(num_rows * call.widths[input] * size_of(input_type(call, input))));
      views_.push_back(buffers_.back().get());
    }
    for_each_number(call, [&](std::size_t input, std::size_t position, std::size_t argument) {
      visit_scalar(input_type(call, input), [&](auto tag) {
        using T = typename decltype(tag)::type;
        std::byte* first = buffers_[input].get() + position * sizeof(T);
        fill_column<T>(arguments[argument], count, shape.repeats(), {first, call.widths[input], num_rows});
      });
    });
  }

  ModelBlocks blocks() const { return {num_blocks_, shape_.rows, views_, call_.widths, call_.output}; }

 private:
  const ModelCall& call_;
  const BlockShape& shape_;
  std::size_t num_blocks_;
  std::vector<AlignedBytes> buffers_;
  std::vector<const void*> views_;
};

// Evaluates `count` objects, one or more.
void evaluate(const ModelCall& call, const BlockShape& shape, std::size_t count, const void* const* arguments,
              std::byte* results) {
  const ModelInputs inputs(call, shape, count, arguments);
  const std::size_t size = size_of(output_type(call));
  const std::size_t step = shape.repeats() * call.num_values * size;
  std::size_t num_done = 0;
  call.model->evaluate(inputs.blocks(), [&](std::size_t, const void* values, std::size_t num_values) {
    if (num_values != shape.rows * call.num_values)
      throw Error("the model gives " + std::to_string(num_values) + " numbers for " +
                  std::to_string(shape.rows) + " objects, instead of " + std::to_string(call.num_values) +
                  " for each");
    const auto* from = static_cast<const std::byte*>(values) + call.element * size;
    const std::size_t end = std::min(num_done + shape.objects, count);
    for (; num_done < end; ++num_done, from += step) std::memcpy(results + num_done * size, from, size);
  });
  if (num_done != count) throw InternalError("a model was not evaluated for all objects");
}

// A sequence of numbers that is always the same (SplitMix64 of Steele, Lea and Flood).
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t mixed = state += 0x9e3779b97f4a7c15;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
  return mixed ^ mixed >> 31;
}

using Column = std::vector<std::byte>;

// What numbers are made: real ones between -limit and limit; integers 0, or 0 and 1, or 1, as they may be
// indexes into tables.
struct Draw {
  double limit = 0;
  double lowest_integer = 0;  // 0, 0.5 or 1
  std::uint64_t seed = 0;
};

std::vector<Column> random_columns(const ModelCall& call, std::size_t count, Draw draw) {
  std::vector<Column> columns(call.arguments.size());
  for_each_number(call, [&](std::size_t input, std::size_t, std::size_t argument) {
    visit_scalar(input_type(call, input), [&](auto tag) {
      using T = typename decltype(tag)::type;
      Column& column = columns[argument];
      column.resize(count * sizeof(T));
      if constexpr (std::is_arithmetic_v<T>)
        for (std::size_t i = 0; i < count; ++i) {
          const double fraction = static_cast<double>(next_random(draw.seed) >> 11) * 0x1p-53;
          const double number = std::is_floating_point_v<T> ? draw.limit * (2 * fraction - 1)
                                                            : std::floor(fraction + draw.lowest_integer);
          const auto value = static_cast<T>(number);
          std::memcpy(column.data() + i * sizeof(T), &value, sizeof(T));
        }
    });
  });
  return columns;
}

// Objects of our own making, and what a model gives for them wherever they are put.
class Trial {
 public:
  // Where an object stands; something else stands where there is none.
  using Places = std::vector<std::optional<std::size_t>>;

  // In one of three rounds the largest integers of a block are others', in one the smallest; the largest real
  // numbers always.
  Trial(const ModelCall& call, const BlockShape& shape, std::size_t round = 0)
      : call_(call),
        shape_(shape),
        size_(size_of(output_type(call))),
        objects_(random_columns(call, shape.rows, {3, static_cast<double>((round + 1) % 3) / 2, 3 + round})),
        others_(random_columns(call, shape.rows, {50, 0.5, ~round})) {}

  Column values(const Places& places) const {
    std::vector<Column> arguments(objects_.size());
    std::vector<const void*> views;
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      const std::size_t size = objects_[i].size() / shape_.rows;
      for (std::size_t place = 0; place < places.size(); ++place) {
        const std::byte* from =
            (places[place] ? objects_ : others_)[i].data() + places[place].value_or(place) * size;
        arguments[i].insert(arguments[i].end(), from, from + size);
      }
      views.push_back(arguments[i].data());
    }
    Column results(places.size() * size_);
    evaluate(call_, shape_, places.size(), views.data(), results.data());
    return results;
  }

  // Whether each object has the bits that it has when all are in their order.
  bool are_same(const Places& places, const Column& in_order) const {
    const Column found = values(places);
    for (std::size_t place = 0; place < places.size(); ++place)
      if (places[place] && std::memcmp(&found[place * size_], &in_order[*places[place] * size_], size_) != 0)
        return false;
    return true;
  }

 private:
  const ModelCall& call_;
  const BlockShape& shape_;
  std::size_t size_;
  std::vector<Column> objects_, others_;
};

// Whether objects have the same bits in other places of a block, and beside others.
bool is_same_anywhere(const ModelCall& call, const BlockShape& shape, std::size_t round) {
  Trial::Places in_order(shape.objects), reversed(shape.objects), among_others(shape.objects);
  for (std::size_t i = 0; i < shape.objects; ++i) {
    in_order[i] = i;
    reversed[i] = shape.objects - 1 - i;
    if (i % 3 != 0) among_others[i] = (i + shape.objects / 3) % shape.objects;
  }
  const Trial trial(call, shape, round);
  const Column expected = trial.values(in_order);
  return trial.are_same(reversed, expected) && trial.are_same(among_others, expected);
}

// The same in as many rounds as small blocks need. Not if the model refuses numbers that are ours.
bool is_same_anywhere(const ModelCall& call, const BlockShape& shape) {
  const std::size_t num_rounds =
      shape.objects == 1 ? 1 : std::max<std::size_t>(3, kModelRows / shape.objects);
  try {
    for (std::size_t round = 0; round < num_rounds; ++round)
      if (!is_same_anywhere(call, shape, round)) return false;
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Whether an object that is in all places of a block has the same value in each, up to rounding. It has not
// if a model takes objects for a sequence, or its output does not begin with all numbers of the first one.
template <typename T>
bool is_same_in_all_places(const ModelCall& call, std::size_t rows) {
  constexpr std::size_t kNumRounds = 24;
  double largest = 0, largest_difference = 0;
  for (std::size_t round = 0; round < kNumRounds; ++round) {
    const Column column = Trial(call, {rows, rows}, round).values(Trial::Places(rows, 0));
    const auto value_at = [&](std::size_t row) {
      T value;
      std::memcpy(&value, &column[row * sizeof(T)], sizeof(T));
      return static_cast<double>(value);
    };
    const double first = value_at(0);
    for (std::size_t row = 0; row < rows; ++row) {
      const double here = value_at(row);
      if (std::isfinite(first) != std::isfinite(here)) return false;
      if (!std::isfinite(first)) continue;
      largest = std::max(largest, std::fabs(here));
      largest_difference = std::max(largest_difference, std::fabs(here - first));
    }
  }
  return largest_difference <= largest * 1e-3;
}

bool is_same_in_all_places(const ModelCall& call, std::size_t rows) {
  try {
    return visit_scalar(output_type(call), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_arithmetic_v<T>) return is_same_in_all_places<T>(call, rows);
      return true;
    });
  } catch (const Error&) {
    return true;
  }
}

bool gives_others_each_time(const ModelCall& call, const BlockShape& shape) {
  try {
    const Trial trial(call, shape);
    const Column expected = trial.values({0});
    return !trial.are_same({0}, expected) || !trial.are_same({0}, expected);
  } catch (const Error&) {
    return false;
  }
}

// How many objects the inputs want at once; nothing if they take any number.
std::optional<std::size_t> wanted_rows(const Model& model) {
  std::optional<std::size_t> rows;
  for (const ModelTensor& input : model.inputs()) {
    if (input.shape.front() < 0) continue;
    const auto wanted = static_cast<std::size_t>(input.shape.front());
    if (rows && *rows != wanted)
      throw Error("its inputs want " + std::to_string(*rows) + " and " + std::to_string(wanted) +
                  " objects at once");
    rows = wanted;
  }
  return rows;
}

BlockShape whole_blocks(const ModelCall& call) {
  const std::size_t rows = wanted_rows(*call.model).value_or(kModelRows);
  for (const std::size_t width : call.widths)
    if (rows == 0 || rows > kMostNumbers / width)
      throw Error("its inputs want " + std::to_string(rows) + " objects with " + std::to_string(width) +
                  " numbers each at once");
  return {rows, rows};
}

}  // namespace

std::size_t count_values(const ModelCall& call) {
  const BlockShape shape = whole_blocks(call);
  const Column zeros(shape.rows * sizeof(double));
  const std::vector<const void*> views(call.arguments.size(), zeros.data());
  const ModelInputs inputs(call, shape, shape.rows, views.data());
  std::size_t num_values = 0;
  call.model->evaluate(inputs.blocks(),
                       [&](std::size_t, const void*, std::size_t count) { num_values = count; });
  if (num_values == 0 || num_values % shape.rows != 0)
    throw Error("the output \"" + call.model->outputs()[call.output].name + "\" has " +
                std::to_string(num_values) + " numbers for " + std::to_string(shape.rows) +
                " objects, not as many for each");
  return num_values / shape.rows;
}

ModelFunction model_function(ModelCall call) {
  BlockShape shape = whole_blocks(call);
  const bool is_alone = !is_same_anywhere(call, shape);
  if (is_alone) {
    shape = {wanted_rows(*call.model).value_or(1), 1};
    if (gives_others_each_time(call, shape)) throw Error("it gives other values each time that it is called");
    if (shape.rows > 1 && !is_same_in_all_places(call, shape.rows))
      throw Error("it wants " + std::to_string(shape.rows) +
                  " objects at once, and where one is among them changes its value");
  }
  ElementFunction function;
  function.parameters.resize(call.arguments.size());
  for_each_number(call, [&](std::size_t input, std::size_t, std::size_t argument) {
    function.parameters[argument] = input_type(call, input);
  });
  function.result = output_type(call);
  function.names = call.names;
  function.refuses_truncation = true;
  function.call = [call = std::move(call), shape](std::size_t count, const void* const* arguments,
                                                  void* results) {
    evaluate(call, shape, count, arguments, static_cast<std::byte*>(results));
  };
  return {std::move(function), is_alone};
}

}  // namespace skimline::skims
