// SPDX-License-Identifier: BSD-3-Clause
// RNTuples written from chunks of columns.
#include "bindings.h"
#include "chunk_writer.h"
#include "interruption.h"
#include "python_lock.h"

#include "skimline/framework/error.h"
#include "skimline/io/url_secrets.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace skimline::python {
namespace {

using io::FieldType;
using io::OutputField;
using Kind = FieldType::Kind;

ScalarType scalar_called(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(ScalarType::kDouble); ++i)
    if (name_of(static_cast<ScalarType>(i)) == name) return static_cast<ScalarType>(i);
  throw InternalError("no type is called \"" + name + "\"");
}

std::vector<OutputField> fields_of(const py::list& specifications);

// ("scalar", name), ("string",), ("list", item) or ("record", [(name, type), ...])
FieldType type_of(const py::tuple& specification) {
  const auto kind = specification[0].cast<std::string>();
  if (kind == "scalar") return FieldType::scalar(scalar_called(specification[1].cast<std::string>()));
  if (kind == "string") return FieldType::string();
  if (kind == "list") return FieldType::vector(type_of(specification[1].cast<py::tuple>()));
  return FieldType::record(fields_of(specification[1].cast<py::list>()));
}

std::vector<OutputField> fields_of(const py::list& specifications) {
  std::vector<OutputField> fields;
  for (const py::handle each : specifications) {
    const auto specification = each.cast<py::tuple>();
    fields.push_back({specification[0].cast<std::string>(), type_of(specification[1].cast<py::tuple>())});
  }
  return fields;
}

// The package sees to it that arrays are as they must be.
const std::byte* memory_of(const py::array& array, py::ssize_t item_size) {
  if (array.ndim() != 1 || array.itemsize() != item_size || (array.flags() & py::array::c_style) == 0)
    throw InternalError("an array of a column is not as it must be");
  return static_cast<const std::byte*>(array.data());
}

// (array,), (offsets, characters), (offsets, item) or a tuple of members
ColumnData data_of(const FieldNode& node, const py::tuple& parts) {
  ColumnData data;
  std::size_t next = 0;
  const auto take = [&] { return parts[next++].cast<py::array>(); };
  if (node.kind == Kind::kString || node.kind == Kind::kVector) {
    const py::array offsets = take();
    data.offsets = reinterpret_cast<const std::int64_t*>(memory_of(offsets, sizeof(std::int64_t)));
    data.num_offsets = static_cast<std::uint64_t>(offsets.size());
  }
  if (node.kind == Kind::kScalar || node.kind == Kind::kString) {
    const py::array values = take();
    const std::size_t size = node.kind == Kind::kString ? 1 : size_of(node.scalar);
    data.values = memory_of(values, static_cast<py::ssize_t>(size));
    data.num_values = static_cast<std::uint64_t>(values.size());
  }
  for (const FieldNode& part : node.parts)
    data.parts.push_back(data_of(part, parts[next++].cast<py::tuple>()));
  if (node.kind == Kind::kRecord) data.num_values = data.parts.front().size();
  return data;
}

io::ParallelWriterOptions options_of(std::string name, std::string description,
                                     const std::string& compression, io::WriterSizes sizes) {
  io::ParallelWriterOptions options;
  options.ntuple_name = std::move(name);
  options.description = std::move(description);
  options.settings = {io::parse_writer_compression(compression), sizes.cluster_bytes, sizes.page_bytes};
  return options;
}

void extend(ChunkWriter& writer, const py::list& columns, std::uint64_t num_entries) {
  std::vector<ColumnData> data;
  const std::vector<FieldNode>& nodes = writer.nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    data.push_back(data_of(nodes[i], columns[i].cast<py::tuple>()));
  run_interruptibly([&](StopFlag stop) { writer.extend(data, num_entries, stop); });
}

py::dict statistics(const ChunkWriter& writer) {
  const io::ParallelWriterStatistics statistics = writer.statistics();
  py::dict values;
  values["entries"] = statistics.num_entries;
  values["clusters"] = statistics.num_clusters;
  values["pages"] = statistics.num_pages;
  values["bytes"] = statistics.file_bytes;
  values["bytes_in_memory"] = statistics.bytes_in_memory;
  return values;
}

// Lets Python go on while threads come to their end.
struct UnlockedDelete {
  void operator()(ChunkWriter* writer) const {
    const WithoutPython unlocked;
    delete writer;
  }
};

}  // namespace

void bind_writer(py::module_& module) {
  py::class_<ChunkWriter, std::unique_ptr<ChunkWriter, UnlockedDelete>>(module, "ChunkWriter")
      .def(py::init([](const std::string& path, std::string name, const py::list& fields,
                       std::string description, const std::string& compression, std::uint64_t cluster_bytes,
                       std::uint64_t page_bytes, int threads, const std::string& record_of) {
             const std::vector<io::OutputField> output_fields = fields_of(fields);
             const io::ParallelWriterOptions options = options_of(std::move(name), std::move(description),
                                                                  compression, {cluster_bytes, page_bytes});
             std::unique_ptr<ChunkWriter, UnlockedDelete> writer;
             run_interruptibly([&](StopFlag) {
               writer.reset(
                   new ChunkWriter(io::hide_secrets(path), output_fields, options, threads, record_of));
             });
             return writer;
           }),
           py::arg("path"), py::arg("name"), py::arg("fields"), py::kw_only(), py::arg("description"),
           py::arg("compression"), py::arg("cluster_bytes"), py::arg("page_bytes"), py::arg("threads"),
           py::arg("record_of") = std::string())
      .def("extend", &extend, py::arg("columns"), py::arg("num_entries"))
      .def("finish",
           [](ChunkWriter& writer) { run_interruptibly([&](StopFlag stop) { writer.finish(stop); }); })
      .def_property_readonly("statistics", &statistics);
}

}  // namespace skimline::python
