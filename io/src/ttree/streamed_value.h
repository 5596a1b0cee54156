// SPDX-License-Identifier: BSD-3-Clause
// How values of C++ types lie in the entries of a branch.
#pragma once

#include "compression/stored_numbers.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace skimline::io {

struct ClassVersions;

/// A value, with its parts.
struct StreamedValue {
  enum class Kind : std::uint8_t {
    kNumbers,       ///< `length` of them
    kBits,          ///< the bits of a TObject, which may have the number of a process behind them
    kCounted,       ///< as many elements as the number in `slot` said, behind a flag if there `has_flag`
    kString,        ///< its length in front
    kHeadedString,  ///< the same behind byte count and version
    kCharacters,    ///< a C string, its length in four bytes
    kObjectBase,    ///< a TObject
    kObject,        ///< `parts` are its members
    kArray,         ///< `length` values like `parts[0]`
    kHeadedArray,   ///< the same behind byte count and version, which the values do not have then
    kList,          ///< a count and so many values like `parts[0]`
    kCollection,    ///< byte count and version, then the members of items like `parts.front()` one after
                    ///< another, or a list of items like `parts.back()`
    kItems,         ///< values like `parts[0]` up to the end of the entry
    kTriangle,  ///< a symmetric matrix with as many rows as the number in `slot` said: of each row what is
                ///< at the diagonal and behind it
    kTagged,    ///< the name of a class, which is `type_name`, and `parts[0]`
    kClones,    ///< what a TClonesArray writes: its head, and objects like `parts[0]`, member by member or
                ///< one after the other
    kPointed,   ///< a pointer in a list: byte count, the name of its class, or where that stands in front,
                ///< and the object, `parts[0]`
    kBoxed,     ///< the object `parts[0]`, whose only member stands for it
    kPointer,   ///< to an object that may be anything
    kOpaque,    ///< anything with a byte count
    kHeadedOpaque,  ///< anything behind byte count and version
    kUnknown,       ///< nobody knows where it ends
  };

  Kind kind = Kind::kUnknown;
  std::string name;       ///< of the member
  std::string type_name;  ///< as the file spells it
  std::string problem;    ///< why no column can hold it; empty if one can
  StoredNumber number;
  std::uint64_t length = 1;               ///< of an array
  std::vector<std::uint64_t> dimensions;  ///< their product is `length`
  int slot = -1;                          ///< where the number is kept, if it counts others
  bool has_flag = false;
  /// Of an empty string nothing is stored, where entries end with it or with so many bytes behind it.
  bool may_be_missing = false;
  std::uint64_t bytes_behind = 0;
  bool is_hidden = false;  ///< nothing that anybody would want
  /// Whether ROOT writes nothing of it, in place of what the file describes, if it has no code for it.
  bool is_doubtful = false;
  bool has_slots = false;  ///< of an object: whether numbers in it count members of others

  // Of kObject.
  bool has_header = true;
  bool is_walked_to_its_end = false;  ///< whatever is wanted of it: where it ends says whether it is right
  bool is_base = false;               ///< its members are those of the class around it
  bool is_written_whole = false;      ///< object by object where their members follow one another, too
  int version = -1;                   ///< of the class; any if it is negative
  std::uint32_t checksum = 0;
  bool has_rival = false;             ///< whether another layout of its version has other members
  bool has_rival_in_columns = false;  ///< the same, those of its bases included
  /// Its class in all versions that the file describes, kept by the `versions` of the value around all;
  /// nullptr if there is one.
  const std::vector<StreamedValue>* layouts = nullptr;
  std::shared_ptr<const ClassVersions> versions;  ///< of the value around all

  std::vector<StreamedValue> parts;

  bool is_list() const {
    return kind == Kind::kCounted || kind == Kind::kArray || kind == Kind::kHeadedArray ||
           kind == Kind::kList || kind == Kind::kCollection || kind == Kind::kItems ||
           kind == Kind::kTriangle || kind == Kind::kClones;
  }
  /// Of several objects that are stored member by member, there is one header for all.
  bool is_headed() const {
    return kind == Kind::kHeadedString || kind == Kind::kHeadedArray || kind == Kind::kCollection ||
           kind == Kind::kHeadedOpaque;
  }
  /// Whether its members are among those of the class around it, where these follow one another.
  bool is_in_columns() const { return is_base && kind == Kind::kObject && !is_written_whole; }
  /// One number, without dimensions.
  bool is_number() const { return kind == Kind::kNumbers && dimensions.empty(); }
};

/// Classes in several versions, by name.
struct ClassVersions {
  std::map<std::string, std::vector<StreamedValue>> layouts;
};

/// Whether it holds objects that their class may write in a way of its own, which no file describes.
bool is_doubtful(const StreamedValue& value);

/// Whether there are fixed arrays of enumerations: ROOT writes nothing of those that are no int.
bool has_arrays_of_enumerations(const StreamedValue& value);

/// Whether there are pointers in it, of which each branch leads to classes of its own.
bool has_pointers(const StreamedValue& value);

/// Whether the end of every part of it is known.
bool has_known_ends(const StreamedValue& value);

/// Whether items of a list are of a class that the file does not describe. They need not have a byte count:
/// enumerations are numbers.
bool has_undescribed_items(const StreamedValue& list);

/// A pair, which is of no class that the file describes in a version.
bool is_pair(const StreamedValue& value);

/// The classes of the objects in it, with their versions.
std::string classes_of(const StreamedValue& value);

/// Slots that the counts of one entry may take.
inline constexpr int kMaxSlots = 16;

}  // namespace skimline::io
