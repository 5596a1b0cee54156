// SPDX-License-Identifier: BSD-3-Clause
// The columns of branches that hold objects, or members of them.
#include "ttree/class_compiler.h"
#include "ttree/column_list.h"
#include "ttree/leaf_decoders.h"
#include "ttree/leaf_title.h"
#include "ttree/streamed_decoder.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace skimline::io {
namespace {

using Kind = StreamedValue::Kind;

bool is_member_of_collection(const TreeBranch& branch) {
  const auto kind = static_cast<ElementKind>(branch.type);
  return kind == ElementKind::kMember || kind == ElementKind::kClonesMember;
}

// A version may have several layouts, as where classes have no version of their own: the checksum says which.
const ClassLayout* layout_of(const TreeDescriptor& tree, const TreeBranch& branch) {
  const ClassLayout* layout = tree.classes->find_checksum(branch.object_class, branch.checksum);
  return layout != nullptr ? layout : tree.classes->find(branch.object_class, branch.class_version);
}

// The name of the member that a branch holds: without what it is in, and without the sizes of arrays.
std::string_view member_name(std::string_view branch) {
  branch = branch.substr(0, branch.find('['));
  return branch.substr(branch.rfind('.') + 1);
}

// As in ROOT, by the name where the number is that of another member, or of none: where its program had rules
// that read older versions of the class, it counted what they need as members, which the file does not
// describe.
const ClassMember* member_of(const ClassLayout& layout, const TreeBranch& branch) {
  const auto number = static_cast<std::size_t>(branch.id);
  const ClassMember* numbered = number < layout.members.size() ? &layout.members[number] : nullptr;
  const std::string_view name = member_name(branch.name);
  if (numbered != nullptr && numbered->name == name) return numbered;
  const auto named = std::find_if(layout.members.begin(), layout.members.end(),
                                  [&](const ClassMember& member) { return member.name == name; });
  return named != layout.members.end() ? &*named : numbered;
}

StreamedValue problem_value(std::string problem) {
  StreamedValue value;
  value.problem = std::move(problem);
  return value;
}

// Whether it is a member that is an array of one collection, `list[1]`, and split, or in such a collection.
// ROOT splits no longer arrays.
bool is_of_split_array(const TreeDescriptor& tree, const TreeBranch& branch) {
  const TreeBranch& master = branch.count_branch ? tree.branches[*branch.count_branch] : branch;
  return static_cast<ElementKind>(master.type) == ElementKind::kMaster && master.id >= 0 &&
         master.name.find('[') != std::string::npos;
}

// How the entries of a branch look.
class EntryCompiler {
 public:
  EntryCompiler(const TreeDescriptor& tree, const TreeBranch& branch)
      : branch_(branch), layout_(layout_of(tree, branch)), compiler_(*tree.classes) {}

  StreamedValue compile() {
    StreamedValue value = entry();
    value.versions = compiler_.versions();
    return value;
  }

 private:
  StreamedValue entry() {
    StreamedValue value = branch_.id >= 0 ? member() : whole();
    if (value.kind == Kind::kObjectBase) value = tobject();
    if (value.type_name.empty()) value.type_name = branch_.object_class;
    if (!is_member_of_collection(branch_) || !value.problem.empty()) return value;
    if (value.kind == Kind::kCounted) return problem_value("its sizes are in another branch");
    // Nothing looks like no items. ROOT does not find the numbers of a std::array in a list.
    if (value.is_doubtful || parse_type_name(branch_.object_class).name == "array")
      return problem_value(value.type_name +
                           " in split objects cannot be read: it may not have been written");
    StreamedValue items;
    items.kind = Kind::kItems;
    items.type_name = value.type_name;
    items.parts.push_back(std::move(value));
    return items;
  }

  StreamedValue member() {
    if (layout_ == nullptr) return problem_value("the file does not describe class " + branch_.object_class);
    const ClassMember* member = member_of(*layout_, branch_);
    if (member == nullptr)
      return problem_value("class " + branch_.object_class + " has no member of this number");
    if (is_of_other_layout() && !is_as_described(*member)) return other_layout();
    StreamedValue value = compiler_.member(*member);
    // Of all objects, one member after the other.
    if (is_member_of_collection(branch_) && value.is_base && value.problem.empty() && !value.is_number())
      value.problem = "members of a base class that is not split: how many is in another branch";
    return value;
  }

  StreamedValue whole() {
    const TypeName type = parse_type_name(branch_.object_class);
    if (type.name == "string" || type.name == "TString") {
      StreamedValue text;
      text.kind = Kind::kString;
      return text;
    }
    if (is_collection(type) || layout_ == nullptr) return compiler_.whole(type);
    if (is_of_other_layout()) return other_layout();
    return static_cast<ElementKind>(branch_.type) == ElementKind::kCustom
               ? compiler_.written_by_itself(*layout_)
               : compiler_.object(*layout_, false);
  }

  // Programs that write to a file one after the other leave the description that the last one had. Branches
  // of ROOT 3 have no checksum.
  bool is_of_other_layout() const { return branch_.checksum != 0 && layout_->checksum != branch_.checksum; }

  // The branch says itself what it holds, but for the items of collections.
  bool is_as_described(const ClassMember& member) const {
    return member.name == member_name(branch_.name) && member.type == branch_.streamer_type &&
           member.element_class != "TStreamerSTL";
  }

  StreamedValue other_layout() const {
    return problem_value("the file describes class " + branch_.object_class +
                         " with other members than it had when this was written");
  }

  // A TObject that is a branch of its own has the members that it has where it is split.
  static StreamedValue tobject() {
    const auto number = [](const char* name, Kind kind, ScalarType scalar) {
      StreamedValue value;
      value.kind = kind;
      value.name = name;
      value.type_name = "unsigned int";
      value.number.scalar = scalar;
      return value;
    };
    StreamedValue object;
    object.kind = Kind::kObject;
    object.type_name = "TObject";
    object.has_header = false;
    object.parts = {number("version", Kind::kNumbers, ScalarType::kUInt16),
                    number("fUniqueID", Kind::kNumbers, ScalarType::kUInt32),
                    number("fBits", Kind::kBits, ScalarType::kUInt32)};
    object.parts.front().is_hidden = true;
    return object;
  }

  const TreeBranch& branch_;
  const ClassLayout* layout_;
  ClassCompiler compiler_;
};

// Numbers and strings that need no walk through the bytes of each entry; nullptr if one is needed.
std::shared_ptr<const BasketDecoder> simple_decoder(const StreamedValue& value) {
  switch (value.kind) {
    case Kind::kNumbers:
      return fixed_decoder(value.number, value.dimensions, {0, value.number.stored_size() * value.length});
    case Kind::kCounted:
      return list_decoder(value.number, ListHeader::kFlag);
    case Kind::kString:
      return string_decoder();
    case Kind::kHeadedString:
      return string_decoder(6);
    case Kind::kCollection:
      return value.parts.front().is_number() ? list_decoder(value.parts.front().number, ListHeader::kVector)
                                             : nullptr;
    case Kind::kItems: {
      const StreamedValue& item = value.parts.front();
      if (item.kind != Kind::kNumbers) return nullptr;
      return list_decoder(item.number, ListHeader::kNone, item.dimensions);
    }
    default:
      return nullptr;
  }
}

void add_master(const TreeDescriptor& tree, std::uint32_t number, ColumnList& list) {
  StoredNumber count;
  count.scalar = ScalarType::kInt32;
  TreeColumn column;
  // As ROOT calls the leaf: the name without "_" is that of the collection.
  column.name = tree.branches[number].path + "_";
  column.type = flat(count.scalar);
  column.type_name = "Int_t";
  column.branch = number;
  column.decoder = fixed_decoder(count, {}, {0, count.stored_size()});
  list.add(std::move(column));
}

void add_value(const TreeDescriptor& tree, std::uint32_t number, StreamedValue entry, ColumnList& list) {
  const TreeBranch& branch = tree.branches[number];
  const auto value = std::make_shared<const StreamedValue>(std::move(entry));
  if (value->problem.empty() && (is_doubtful(*value) || has_arrays_of_enumerations(*value)))
    list.add_doubtful(number, value);
  for (const StreamedPart& part : parts_of(*value)) {
    TreeColumn column;
    column.name = branch.path + part.name;
    column.type_name = part.path.empty() ? value->type_name : part.type_name;
    if (!part.problem.empty()) {
      list.reject(number, column.name, column.type_name, part.problem);
      continue;
    }
    column.type = part.type;
    column.description = description_of(tree, branch);
    column.branch = number;
    if (part.list) column.list = branch.path + *part.list;
    if (part.path.empty()) column.decoder = simple_decoder(*value);
    if (column.decoder == nullptr) column.decoder = streamed_decoder(value, part);
    list.add(std::move(column));
  }
}

}  // namespace

void find_element_columns(const TreeDescriptor& tree, std::uint32_t number, ColumnList& list) {
  const TreeBranch& branch = tree.branches[number];
  // ROOT writes nothing of these, which looks like empty collections.
  if (is_of_split_array(tree, branch))
    return list.reject(number, branch.path, branch.object_class,
                       "a split array of one collection cannot be read: it has not been written");
  if (branch.is_master()) return add_master(tree, number, list);
  add_value(tree, number, EntryCompiler(tree, branch).compile(), list);
}

void find_object_columns(const TreeDescriptor& tree, std::uint32_t number, ColumnList& list) {
  const TreeBranch& branch = tree.branches[number];
  ClassCompiler compiler(*tree.classes);
  StreamedValue value =
      compiler.tagged(parse_type_name(branch.object_class), parse_type_name(branch.clones_class));
  value.versions = compiler.versions();
  add_value(tree, number, std::move(value), list);
}

}  // namespace skimline::io
