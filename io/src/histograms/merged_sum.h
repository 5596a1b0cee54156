// SPDX-License-Identifier: BSD-3-Clause
// One histogram of a merge while the files that have it come by.
#pragma once

#include "histograms/merge_inputs.h"
#include "histograms/object_sum.h"
#include "histograms/record_reader.h"

#include "skimline/histograms/histogram.h"
#include "skimline/io/root_file_writer.h"

#include <memory>
#include <optional>

namespace skimline::io {

/// Adds what files have of one histogram, in the order of the calls: exactly while all of them have exact
/// sums, else as ROOT's objects.
class MergedSum {
 public:
  MergedSum(const MergedHistogram& histogram, bool allows_changed)
      : histogram_(&histogram), allows_changed_(allows_changed) {}

  /// Adds the histogram of a file; `scratch` is memory it may use. Does nothing once needs_objects() is true.
  /// Throws FormatError if it is damaged and Mismatch if it cannot be added.
  void add(const HistogramRecord& record, const RecordBytes& bytes, std::vector<std::byte>& scratch);

  /// Some files had exact sums, and then one had none: all must be added again, as objects.
  bool needs_objects() const { return needs_objects_; }
  /// Begins anew, without regard to exact sums.
  void restart();

  /// Whether a file had exact sums for another object than the one in front of them, which counted then.
  bool has_changed() const { return has_changed_; }
  /// Whether the sum is exact.
  bool is_exact() const { return exact_.has_value(); }
  /// Returns the object for the output; no more additions then. Throws Mismatch.
  RootObject take(CompressionSetting compression);
  /// Whether the object that was taken holds references that count a short key.
  bool needs_short_key() const { return needs_short_key_; }

 private:
  void check(const HistogramRecord& record, const RecordBytes& bytes) const;
  void note(bool do_sums_fit);
  bool add_exact(const RecordBytes& bytes);
  void add_object(const HistogramRecord& record, const RecordBytes& bytes, std::vector<std::byte>& scratch);

  const MergedHistogram* histogram_;
  bool allows_changed_;
  bool has_changed_ = false;
  bool takes_exact_ = true;
  bool needs_objects_ = false;
  bool needs_short_key_ = false;
  std::optional<histograms::Histogram> exact_;
  std::unique_ptr<ObjectSum> objects_;
};

}  // namespace skimline::io
