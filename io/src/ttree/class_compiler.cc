// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/class_compiler.h"

#include "root/element_type.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

namespace skimline::io {
namespace {

using Kind = StreamedValue::Kind;

constexpr int kMaxMemberDepth = 16;
constexpr std::size_t kMaxValues = 20000;
constexpr std::array<const char*, 2> kPartsOfPairs = {"first", "second"};
constexpr std::uint64_t kMaxSize = std::numeric_limits<std::int32_t>::max();

std::optional<ScalarType> scalar_of(int type) {
  constexpr std::array<std::pair<int, ScalarType>, 15> kTypes = {{{kChar, ScalarType::kInt8},
                                                                  {kShort, ScalarType::kInt16},
                                                                  {kInt, ScalarType::kInt32},
                                                                  {kLong, ScalarType::kInt64},
                                                                  {kFloat, ScalarType::kFloat},
                                                                  {kCounter, ScalarType::kInt32},
                                                                  {kDouble, ScalarType::kDouble},
                                                                  {kUnsignedChar, ScalarType::kUInt8},
                                                                  {kUnsignedShort, ScalarType::kUInt16},
                                                                  {kUnsignedInt, ScalarType::kUInt32},
                                                                  {kUnsignedLong, ScalarType::kUInt64},
                                                                  {kBits, ScalarType::kUInt32},
                                                                  {kLong64, ScalarType::kInt64},
                                                                  {kUnsignedLong64, ScalarType::kUInt64},
                                                                  {kBool, ScalarType::kBool}}};
  const auto* found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& known) { return known.first == type; });
  if (found == kTypes.end()) return std::nullopt;
  return found->second;
}

std::optional<StoredNumber> number_of(const ClassMember& member, int type) {
  if (type == kDouble32 || type == kFloat16) return reduced_number(type == kFloat16, member.comment);
  const std::optional<ScalarType> scalar = scalar_of(type);
  if (!scalar) return std::nullopt;
  StoredNumber number;
  number.scalar = *scalar;
  return number;
}

StreamedValue value_of(Kind kind, std::string problem = "") {
  StreamedValue value;
  value.kind = kind;
  value.problem = std::move(problem);
  return value;
}

StreamedValue number_value(ScalarType scalar) {
  StreamedValue value = value_of(Kind::kNumbers);
  value.number.scalar = scalar;
  return value;
}

StreamedValue list_of(Kind kind, StreamedValue item) {
  StreamedValue value = value_of(kind);
  value.parts.push_back(std::move(item));
  return value;
}

std::vector<std::uint64_t> dimensions_of(const ClassMember& member) {
  std::uint64_t product = 1;
  for (const std::uint64_t dimension : member.dimensions)
    product *= dimension == 0 || dimension > kMaxSize ? 0 : dimension;
  return product == member.array_length && !member.dimensions.empty() && product != 0
             ? member.dimensions
             : std::vector<std::uint64_t>{member.array_length};
}

StreamedValue number_member(const ClassMember& member, int type) {
  const std::optional<StoredNumber> number = number_of(member, type % kFixedArray);
  if (!number) return value_of(Kind::kUnknown, "members of type " + std::to_string(type) + " cannot be read");
  StreamedValue value = value_of(type == kBits ? Kind::kBits : Kind::kNumbers);
  value.number = *number;
  if (type > kPointerArray) {
    value.kind = Kind::kCounted;
    value.has_flag = true;
  } else if (type > kFixedArray) {
    if (member.array_length == 0 || member.array_length > kMaxSize / number->stored_size())
      return value_of(Kind::kUnknown, "has arrays of " + std::to_string(member.array_length) + " values");
    value.length = member.array_length;
    value.dimensions = dimensions_of(member);
  }
  return value;
}

StreamedValue hidden(StreamedValue value) {
  value.is_hidden = true;
  return value;
}

// The only member of an object that anybody would want: it is called as the object is.
StreamedValue shown_as(const std::string& type_name, StreamedValue value) {
  value.is_base = true;
  value.type_name = type_name;
  return value;
}

StreamedValue object_of(std::vector<StreamedValue> parts) {
  StreamedValue object = value_of(Kind::kObject);
  object.has_header = false;
  object.parts = std::move(parts);
  return object;
}

// The number that the object has which is referred to, and that of the process that gave it.
StreamedValue reference() {
  return object_of({hidden(number_value(ScalarType::kUInt16)),
                    shown_as("TRef", number_value(ScalarType::kUInt32)),
                    hidden(shown_as("", value_of(Kind::kBits))), hidden(number_value(ScalarType::kUInt16))});
}

// What has its own way of being written.
std::optional<StreamedValue> special_class(const std::string& name) {
  constexpr std::array<std::pair<const char*, ScalarType>, 7> kArrays = {{{"TArrayC", ScalarType::kInt8},
                                                                          {"TArrayS", ScalarType::kInt16},
                                                                          {"TArrayI", ScalarType::kInt32},
                                                                          {"TArrayL", ScalarType::kInt64},
                                                                          {"TArrayL64", ScalarType::kInt64},
                                                                          {"TArrayF", ScalarType::kFloat},
                                                                          {"TArrayD", ScalarType::kDouble}}};
  for (const auto& [array, scalar] : kArrays)
    if (name == array) return list_of(Kind::kList, number_value(scalar));
  if (name == "TString" || name == "string") return value_of(Kind::kString);
  if (name == "TObject") return value_of(Kind::kObjectBase);
  if (name == "TDatime") return number_value(ScalarType::kUInt32);
  if (name == "TRef") return reference();
  constexpr std::array<std::string_view, 10> kOthers = {
      "TList",        "THashList", "TSortedList",    "TObjArray",   "TOrdCollection",
      "TClonesArray", "TMap",      "TSeqCollection", "TCollection", "THashTable"};
  if (std::find(kOthers.begin(), kOthers.end(), name) != kOthers.end())
    return value_of(Kind::kOpaque, "objects of class " + name + " cannot be read");
  return std::nullopt;
}

std::string type_name_of(const ClassMember& member) {
  std::string name = member.element_class == "TStreamerBase" ? member.name : member.type_name;
  if (member.type > kPointerArray && member.type < kPointerArray + kFixedArray)
    return parse_type_name(name).text() + "[" + member.count_name + "]";
  if (member.array_length > 0)
    for (const std::uint64_t dimension : dimensions_of(member)) name += "[" + std::to_string(dimension) + "]";
  return name;
}

// What ROOT calls the only member of a class that is written as the collection it is.
bool is_itself(const ClassMember& member) { return member.name == "This" && member.type == kStreamer; }

// A number with a name of its own.
bool is_enumeration(const ClassMember& member) {
  return member.type > 0 && member.type < kFixedArray && scalar_of(member.type) &&
         !number_called(parse_type_name(member.type_name).name);
}

// Of a std::array of arrays: as the file describes it, ROOT writes the first one alone.
bool lacks_arrays(const std::string& class_name, const ClassMember& elements) {
  if (!class_name.starts_with("array<array<")) return false;
  const TypeName type = parse_type_name(class_name);
  std::uint64_t length = 1;
  for (const TypeName* array = &type; array->name == "array" && array->arguments.size() == 2;
       array = &array->arguments[0])
    length *= std::strtoull(array->arguments[1].name.c_str(), nullptr, 10);
  return elements.array_length < length;
}

// The name of the pairs of a map, or of a pair itself.
std::string pair_of(const TypeName& type) {
  return TypeName{"pair", {type.arguments[0], type.arguments[1]}, false}.text();
}

// Something without a header of which the file does not say what it is, such as an enumeration; nullptr if
// there is none.
const StreamedValue* find_undescribed(const StreamedValue& value) {
  if (value.kind == Kind::kOpaque) return &value;
  if (value.kind != Kind::kList && (value.kind != Kind::kObject || value.has_header)) return nullptr;
  for (const StreamedValue& part : value.parts)
    if (const StreamedValue* found = find_undescribed(part)) return found;
  return nullptr;
}

// Nothing says where that ends, nor, then, where the next pair begins.
void reject_open_ends(StreamedValue& pair) {
  const StreamedValue* undescribed = find_undescribed(pair);
  if (undescribed == nullptr) return;
  const std::string problem = undescribed->problem;
  for (StreamedValue& part : pair.parts)
    if (part.problem.empty()) part.problem = problem;
}

bool is_stl(const ClassMember& member) {
  return member.element_class == "TStreamerSTL" || member.element_class == "TStreamerSTLstring" ||
         member.type == kCollection || member.type == kStdString;
}

}  // namespace

ClassCompiler::ClassCompiler(const ClassLayouts& layouts) : classes_(layouts) {}

StreamedValue ClassCompiler::member(const ClassMember& member) {
  if (++num_values_ > kMaxValues) return value_of(Kind::kUnknown, "has too many members");
  StreamedValue value = bare_member(member);
  value.name = member.name;
  if (value.type_name.empty()) value.type_name = type_name_of(member);
  return value;
}

StreamedValue ClassCompiler::bare_member(const ClassMember& member) {
  const int type = member.type;
  if (is_stl(member)) {
    return member.array_length > 0 ? collection_array(member) : headed(parse_type_name(member.type_name));
  }
  if (member.element_class == "TStreamerBase") return base(member);
  if (type == kCharStar) return value_of(Kind::kCharacters);
  if (type > 0 && type < kPointerArray + kFixedArray) return number_member(member, type);
  switch (type) {
    case kString:
      return value_of(Kind::kString);
    case kObjectBase:
      return value_of(Kind::kObjectBase);
    case kOwnedPointer:
    case kAnyOwnedPointer:
      if (member.array_length > 0) return object_array(member, Kind::kArray);
      [[fallthrough]];
    case kObject:
    case kAny:
    case kNamedBase:
      return class_called(parse_type_name(member.type_name));
    case kPointer:
    case kAnyPointer:
      return pointer_member(member);
    case kCountedObjects:
      return value_of(Kind::kHeadedOpaque,
                      "objects that \"" + member.count_name + "\" counts cannot be read");
    case kFixedArray + kObject:
    case kFixedArray + kAny:
      return object_array(member, Kind::kArray);
    case kFixedArray + kString:
    case kFixedArray + kObjectBase:
    case kFixedArray + kNamedBase:
      return object_array(member, Kind::kHeadedArray);
    default:
      return value_of(Kind::kUnknown, "members of type " + std::to_string(type) + " cannot be read");
  }
}

// In the version that the class around it has it in: where members of objects follow one another, nothing
// else says which that is.
StreamedValue ClassCompiler::base(const ClassMember& member) {
  StreamedValue value = class_called(parse_type_name(member.name));
  const bool has_versions = value.kind == Kind::kObject && value.layouts != nullptr;
  if (const ClassLayout* layout = has_versions ? classes_.layout_of(member) : nullptr)
    value = object(*layout, true);
  value.is_base = true;
  value.is_written_whole = member.type == kNamedBase;
  return value;
}

StreamedValue ClassCompiler::object_array(const ClassMember& member, Kind kind) {
  if (member.array_length == 0) return value_of(Kind::kUnknown, "has arrays of 0 objects");
  const TypeName type = parse_type_name(member.type_name);
  // Collections are those of a std::array, which have no header.
  StreamedValue value = list_of(kind, is_collection(type) ? item(type) : class_called(type));
  if (is_collection(type) && (!has_known_ends(value) || has_undescribed_items(value)))
    return value_of(Kind::kUnknown, "arrays of " + type.text() + " cannot be read");
  value.length = member.array_length;
  return value;
}

// Each of an array is written for itself.
StreamedValue ClassCompiler::pointer_member(const ClassMember& member) {
  StreamedValue pointer = value_of(
      Kind::kPointer, "pointers to " + parse_type_name(member.type_name).text() + " cannot be followed");
  if (member.array_length == 0) return pointer;
  StreamedValue array = list_of(Kind::kArray, std::move(pointer));
  array.length = member.array_length;
  return array;
}

// Behind one header.
StreamedValue ClassCompiler::collection_array(const ClassMember& member) {
  StreamedValue collection = headed(parse_type_name(member.type_name));
  if (collection.kind == Kind::kHeadedOpaque) return collection;
  if (!collection.is_headed() || member.array_length > kMaxSize)
    return value_of(Kind::kUnknown, "arrays of " + member.type_name + " cannot be read");
  StreamedValue array = list_of(Kind::kHeadedArray, std::move(collection));
  array.is_doubtful = array.parts.front().is_doubtful;
  array.length = member.array_length;
  return array;
}

StreamedValue ClassCompiler::object(const ClassLayout& layout, bool has_header) {
  if (depth_ >= kMaxMemberDepth)
    return value_of(has_header ? Kind::kOpaque : Kind::kUnknown, "has too many levels of classes");
  if (layout.members.size() == 1 && is_itself(layout.members.front()))
    return value_of(has_header ? Kind::kOpaque : Kind::kUnknown,
                    "collections of class " + layout.name + " cannot be read");
  ++depth_;
  StreamedValue object = value_of(Kind::kObject);
  object.type_name = layout.name;
  object.has_header = has_header;
  object.version = layout.version;
  object.checksum = layout.checksum;
  object.has_rival = classes_.has_rival(layout);
  object.has_rival_in_columns = classes_.has_rival_with_bases(layout);
  object.layouts = layouts_of(parse_type_name(layout.name).text());
  for (const ClassMember& description : layout.members) {
    StreamedValue value = member(description);
    if (value.kind == Kind::kCounted) connect_counter(description, object, value);
    if (value.problem.empty() && lacks_arrays(layout.name, description))
      value.problem =
          "of each " + layout.name + " only " + std::to_string(value.length) + " values are written";
    object.parts.push_back(std::move(value));
  }
  --depth_;
  return object;
}

const std::vector<StreamedValue>* ClassCompiler::layouts_of(const std::string& name) {
  if (classes_.versions(name).size() < 2) return nullptr;
  const auto [place, is_new] = versions_->layouts.try_emplace(name);
  if (is_new) pending_.push_back(name);
  return &place->second;
}

// Each class once, however many values are of it.
std::shared_ptr<const ClassVersions> ClassCompiler::versions() {
  while (!pending_.empty()) {
    const std::string name = std::move(pending_.back());
    pending_.pop_back();
    std::vector<StreamedValue> layouts;
    for (const ClassLayout* layout : classes_.versions(name))
      if (num_values_ <= kMaxValues) layouts.push_back(object(*layout, true));
    versions_->layouts.at(name) = std::move(layouts);
  }
  return versions_->layouts.empty() ? nullptr : versions_;
}

void ClassCompiler::connect_counter(const ClassMember& counted, StreamedValue& object, StreamedValue& value) {
  value.slot = slot_of(counted.count_name, object);
  if (value.slot >= 0) return;
  value.kind = Kind::kUnknown;
  value.problem = "its size \"" + counted.count_name + "\" is not in the same class";
}

// Of a whole number among the members so far, of the class itself first; negative if there is none.
int ClassCompiler::slot_of(const std::string& counter, StreamedValue& object) {
  for (StreamedValue& part : object.parts) {
    if (part.is_base || part.name != counter || !part.is_number() || !is_integer(part.number.scalar))
      continue;
    if (part.slot < 0 && num_slots_ < kMaxSlots) part.slot = num_slots_++;
    return part.slot;
  }
  for (StreamedValue& part : object.parts) {
    if (!part.is_base || part.kind != Kind::kObject) continue;
    const int slot = slot_of(counter, part);
    if (slot < 0) continue;
    part.has_slots = true;
    return slot;
  }
  return -1;
}

// Only the number of objects, and the numbers of those that are referred to, are of use.
StreamedValue ClassCompiler::references() {
  StreamedValue count = hidden(number_value(ScalarType::kInt32));
  if (num_slots_ == kMaxSlots) return value_of(Kind::kOpaque, "has too many arrays");
  count.slot = num_slots_++;
  StreamedValue numbers = shown_as("TRefArray", number_value(ScalarType::kUInt32));
  numbers.kind = Kind::kCounted;
  numbers.slot = count.slot;
  StreamedValue array = object_of({hidden(value_of(Kind::kObjectBase)), hidden(value_of(Kind::kString)),
                                   count, hidden(number_value(ScalarType::kInt32)),
                                   hidden(number_value(ScalarType::kUInt16)), std::move(numbers)});
  array.type_name = "TRefArray";
  array.has_header = true;
  return array;
}

// Its base class has the numbers of rows and columns, behind which is one triangle.
StreamedValue ClassCompiler::symmetric_matrix(const TypeName& type) {
  StreamedValue base = class_called({"TMatrixTBase", type.arguments, false});
  if (base.kind != Kind::kObject || type.arguments.size() != 1) return base;
  base.is_base = true;
  const std::optional<ScalarType> scalar = number_called(type.arguments.front().name);
  StreamedValue matrix = object_of({std::move(base)});
  matrix.type_name = type.text();
  StreamedValue elements = number_value(scalar.value_or(ScalarType::kDouble));
  elements.kind = Kind::kTriangle;
  elements.name = "fElements";
  elements.type_name = type.arguments.front().text() + "[fNelems]";
  elements.slot = slot_of("fNrows", matrix);
  if (!scalar || elements.slot < 0) return value_of(Kind::kUnknown, "its size is not described");
  matrix.parts.push_back(std::move(elements));
  return matrix;
}

StreamedValue ClassCompiler::whole(const TypeName& type) {
  is_whole_ = true;
  return headed(type);
}

// ROOT makes branches only of collections that it can write. Of members that it cannot it writes nothing.
StreamedValue ClassCompiler::bits(Kind kind) const {
  StreamedValue list = list_of(kind, number_value(ScalarType::kBool));
  list.is_doubtful = !is_whole_;
  return list;
}

// Of other classes than the list says only the bytes tell.
StreamedValue ClassCompiler::pointed(TypeName type) {
  type.is_pointer = false;
  StreamedValue object = class_called(type);
  if (object.kind != Kind::kObject || !object.has_header)
    return value_of(Kind::kPointer, "pointers to " + type.text() + " cannot be followed");
  StreamedValue pointer = list_of(Kind::kPointed, std::move(object));
  pointer.type_name = type.text();
  return pointer;
}

StreamedValue ClassCompiler::headed(const TypeName& type) {
  if (type.name == "string") return value_of(Kind::kHeadedString);
  if (type.name == "bitset") return bits(Kind::kCollection);
  if (is_sequence(type)) return list_of(Kind::kCollection, item(type.arguments.front()));
  if (is_map(type)) {
    StreamedValue map = list_of(Kind::kCollection, pair(type, PairKind::kInColumns));
    map.parts.push_back(pair(type, PairKind::kInMap));
    return map;
  }
  return class_called(type);
}

StreamedValue ClassCompiler::item(const TypeName& type) {
  if (depth_ >= kMaxMemberDepth || ++num_values_ > kMaxValues)
    return value_of(Kind::kUnknown, "has too many levels of lists");
  if (type.is_pointer) return pointed(type);
  if (type.name == "Double32_t") {
    StreamedValue value = number_value(ScalarType::kDouble);
    value.number.encoding = StoredNumber::Encoding::kNarrow;
    return value;
  }
  if (type.name == "Float16_t") return number_value(ScalarType::kFloat);
  if (const auto scalar = number_called(type.name)) return number_value(*scalar);
  if (type.name == "bitset") return bits(Kind::kList);
  if (!is_collection(type)) return class_called(type);
  ++depth_;
  StreamedValue list =
      list_of(Kind::kList, is_map(type) ? pair(type, PairKind::kInMap) : item(type.arguments.front()));
  --depth_;
  return list;
}

StreamedValue ClassCompiler::part_of_pair(const TypeName& type, std::size_t number, PairKind kind) {
  const TypeName& part = type.arguments[number];
  if (part.name == "array") return array_in_pair(type, number, kind);
  // Where pairs follow one another an enumeration has the bytes of its type, which the file does not name.
  if (kind == PairKind::kInMap) return item(part);
  const ClassMember* described = part_as_described(type, number);
  if (described != nullptr && is_enumeration(*described) && !classes_.has(part.text()))
    return member(*described);
  return is_collection(part) || part.name == "string" ? headed(part) : item(part);
}

const ClassMember* ClassCompiler::part_as_described(const TypeName& type, std::size_t number) const {
  const DescribedClasses::Versions described = classes_.versions(pair_of(type));
  if (described.empty()) return nullptr;
  const std::vector<ClassMember>& members = described.front()->members;
  const auto found = std::find_if(members.begin(), members.end(), [&](const ClassMember& each) {
    return each.name == kPartsOfPairs[number];
  });
  return found != members.end() ? &*found : nullptr;
}

// A std::array in a pair is the fixed array that it is of members, or the object of a class that has one, as
// the file says. In a map whose pairs follow one another it is always such an object.
StreamedValue ClassCompiler::array_in_pair(const TypeName& type, std::size_t number, PairKind kind) {
  StreamedValue object = array_object(type.arguments[number]);
  const ClassMember* description = part_as_described(type, number);
  if (description == nullptr && kind != PairKind::kInMap)
    return value_of(Kind::kUnknown, "the file does not describe class " + pair_of(type));
  if (description == nullptr || description->array_length == 0) return object;
  StreamedValue array = member(*description);
  if (kind != PairKind::kInMap) return array;
  if (object.kind == Kind::kBoxed) {
    const StreamedValue& elements = object.parts.front().parts.front();
    const bool is_alike = elements.kind == array.kind && elements.dimensions == array.dimensions;
    if (is_alike || !elements.problem.empty()) return object;
  }
  return value_of(Kind::kOpaque, "the file describes " + type.arguments[number].text() + " in two ways");
}

StreamedValue ClassCompiler::array_object(const TypeName& type) {
  StreamedValue object = class_called(type);
  if (object.kind != Kind::kObject || object.parts.size() != 1) return object;
  return list_of(Kind::kBoxed, std::move(object));
}

StreamedValue ClassCompiler::pair(const TypeName& type, PairKind kind) {
  if (depth_ >= kMaxMemberDepth) return value_of(Kind::kUnknown, "has too many levels of classes");
  ++depth_;
  StreamedValue pair = value_of(Kind::kObject);
  pair.type_name = type.text();
  pair.has_header = kind == PairKind::kObject;
  for (std::size_t i = 0; i < 2; ++i) {
    pair.parts.push_back(part_of_pair(type, i, kind));
    pair.parts.back().name = kPartsOfPairs[i];
    pair.parts.back().type_name = type.arguments[i].text();
  }
  --depth_;
  if (kind == PairKind::kInMap) reject_open_ends(pair);
  return pair;
}

StreamedValue ClassCompiler::class_called(const TypeName& type) {
  if (std::optional<StreamedValue> special = special_class(type.name)) return std::move(*special);
  if (type.name == "TRefArray") return references();
  if (type.name == "TMatrixTSym") return symmetric_matrix(type);
  if (type.name == "pair" && type.arguments.size() == 2) return pair(type, PairKind::kObject);
  const DescribedClasses::Versions layouts = classes_.versions(type.text());
  if (layouts.empty()) return value_of(Kind::kOpaque, "the file does not describe class " + type.text());
  return object(*layouts.front(), true);
}

StreamedValue ClassCompiler::written_by_itself(const ClassLayout& layout) {
  const TypeName type = parse_type_name(layout.name);
  const bool is_special = special_class(type.name) || type.name == "TRefArray" || type.name == "TMatrixTSym";
  return is_special ? class_called(type) : object(layout, true);
}

StreamedValue ClassCompiler::tagged(const TypeName& type, const TypeName& item) {
  StreamedValue inner = type.name == "TClonesArray" ? clones(item) : class_called(type);
  if (inner.kind != Kind::kObject && inner.kind != Kind::kClones) return inner;
  StreamedValue value = list_of(Kind::kTagged, std::move(inner));
  value.type_name = type.text();
  return value;
}

StreamedValue ClassCompiler::clones(const TypeName& item) {
  if (item.name.empty())
    return value_of(Kind::kOpaque, "no entry says which objects are in its TClonesArray");
  StreamedValue object = class_called(item);
  if (object.kind != Kind::kObject || !object.has_header)
    return value_of(Kind::kOpaque, object.problem.empty()
                                       ? "objects of class " + item.text() + " cannot be read"
                                       : object.problem);
  return list_of(Kind::kClones, std::move(object));
}

}  // namespace skimline::io
