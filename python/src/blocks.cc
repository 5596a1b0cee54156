// SPDX-License-Identifier: BSD-3-Clause
// Blocks of results, which are added where they are.
#include "bindings.h"
#include "python_lock.h"

#include "skimline/skims/result_block.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

namespace py = pybind11;

namespace skimline::python {
namespace {

using histograms::Histogram;

// Bytes of whatever object has some, which this keeps.
class Buffers {
 public:
  explicit Buffers(const std::vector<py::buffer>& objects) {
    for (const py::buffer& each : objects) {
      infos_.push_back(each.request());
      const auto size = static_cast<std::size_t>(infos_.back().size * infos_.back().itemsize);
      views_.emplace_back(static_cast<const char*>(infos_.back().ptr), size);
    }
  }
  const std::vector<std::string_view>& views() const { return views_; }

 private:
  std::vector<py::buffer_info> infos_;
  std::vector<std::string_view> views_;
};

skims::BlockChecksum checksum_of(bool is_verified) {
  return is_verified ? skims::BlockChecksum::kVerified : skims::BlockChecksum::kUnknown;
}

py::bytes sum_blocks(const std::vector<py::buffer>& blocks, bool verified) {
  const Buffers buffers(blocks);
  std::string sum;
  {
    const WithoutPython unlocked;
    sum = skims::sum_of_blocks(buffers.views(), checksum_of(verified));
  }
  return sum;
}

py::tuple block_facts(const py::buffer& block, bool verified) {
  const Buffers buffers({block});
  skims::BlockFacts facts;
  {
    const WithoutPython unlocked;
    facts = skims::facts_of_block(buffers.views().front(), checksum_of(verified));
  }
  return py::make_tuple(facts.digest, facts.place.number, facts.place.count, facts.parts);
}

std::vector<py::bytes> cut_blocks(const std::vector<std::shared_ptr<Histogram>>& histograms,
                                  const std::string& digest, std::uint32_t num_blocks, std::uint64_t part) {
  std::vector<std::string> blocks;
  {
    const WithoutPython unlocked;
    std::vector<const Histogram*> all;
    for (const auto& each : histograms) all.push_back(each.get());
    blocks = skims::blocks_of(all, {digest, {0, num_blocks}, {{part, part + 1}}});
  }
  return {blocks.begin(), blocks.end()};
}

}  // namespace

void bind_blocks(py::module_& module) {
  module.def("sum_blocks", &sum_blocks, py::arg("blocks"), py::kw_only(), py::arg("verified") = false);
  module.def("block_facts", &block_facts, py::arg("block"), py::kw_only(), py::arg("verified") = false);
  module.def("cut_blocks", &cut_blocks, py::arg("histograms"), py::arg("digest"), py::arg("num_blocks"),
             py::arg("part"));
}

}  // namespace skimline::python
