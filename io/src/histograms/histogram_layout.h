// SPDX-License-Identifier: BSD-3-Clause
// Where in the payload of ROOT's histogram objects the numbers are that change when histograms are added.
#pragma once

#include "histograms/stored_axis.h"
#include "root/object_cursor.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::io {

/// What a class name says about a histogram.
struct HistogramClass {
  int num_axes = 0;  ///< 0: any number
  NumberType cells = NumberType::kDouble;
  bool is_profile = false;
  bool is_sparse = false;       ///< THnSparseT
  bool is_dense_array = false;  ///< THnT
};

/// Returns what is known about a class; nothing if it is none of the histograms that can be read.
std::optional<HistogramClass> histogram_class(std::string_view name);

/// The arrays with one number per cell, in HistogramLayout::arrays.
enum CellArray : std::size_t { kContents, kSumw2, kBinEntries, kBinSumw2, kNumCellArrays };

/// What a profile was told about its values.
struct ProfileSettings {
  std::int32_t error_kind = 0;     ///< of TProfile: EErrorType
  double lowest = 0, highest = 0;  ///< values that count, if they differ

  friend bool operator==(const ProfileSettings& left, const ProfileSettings& right) = default;
};

/// A TH1, TH2, TH3, TProfile, TProfile2D, TProfile3D or THnT.
struct HistogramLayout {
  HistogramClass kind;
  std::string name;  ///< none of a THnT
  std::string title;
  std::string content_title;  ///< of the axis behind the last one
  std::vector<StoredAxis> axes;

  /// With no elements where an object has none: no errors, or no weights in a profile.
  std::array<NumberArray, kNumCellArrays> arrays{};
  /// Offsets of the doubles that are added: entries, w, w^2, w x, w x^2; of more axes w y, w y^2, w x y, and
  /// w z, w z^2, w x z, w y z; of profiles w v, w v^2; of a THnT entries, w, w^2, all w x, all w x^2.
  std::vector<std::size_t> sums;
  /// Everything that changes, in order of the offsets.
  std::vector<PayloadRange> changing;

  ProfileSettings profile{};
  bool is_average = false;           ///< adding makes the mean of such histograms
  bool has_flow_statistics = false;  ///< flow cells count into statistics that are computed from cells
  std::size_t first_buffered = 0;    ///< offset of the number of buffered fills; 0 if there is no buffer
  bool has_buffered_fills = false;

  std::size_t num_cells_place = 0;      ///< where the number of cells stands; 0 for a THnT
  std::vector<PayloadRange> frames;     ///< see ObjectCursor::frames
  std::vector<std::size_t> references;  ///< see ObjectCursor::references
  bool has_other_labels = false;        ///< on the axis of the contents, or behind it
  bool has_opaque = false;              ///< other references may be in objects that are not understood

  std::size_t num_cells() const;
};

/// Finds the numbers of an object of a class that is not sparse; `key_size` is that of its record. Throws
/// FormatError if the object is damaged, or in a version that ROOT 6.40 does not write.
HistogramLayout read_layout(const HistogramClass& kind, std::span<const std::byte> payload,
                            std::size_t key_size);

/// The same for one that lies inside another object, without its frames and references.
HistogramLayout read_layout(const HistogramClass& kind, ObjectCursor& cursor, std::size_t key_size);

}  // namespace skimline::io
