// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/stored_axis.h"

#include "skimline/framework/number_text.h"

#include <algorithm>
#include <cmath>

namespace skimline::io {
namespace {

constexpr double kTolerance = 1e-10;  // of a bin
constexpr std::int32_t kMaxBins = 1'000'000'000;

std::string number(double value) { return significant_digits(value, 15); }

void check_axis(const StoredAxis& axis) {
  if (axis.num_bins < 1 || axis.num_bins > kMaxBins)
    throw FormatError("an axis with " + std::to_string(axis.num_bins) + " bins");
  if (!axis.edges.empty() && axis.edges.size() != static_cast<std::size_t>(axis.num_bins) + 1)
    throw FormatError("an axis with " + std::to_string(axis.num_bins) + " bins and " +
                      std::to_string(axis.edges.size()) + " edges");
}

// Objects of a list have an own number each, which of labels is that of their bin.
std::pair<std::uint32_t, std::string> read_label(ObjectCursor& cursor, std::size_t key_size) {
  const ObjectCursor::Pointed pointed = cursor.pointer(key_size);
  if (pointed.class_name != "TObjString") throw FormatError("a label of an axis that is no text");
  const ObjectFrame frame = cursor.begin("TObjString", 1);
  cursor.skip(2);
  const auto bin = cursor.number<std::uint32_t>();
  cursor.skip(4);
  std::pair<std::uint32_t, std::string> label{bin, cursor.text()};
  cursor.end(frame);
  cursor.skip_text();  // the option that lists keep with each object
  return label;
}

void read_labels(ObjectCursor& cursor, std::size_t key_size, StoredAxis& axis) {
  const ObjectCursor::Pointed pointed = cursor.pointer(key_size);
  if (pointed.class_name.empty()) return;
  const ObjectFrame frame = cursor.begin("THashList", 5);
  cursor.object_base();
  cursor.skip_text();
  const auto count = cursor.number<std::int32_t>();
  for (std::int32_t i = 0; i < count; ++i) axis.labels.push_back(read_label(cursor, key_size));
  cursor.end(frame);
  std::sort(axis.labels.begin(), axis.labels.end());
}

std::string difference_of_labels(const StoredAxis& left, const StoredAxis& right) {
  const auto [one, other] =
      std::mismatch(left.labels.begin(), left.labels.end(), right.labels.begin(), right.labels.end());
  if (one == left.labels.end() && other == right.labels.end()) return {};
  const auto shown = [](auto label, auto end) {
    return label == end ? std::string("no more")
                        : "\"" + label->second + "\" at bin " + std::to_string(label->first);
  };
  return "labels " + shown(one, left.labels.end()) + " and " + shown(other, right.labels.end());
}

// Returns whether there are any.
bool skip_changed_labels(ObjectCursor& cursor) {
  const std::size_t before = cursor.position();
  cursor.skip_pointer();
  return cursor.position() - before > sizeof(std::uint32_t);
}

}  // namespace

StoredAxis read_axis(ObjectCursor& cursor, std::size_t key_size, bool& has_opaque) {
  constexpr std::size_t kNamedBits = 4 + 2 + 2 + 4;  // behind size, version, version and unique id
  constexpr std::uint16_t kWithLabels = 7, kWithMoreBits = 8, kWithChangedLabels = 10;
  const ObjectFrame frame = cursor.begin("TAxis", {6, kWithLabels, kWithMoreBits, 9, kWithChangedLabels});
  StoredAxis axis;
  axis.places.bits = cursor.position() + kNamedBits;
  axis.title = cursor.named().title;
  cursor.skip_object();  // drawing attributes
  axis.places.bins.begin = cursor.position();
  axis.num_bins = cursor.number<std::int32_t>();
  axis.low = cursor.real();
  axis.high = cursor.real();
  axis.edges = cursor.reals();
  cursor.skip(4 + 4);  // first and last bin drawn
  axis.places.has_all = frame.version >= kWithMoreBits;
  if (axis.places.has_all) axis.more_bits = cursor.number<std::uint16_t>();
  axis.places.bins.end = cursor.position();
  cursor.skip(1);      // whether it shows time
  cursor.skip_text();  // format of time
  axis.places.labels.begin = cursor.position();
  if (frame.version >= kWithLabels) read_labels(cursor, key_size, axis);
  axis.places.labels.end = cursor.position();
  if (frame.version >= kWithChangedLabels) has_opaque |= skip_changed_labels(cursor);
  cursor.end(frame);
  check_axis(axis);
  return axis;
}

std::string difference_of(const StoredAxis& left, const StoredAxis& right) {
  if (left.num_bins != right.num_bins)
    return std::to_string(left.num_bins) + " bins and " + std::to_string(right.num_bins) + " bins";
  const double tolerance = kTolerance * std::abs(left.high - left.low) / left.num_bins;
  const auto differ = [&](double one, double other) {
    return one != other && !(std::abs(one - other) <= tolerance);
  };
  if (differ(left.low, right.low)) return "from " + number(left.low) + " and from " + number(right.low);
  if (differ(left.high, right.high)) return "to " + number(left.high) + " and to " + number(right.high);
  if (left.edges.size() != right.edges.size()) return "edges in one, and bins of equal width in the other";
  for (std::size_t i = 0; i < left.edges.size(); ++i)
    if (differ(left.edges[i], right.edges[i]))
      return "edge " + std::to_string(i) + " at " + number(left.edges[i]) + " and at " +
             number(right.edges[i]);
  return difference_of_labels(left, right);
}

std::string axis_name(std::size_t axis, std::size_t num_axes) {
  return num_axes <= 3 ? std::string(1, "xyz"[axis]) + " axis" : "axis " + std::to_string(axis);
}

std::string difference_of(const std::vector<StoredAxis>& left, const std::vector<StoredAxis>& right) {
  if (left.size() != right.size())
    return std::to_string(left.size()) + " axes and " + std::to_string(right.size()) + " axes";
  for (std::size_t i = 0; i < left.size(); ++i) {
    const std::string difference = difference_of(left[i], right[i]);
    if (difference.empty()) continue;
    return axis_name(i, left.size()) + ": " + difference;
  }
  return {};
}

}  // namespace skimline::io
