// SPDX-License-Identifier: BSD-3-Clause
// Adds ROOT's histogram objects.
#pragma once

#include "histograms/cell_sums.h"
#include "histograms/histogram_layout.h"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace skimline::io {

/// An object as it is read: its payload, and the length of its record's key.
struct StoredObject {
  std::vector<std::byte> payload;
  std::size_t key_size = 0;
  std::uint16_t process_offset = 0;  ///< what the key of a record in the output adds to numbers of processes
};

/// Changes references to classes for a key of another size.
void move_references(StoredObject& object, const std::vector<std::size_t>& references, std::size_t key_size);

/// The sum of objects of one class.
///
/// Integers are added exactly, floats and doubles as doubles in the order of the calls. Everything but the
/// numbers is that of the first object, or of the first that has errors if some have none; the squared errors
/// of those that have none are the magnitudes of their contents, as for ROOT.
class ObjectSum {
 public:
  virtual ~ObjectSum() = default;

  /// Adds one more object, whose memory it may take. Throws FormatError if it is damaged and Mismatch if it
  /// cannot be added.
  virtual void add(StoredObject& object) = 0;

  /// Returns the sum for a record with a key of `key_size` bytes, or of those that come with it if it holds
  /// references that cannot be changed; no more calls then. Throws Mismatch if a sum is too large for the
  /// type of the cells.
  virtual StoredObject take(std::size_t key_size) = 0;
};

/// Begins a sum. Throws as ObjectSum::add.
std::unique_ptr<ObjectSum> begin_sum(const HistogramClass& kind, StoredObject& first);

/// The same, for classes that are not sparse and for those that are.
std::unique_ptr<ObjectSum> begin_dense_sum(const HistogramClass& kind, StoredObject& first);
std::unique_ptr<ObjectSum> begin_sparse_sum(const HistogramClass& kind, StoredObject& first);

}  // namespace skimline::io
