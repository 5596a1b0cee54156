// SPDX-License-Identifier: BSD-3-Clause
// How the objects of classes are laid out, as the StreamerInfo of a file describes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::io {

/// One member of a class, as StreamerInfo describes it.
struct ClassMember {
  std::string name;
  std::string comment;                    ///< with the range of Float16_t and Double32_t
  std::string type_name;                  ///< "vector<float>", "Double32_t"
  std::string element_class;              ///< "TStreamerBasicType", "TStreamerSTL"
  int type = 0;                           ///< fType
  std::uint64_t array_length = 0;         ///< of fixed-size arrays: all dimensions multiplied
  std::vector<std::uint64_t> dimensions;  ///< of fixed-size arrays
  int base_version = 0;                   ///< of bases
  std::uint32_t base_checksum = 0;        ///< the same; files of old versions of ROOT do not have it
  std::string count_name;                 ///< of "T* values; //[count_name]"

  bool operator==(const ClassMember&) const = default;
};

/// One version of a class.
struct ClassLayout {
  std::string name;
  int version = 0;
  std::uint32_t checksum = 0;
  std::vector<ClassMember> members;  ///< bases first

  bool operator==(const ClassLayout&) const = default;
};

/// The classes that a file describes.
class ClassLayouts {
 public:
  void add(ClassLayout layout) { layouts_.push_back(std::move(layout)); }
  const std::vector<ClassLayout>& all() const { return layouts_; }

  /// Return nullptr if there is none.
  const ClassLayout* find(std::string_view name, int version) const;
  const ClassLayout* find_checksum(std::string_view name, std::uint32_t checksum) const;

  bool operator==(const ClassLayouts&) const = default;

 private:
  std::vector<ClassLayout> layouts_;
};

}  // namespace skimline::io
