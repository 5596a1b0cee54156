// SPDX-License-Identifier: BSD-3-Clause
// The columns of samples that are held open, and the types of expressions over them.
#include "skimline/skims/sample_columns.h"

#include "bindings.h"
#include "interruption.h"

#include "skimline/framework/column_name.h"
#include "skimline/framework/mentioned_names.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

namespace py = pybind11;

namespace skimline::python {
namespace {

using skims::Config;
using skims::SampleColumns;
using Pairs = std::vector<std::pair<std::string, std::string>>;
using Functions = std::vector<ExternalFunction>;

py::list columns(const SampleColumns& sample) {
  py::list all;
  for (const ColumnInfo& column : sample.schema().columns())
    all.append(py::make_tuple(in_expression(column.name), name_of(column.type), column.description));
  return all;
}

// Those of the files alone.
std::map<std::string, std::vector<std::string>> collection_columns(const SampleColumns& sample) {
  std::map<std::string, std::vector<std::string>> columns;
  for (const MemberColumns& each : sample.collections())
    for (const auto& [member, column] : each.columns) columns[each.name].push_back(column);
  return columns;
}

// Name and column of each.
py::list aliases(const SampleColumns& sample) {
  py::list all;
  for (const Schema::Alias& alias : sample.schema().aliases())
    all.append(py::make_tuple(alias.name, in_expression(sample.schema()[alias.column].name)));
  return all;
}

// Names and members, then those of objects, which have the members of what they are chosen from.
py::dict collections(const SampleColumns& sample) {
  py::dict all;
  for (const MemberColumns& collection : sample.collections()) {
    py::list members;
    for (const auto& [member, column] : collection.columns) members.append(member);
    all[py::str(collection.name)] = members;
  }
  for (const ObjectDefinition& objects : sample.objects())
    all[py::str(objects.name)] = all[py::str(objects.from)];
  return all;
}

// Metadata of the sample, and aliases of its trees with the names that are in these.
std::map<std::string, std::vector<std::string>> other_names(const SampleColumns& sample) {
  std::map<std::string, std::vector<std::string>> names;
  for (const std::string& each : sample.metadata_names()) names[each];
  for (const io::TreeAlias& alias : sample.tree_aliases())
    if (alias.problem.empty()) names[alias.name] = mentioned_names(alias.expression);
  return names;
}

py::list unsupported(const SampleColumns& sample) {
  py::list all;
  for (const io::UnsupportedField& field : sample.source().unsupported_fields())
    all.append(py::make_tuple(field.name, field.type_name, field.reason));
  return all;
}

py::list files(const SampleColumns& sample) {
  py::list all;
  for (const io::InputFacts& file : sample.source().files())
    all.append(py::make_tuple(file.path, file.name, io::name_of(file.format), file.num_entries));
  return all;
}

// As a config of the same samples takes them.
py::list known_files(const SampleColumns& sample) {
  py::list all;
  for (const skims::KnownFile& file : sample.known_files())
    all.append(py::make_tuple(file.path, file.name, file.num_entries, file.uuid, file.file_bytes));
  return all;
}

// The first entry of each cluster of the files, or of what is read at once.
std::vector<std::uint64_t> clusters(const SampleColumns& sample) {
  std::vector<std::uint64_t> starts;
  const io::InputSource& source = sample.source();
  for (std::size_t slice = 0; slice < source.slices().size(); ++slice)
    if (slice == 0 || source.cluster_of(slice) != source.cluster_of(slice - 1))
      starts.push_back(source.slices()[slice].first);
  return starts;
}

py::list definitions(const SampleColumns& sample, Pairs functions, Pairs definitions, Functions external) {
  py::list all;
  for (const ColumnInfo& column :
       sample.types_of({std::move(functions), std::move(definitions), std::move(external)}))
    all.append(py::make_tuple(column.name, name_of(column.type), column.description));
  return all;
}

}  // namespace

void bind_sample_columns(py::module_& module) {
  module.def(
      "plain_name", [](const std::string& text) { return quoted_name(text).value_or(text); },
      py::arg("text"));
  module.def("in_expression", &in_expression, py::arg("name"));
  module.def("mentioned_names", &mentioned_names, py::arg("expression"));
  module.def("mentioned_patterns", &mentioned_patterns, py::arg("expression"));
  module.def("with_other_names", &with_other_names, py::arg("expression"), py::arg("names"),
             py::arg("functions"));
  const py::arg function_list("functions"), definition_list("definitions");
  const py::arg_v external_list("external", Functions());
  py::class_<SampleColumns>(module, "SampleColumns")
      .def(py::init([](const Config& config, std::size_t sample) {
             std::unique_ptr<SampleColumns> columns;
             run_interruptibly([&](StopFlag) { columns = std::make_unique<SampleColumns>(config, sample); });
             return columns;
           }),
           py::arg("config"), py::arg("sample") = 0)
      .def_property_readonly("columns", &columns)
      .def_property_readonly("aliases", &aliases)
      .def_property_readonly("collections", &collections)
      .def_property_readonly("other_names", &other_names)
      .def_property_readonly("unsupported", &unsupported)
      .def_property_readonly("collection_columns", &collection_columns)
      .def_property_readonly("names_of_one_field",
                             [](const SampleColumns& sample) { return sample.source().names_of_one_field(); })
      .def_property_readonly("files", &files)
      .def_property_readonly("known_files", &known_files)
      .def_property_readonly("differences", &SampleColumns::differences)
      .def_property_readonly("num_entries", &SampleColumns::num_entries)
      .def_property_readonly("may_vary", &SampleColumns::may_vary)
      .def_property_readonly("is_data", &SampleColumns::is_data)
      .def_property_readonly("clusters", &clusters)
      .def("definitions", &definitions, function_list, definition_list, py::kw_only(), external_list)
      .def(
          "type_of",
          [](const SampleColumns& sample, Pairs functions, Pairs definitions, const std::string& expression,
             Functions external) {
            return name_of(sample.type_of({std::move(functions), std::move(definitions), std::move(external)},
                                          expression));
          },
          function_list, definition_list, py::arg("expression"), py::kw_only(), external_list)
      .def(
          "check_condition",
          [](const SampleColumns& sample, Pairs functions, Pairs definitions, const std::string& expression,
             Functions external) {
            sample.check_condition({std::move(functions), std::move(definitions), std::move(external)},
                                   expression);
          },
          function_list, definition_list, py::arg("expression"), py::kw_only(), external_list)
      .def(
          "check_function",
          [](const SampleColumns& sample, Pairs functions, Pairs definitions, const std::string& signature,
             const std::string& body, Functions external) {
            sample.check_function({std::move(functions), std::move(definitions), std::move(external)},
                                  signature, body);
          },
          function_list, definition_list, py::arg("signature"), py::arg("body"), py::kw_only(), external_list)
      .def(
          "check_name",
          [](const SampleColumns& sample, Pairs functions, Pairs definitions, const std::string& name,
             Functions external) {
            sample.check_name({std::move(functions), std::move(definitions), std::move(external)}, name);
          },
          function_list, definition_list, py::arg("name"), py::kw_only(), external_list)
      .def(
          "check_definition",
          [](const SampleColumns& sample, Pairs functions, Pairs definitions, const std::string& name,
             const std::string& expression, Functions external) {
            sample.check_definition({std::move(functions), std::move(definitions), std::move(external)}, name,
                                    expression);
          },
          function_list, definition_list, py::arg("name"), py::arg("expression"), py::kw_only(),
          external_list)
      .def(
          "check_variation",
          [](const SampleColumns& sample, Pairs functions, Pairs definitions, const std::string& name,
             const Pairs& replacements, Functions external) {
            skims::NamedVariation variation{name, {}};
            for (const auto& [column, expression] : replacements)
              variation.replacements.push_back({column, expression});
            sample.check_variation({std::move(functions), std::move(definitions), std::move(external)},
                                   variation);
          },
          function_list, definition_list, py::arg("name"), py::arg("replacements"), py::kw_only(),
          external_list);
}

}  // namespace skimline::python
