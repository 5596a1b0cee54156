// SPDX-License-Identifier: BSD-3-Clause
// Values of events in groups of slices, as buffers that Python makes arrays of.
#include "bindings.h"
#include "interruption.h"

#include "skimline/skims/config.h"
#include "skimline/skims/event_reader.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace skimline::python {
namespace {

using skims::Config;
using skims::EventColumn;
using skims::EventOutput;
using skims::EventPart;
using skims::EventReader;

// The names that numpy has for types of values.
py::dtype dtype_of(ScalarType scalar) {
  if (scalar == ScalarType::kString) return py::dtype::of<std::uint8_t>();
  return visit_scalar(scalar, [](auto tag) { return py::dtype::of<typename decltype(tag)::type>(); });
}

// An array that owns the bytes.
py::array to_array(OwnedBytes bytes, const py::dtype& type) {
  auto owned = std::make_unique<OwnedBytes>(std::move(bytes));
  const auto count = static_cast<py::ssize_t>(owned->size()) / type.itemsize();
  const void* values = owned->data();
  const py::capsule owner(owned.get(), [](void* memory) { delete static_cast<OwnedBytes*>(memory); });
  static_cast<void>(owned.release());
  return {type, std::vector<py::ssize_t>{count}, std::vector<py::ssize_t>{type.itemsize()}, values, owner};
}

py::list to_offsets(OwnedColumn& column) {
  py::list offsets;
  for (OwnedBytes& level : column.offsets)
    offsets.append(to_array(std::move(level), py::dtype::of<std::int64_t>()));
  return offsets;
}

// A reader that refuses calls that overlap.
class Reader {
 public:
  Reader(const Config& config, const std::vector<std::pair<std::string, std::string>>& outputs,
         std::size_t sample, int threads) {
    std::vector<EventOutput> named;
    for (const auto& [name, expression] : outputs) named.push_back({name, expression});
    run_interruptibly([&](StopFlag) {
      reader_ = std::make_unique<EventReader>(config, sample, std::move(named), threads);
    });
  }

  py::list columns() const {
    py::list all;
    for (const EventColumn& column : reader_->columns())
      all.append(py::make_tuple(
          reader_->outputs()[column.output].name, column.member,
          std::string(column.type.scalar == ScalarType::kString ? "string"
                                                                : skimline::name_of(column.type.scalar)),
          column.type.depth));
    return all;
  }

  const std::vector<std::string>& warnings() const { return reader_->warnings(); }

  // Events of the part, and for each column its levels of offsets and its values.
  py::tuple read(std::optional<std::uint64_t> events, std::optional<std::uint64_t> bytes,
                 const py::object& progress) {
    const Busy busy(is_busy_);
    EventPart part;
    std::atomic<std::uint64_t> done{0}, all{0};
    const auto tell = [&] {
      if (all > 0) progress(done.load(), all.load());
    };
    const bool listens = !progress.is_none();
    run_interruptibly(
        [&](StopFlag stop) {
          part = reader_->read({events, bytes}, stop, [&](std::uint64_t num_done, std::uint64_t num_all) {
            done = num_done;
            all = num_all;
          });
        },
        listens ? std::function<void()>(tell) : nullptr);
    if (listens) tell();
    py::list columns;
    std::vector<py::list> offsets;
    for (std::size_t i = 0; i < part.columns.size(); ++i) {
      OwnedColumn& column = part.columns[i];
      const std::size_t lists = reader_->columns()[i].lists;
      offsets.push_back(lists == i ? to_offsets(column) : offsets[lists]);
      columns.append(
          py::make_tuple(offsets[i], to_array(std::move(column.values), dtype_of(column.type.scalar))));
    }
    return py::make_tuple(part.num_events, columns);
  }

 private:
  // Looked at with Python's lock only.
  class Busy {
   public:
    explicit Busy(std::atomic<bool>& flag) : flag_(flag) {
      if (flag_.exchange(true)) throw Error("the events are being read by another thread");
    }
    ~Busy() { flag_ = false; }

   private:
    std::atomic<bool>& flag_;
  };

  std::unique_ptr<EventReader> reader_;
  std::atomic<bool> is_busy_{false};
};

}  // namespace

void bind_arrays(py::module_& module) {
  py::class_<Reader>(module, "EventReader")
      .def(py::init<const Config&, std::vector<std::pair<std::string, std::string>>, std::size_t, int>(),
           py::arg("config"), py::arg("outputs"), py::kw_only(), py::arg("sample") = 0,
           py::arg("threads") = 0)
      .def_property_readonly("columns", &Reader::columns)
      .def_property_readonly("warnings", &Reader::warnings)
      .def("read", &Reader::read, py::kw_only(), py::arg("events") = py::none(),
           py::arg("bytes") = py::none(), py::arg("progress") = py::none());
}

}  // namespace skimline::python
