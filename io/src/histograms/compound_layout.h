// SPDX-License-Identifier: BSD-3-Clause
// Objects that hold what can be added: graphs, efficiencies, and lists of these and of histograms.
#pragma once

#include "histograms/histogram_layout.h"
#include "root/object_cursor.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::io {

/// The points of a graph.
struct GraphLayout {
  std::size_t num_points_place = 0;
  std::size_t num_points = 0;
  std::vector<PayloadRange> columns;  ///< of each coordinate and error, with the byte in front of the numbers
  std::size_t bits_place = 0;
  std::uint32_t bits = 0;  ///< of its TObject
};

/// A part of an object that is added by itself.
struct CompoundPart {
  enum class Kind {
    kHistogram,
    kGraph,
    kWeight,  ///< of an efficiency: a double
    kEqual,   ///< must be the same everywhere
  };

  Kind kind = Kind::kEqual;
  std::string class_name;
  std::string path;            ///< names of the lists that it is in, and its own where that is known
  PayloadRange range;          ///< its bytes
  std::uint32_t settings = 0;  ///< bits of an object around it that must be the same too
  HistogramLayout histogram{};
  GraphLayout graph{};
};

/// An object, part by part.
struct CompoundLayout {
  std::vector<CompoundPart> parts;
  std::vector<PayloadRange> frames;     ///< see ObjectCursor::frames
  std::vector<std::size_t> references;  ///< see ObjectCursor::references
  bool has_opaque = false;              ///< other references may be in objects that are not understood
};

/// Whether read_compound() takes a class: TGraph and those of it with errors, TEfficiency, TList, THashList,
/// TObjArray.
bool is_compound(std::string_view class_name);

/// Whether objects of a class are settings, which must be the same everywhere.
bool is_equal_class(std::string_view class_name);

/// Reads an object of such a class. Throws FormatError if it is damaged, and Mismatch if a list holds what
/// can neither be added nor compared.
CompoundLayout read_compound(const std::string& class_name, std::span<const std::byte> payload,
                             std::size_t key_size);

}  // namespace skimline::io
