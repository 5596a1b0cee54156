// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/many_axes.h"

#include "histograms/cell_sums.h"

namespace skimline::io {
namespace {

void read_axis_list(ObjectCursor& cursor, std::size_t key_size, ManyAxes& base) {
  const auto num_axes = cursor.number<std::int32_t>();
  const ObjectFrame frame = cursor.begin("TObjArray", 3);
  cursor.object_base();
  cursor.skip_text();
  if (cursor.number<std::int32_t>() != num_axes || num_axes < 1)
    throw FormatError("a histogram with an impossible number of axes");
  cursor.skip(4);  // lower bound
  for (std::int32_t i = 0; i < num_axes; ++i) {
    if (cursor.pointer(key_size).class_name != "TAxis") throw FormatError("an axis that is none");
    base.axes.push_back(read_axis(cursor, key_size, base.has_opaque));
  }
  cursor.end(frame);
}

}  // namespace

void check_same_sums(const std::vector<std::size_t>& first, const std::vector<std::size_t>& other) {
  if (first.size() != other.size())
    throw Mismatch("one has the sums of positions, from which means are made, and the other has none");
}

ManyAxes read_many_axes(ObjectCursor& cursor, std::size_t key_size) {
  ManyAxes base;
  const ObjectFrame frame = cursor.begin("THnBase", 1);
  base.title = cursor.named().title;
  read_axis_list(cursor, key_size, base);
  const auto add_sums = [&](std::size_t begin, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) base.sums.push_back(begin + i * sizeof(double));
    base.changing.push_back({begin, begin + count * sizeof(double)});
  };
  add_sums(cursor.position(), 3);
  cursor.skip(3 * sizeof(double));
  for (int i = 0; i < 2; ++i) {
    const NumberArray moments = cursor.array(NumberType::kDouble);
    // None of those that kept no errors when they were made.
    if (moments.count != 0 && moments.count != base.axes.size())
      throw FormatError("a histogram with sums of too few or many axes");
    add_sums(moments.offset, moments.count);
  }
  cursor.end(frame);
  return base;
}

}  // namespace skimline::io
