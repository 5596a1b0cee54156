// SPDX-License-Identifier: BSD-3-Clause
// From the descriptions of classes to how their members lie in the bytes.
#pragma once

#include "columns/type_name.h"
#include "root/described_classes.h"
#include "ttree/streamed_value.h"

#include "skimline/io/tree_descriptor.h"

#include <memory>
#include <string>
#include <vector>

namespace skimline::io {

/// Whatever a file says of classes, what is made of it has a bounded size and depth. The layouts must live as
/// long.
class ClassCompiler {
 public:
  explicit ClassCompiler(const ClassLayouts& layouts);

  /// A member of a class; its counter, if it has one, is not connected.
  StreamedValue member(const ClassMember& member);
  /// An object, with or without a header in front.
  StreamedValue object(const ClassLayout& layout, bool has_header);
  /// What is called so, as a member or a branch: collections, strings and objects have a header.
  StreamedValue headed(const TypeName& type);
  /// The same of a collection that is a branch: of bitsets too.
  StreamedValue whole(const TypeName& type);
  /// What a class writes that has a streamer of its own: known ones, else header and members.
  StreamedValue written_by_itself(const ClassLayout& layout);
  /// What a TBranchObject holds: an object behind the name of its class. If that is TClonesArray, `item` is
  /// the class of the objects in it.
  StreamedValue tagged(const TypeName& type, const TypeName& item);
  /// What the classes of all values so far were in other versions; nullptr if there are none.
  std::shared_ptr<const ClassVersions> versions();

 private:
  const std::vector<StreamedValue>* layouts_of(const std::string& name);
  StreamedValue clones(const TypeName& item);
  StreamedValue references();
  StreamedValue symmetric_matrix(const TypeName& type);
  int slot_of(const std::string& counter, StreamedValue& object);
  StreamedValue item(const TypeName& type);
  StreamedValue bits(StreamedValue::Kind kind) const;
  StreamedValue pointed(TypeName type);
  StreamedValue class_called(const TypeName& type);
  enum class PairKind { kObject, kInColumns, kInMap };
  StreamedValue pair(const TypeName& type, PairKind kind);
  StreamedValue part_of_pair(const TypeName& type, std::size_t number, PairKind kind);
  const ClassMember* part_as_described(const TypeName& type, std::size_t number) const;
  StreamedValue array_in_pair(const TypeName& type, std::size_t number, PairKind kind);
  StreamedValue array_object(const TypeName& type);
  StreamedValue bare_member(const ClassMember& member);
  StreamedValue base(const ClassMember& member);
  StreamedValue object_array(const ClassMember& member, StreamedValue::Kind kind);
  StreamedValue collection_array(const ClassMember& member);
  static StreamedValue pointer_member(const ClassMember& member);
  void connect_counter(const ClassMember& counted, StreamedValue& object, StreamedValue& value);

  DescribedClasses classes_;
  std::shared_ptr<ClassVersions> versions_ = std::make_shared<ClassVersions>();
  std::vector<std::string> pending_;  // classes whose versions are asked for
  int depth_ = 0;
  std::size_t num_values_ = 0;
  int num_slots_ = 0;
  bool is_whole_ = false;
};

}  // namespace skimline::io
