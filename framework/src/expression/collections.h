// SPDX-License-Identifier: BSD-3-Clause
// Collections of objects by name: which columns are their members, and which objects of others they are.
#pragma once

#include "expression/combined_objects.h"
#include "expression/graph.h"
#include "expression/name_table.h"

#include "skimline/framework/collection.h"
#include "skimline/framework/schema.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skimline {

/// The collections of a plan. Their members are values that are bound when they are asked for, as the names
/// of that moment are: what nobody asks for costs nothing.
class Collections {
 public:
  struct Member {
    NodeId values;
    std::string objects;  // the definition that it is a member of; empty for collections of columns
  };

  /// Adds columns that are the members of a collection. Throws SchemaError if the name is taken.
  void add(MemberColumns collection);

  /// Adds a choice of the objects of a collection, or of combinations of them, without a look at its
  /// expressions. Throws SchemaError if the name is taken or the collection is unknown, ExpressionError where
  /// `from` says no combinations.
  void add(const ObjectDefinition& definition);

  /// The value of "good_jets.pt" or "good_jets_pt", or that of "Jet.muon1.pt", which is of the muon that
  /// `Jet.muonIdx1` counts; nothing if there is no such member. `outer` says what other names mean. Throws
  /// ExpressionError with a text of the definition.
  std::optional<Member> find(std::string_view name, NameTable& outer, Graph& graph);

  /// The name, as find() takes it, of a list with as many elements as the collection has objects; nothing if
  /// there is no collection of that name. "trijets.a" are the first members of combinations.
  std::optional<std::string> counted_member(std::string_view collection) const;

  /// The collections that a definition chooses its objects from; none for what is no definition.
  std::vector<std::string> sources_of(const std::string& name) const;

  /// Throws ExpressionError for a definition whose expressions are no mask and no values to sort by.
  void check(const std::string& name, NameTable& outer, Graph& graph);

  /// The collection whose lists have the size of a value's: of its columns or members, and what is computed
  /// of them element by element; empty if that is not certain.
  std::string sized_like(NodeId value, const Graph& graph, const Schema& schema) const;

  /// Whether a definition has this name; collections of columns have none.
  bool are_defined(const std::string& name) const;

  /// The names of collections, then those of the members of defined ones.
  std::vector<std::string> names() const;

 private:
  class Scope;
  class Request;
  struct Entry {
    std::map<std::string, std::string, std::less<>> columns;  // by member
    std::vector<std::string> order;                           // of members
    ObjectDefinition definition;
    CombinedObjects combined;         // instead of columns
    std::vector<std::string> merged;  // collections whose objects these are, instead of columns
    std::string text;                 // of what is combined or merged
    std::string owner;                // of these: what those are called that have their sizes
    std::size_t depth = 0;            // how many definitions lead to columns
    std::size_t num_combined = 0;     // how many of these are combinations
    bool is_bound = false;            // at the moment
  };
  struct Place {
    Entry* entry;
    std::string_view member;
  };

  std::vector<Place> places_of(std::string_view name);
  std::optional<NodeId> member(Entry& entry, std::string_view name, NameTable& outer, Graph& graph);
  std::optional<NodeId> member_of_all(Entry& entry, std::string_view name, NameTable& outer, Graph& graph);
  std::optional<NodeId> member_of_combined(const Entry& entry, std::string_view name, NameTable& outer,
                                           Graph& graph);
  std::optional<NodeId> member_of_merged(const Entry& entry, std::string_view name, NameTable& outer,
                                         Graph& graph);
  NodeId quantity_of(NodeId momenta, std::string_view quantity, NameTable& outer, Graph& graph);
  bool is_quantity_of_chosen(const Entry& entry, std::string_view name) const;
  std::optional<NodeId> momenta_of_combined(const Entry& entry, NameTable& outer, Graph& graph);
  std::optional<NodeId> member_of_part(const std::string& part, std::string_view name, NameTable& outer,
                                       Graph& graph);
  NodeId combined_indexes(const Entry& entry, std::size_t member, NameTable& outer, Graph& graph);
  std::optional<NodeId> indexes(const Entry& entry, NameTable& outer, Graph& graph);
  std::optional<NodeId> referred(Entry& entry, std::string_view name, NameTable& outer, Graph& graph);
  Entry* target_of(std::string_view index, std::string_view column);
  Entry* called(std::string_view reference);
  NodeId chosen(Entry& entry, NodeId values, NameTable& outer, Graph& graph);
  NodeId bind_mask(Entry& entry, NameTable& outer, Graph& graph);
  NodeId bind_keys(Entry& entry, NameTable& outer, Graph& graph);
  NodeId bind_list(Entry& entry, const std::string& text, const char* what, bool (*is_right)(ScalarType),
                   NameTable& outer, Graph& graph);
  NodeId bind(Entry& entry, const std::string& expression, NameTable& outer, Graph& graph);
  NodeId bind_new(Entry& entry, const std::string& expression, NameTable& outer, Graph& graph);
  const Entry& columns_of(const Entry& entry) const;
  std::optional<std::string> counted_path(const Entry& entry, std::string_view path) const;
  static std::optional<std::string> counted_path_of_merged(const Entry& entry, std::string_view path);
  std::vector<std::string> members_of(const Entry& entry) const;
  std::string add_source(const ObjectDefinition& definition);
  std::string add_combined(const ObjectDefinition& definition);
  std::string add_merged(const ObjectDefinition& definition, std::vector<std::string> parts);
  void add_part(const std::string& part, const std::string& text, Entry& entry) const;
  std::string add_made(Entry entry, const ObjectDefinition& definition);
  bool has_member(const std::string& collection, const std::string& member) const;
  std::string owner_of(NodeId value, const Graph& graph, const Schema& schema) const;
  void check_new(const std::string& name) const;

  std::map<std::string, Entry, std::less<>> entries_;
  std::vector<std::string> names_;
  std::map<std::string, std::string> certain_;           // collections by columns
  std::map<NodeId, std::string> owners_;                 // of lists that are members of definitions
  std::map<std::vector<NodeId>, std::string> combined_;  // combinations by what Combinations is called with
  // Conditions and orders that the present request has bound: each member of a definition of a definition
  // asks for those of all before it.
  std::map<std::pair<const std::string*, const NameTable*>, NodeId> bound_;
  int num_requests_ = 0;  // in one another
};

}  // namespace skimline
