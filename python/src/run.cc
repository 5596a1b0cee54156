// SPDX-License-Identifier: BSD-3-Clause
// Runs of configs as a whole, and of their parts.
#include "bindings.h"
#include "interruption.h"
#include "python_lock.h"

#include "skimline/skims/config.h"
#include "skimline/skims/job.h"
#include "skimline/skims/job_parts.h"
#include "skimline/skims/plan_report.h"
#include "skimline/skims/replaced_files.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

namespace py = pybind11;

namespace skimline::python {
namespace {

using skims::Config;
using skims::FilledHistogram;

// How far a job is, as its thread has last said.
class LatestProgress {
 public:
  void set(const skims::JobProgress& progress) {
    const std::lock_guard lock(mutex_);
    sample_ = progress.sample;
    latest_ = progress;
  }
  void tell(const py::object& listener) {
    py::dict values;
    {
      const std::lock_guard lock(mutex_);
      if (!latest_) return;
      values["sample"] = sample_;
      values["events"] = latest_->entries_done;
      values["all_events"] = latest_->num_entries;
      values["files"] = latest_->files_done;
      values["all_files"] = latest_->num_files;
      values["bytes"] = latest_->bytes_done;
      values["all_bytes"] = latest_->num_bytes;
    }
    listener(values);
  }

 private:
  std::mutex mutex_;
  std::string sample_;
  std::optional<skims::JobProgress> latest_;
};

// Warnings may hold the names of files, which need not be UTF-8.
void tell(const py::object& listener, const std::vector<std::string>& texts) {
  for (const std::string& text : texts)
    listener(py::reinterpret_steal<py::str>(
        PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "replace")));
}

// A report is written if the config names a file for it, never unasked.
skims::JobOptions options_of_outputs(const Config& config, bool writes_histograms, bool writes_report,
                                     bool force) {
  skims::JobOptions options;
  options.writes_histograms = writes_histograms;
  options.writes_report = writes_report && (config.output.report || config.output.html_report);
  options.overwrites = force;
  return options;
}

void check_outputs(const Config& config, bool writes_histograms, bool writes_report, bool force) {
  const skims::JobOptions options = options_of_outputs(config, writes_histograms, writes_report, force);
  run_interruptibly([&](StopFlag) { skims::check_replaced(config, options); });
}

py::tuple run(const Config& config, int threads, bool writes_histograms, bool writes_report, bool force,
              const std::string& store, const py::object& listener, const py::object& warn) {
  std::vector<FilledHistogram> histograms;
  skims::JobReport report;
  LatestProgress progress;
  skims::JobOptions options = options_of_outputs(config, writes_histograms, writes_report, force);
  options.threads = threads;
  options.store = store;
  options.take_histogram = [&](FilledHistogram filled) { histograms.push_back(std::move(filled)); };
  std::vector<std::string> warnings;
  options.warn = [&](const std::string& warning) { warnings.push_back(warning); };
  const bool listens = !listener.is_none();
  if (listens) options.progress = [&](const skims::JobProgress& job) { progress.set(job); };
  try {
    run_interruptibly(
        [&](StopFlag stop) {
          options.stop = stop;
          report = skims::run_job(config, options);
        },
        listens ? std::function<void()>([&] { progress.tell(listener); }) : nullptr);
  } catch (...) {
    if (!warn.is_none()) tell(warn, warnings);
    throw;
  }
  if (listens) progress.tell(listener);
  py::list filled;
  for (FilledHistogram& each : histograms)
    filled.append(py::make_tuple(each.sample, each.name, each.region, each.variation,
                                 std::make_shared<histograms::Histogram>(std::move(each.histogram))));
  return py::make_tuple(skims::to_json(report), skims::to_text(report), filled);
}

py::tuple plan(const Config& config, int threads) {
  skims::PlanReport report;
  run_interruptibly([&](StopFlag) { report = skims::plan_job(config, threads); });
  return py::make_tuple(skims::to_json(report), skims::to_text(report));
}

using FactsOfSample = std::tuple<std::string, std::optional<double>, std::string, bool>;
using PartTuple = std::tuple<std::size_t, std::size_t, std::string, std::string, std::string, std::uint64_t,
                             std::uint64_t, double, std::string, bool>;

skims::PartFacts facts_of(const PartTuple& tuple) {
  skims::PartFacts part;
  std::tie(part.sample, part.number, part.file, part.path, part.ntuple, part.entries.first,
           part.entries.count, part.bytes, part.key, part.is_known) = tuple;
  return part;
}

// What Python reads, wherever the call comes from.
std::shared_ptr<const Config> called(const py::object& read) {
  return with_python([&] { return std::make_shared<const Config>(read().cast<const Config&>()); });
}

skims::PartOptions part_options(const std::string& store, int threads,
                                const std::vector<FactsOfSample>& samples, const py::object& read) {
  skims::PartOptions options{.store = store, .threads = threads};
  for (const auto& [name, normalisation, computed, needs_all_files] : samples)
    options.samples[name] = {normalisation, computed, needs_all_files};
  if (!read.is_none()) options.read_with_inputs = [&read] { return called(read); };
  return options;
}

// The parts of a config, with what they refer to.
class Parts {
 public:
  Parts(std::shared_ptr<const Config> config, const std::string& store, int threads,
        const std::vector<FactsOfSample>& samples, py::object read_with_inputs)
      : config_(std::move(config)),
        read_with_inputs_(std::move(read_with_inputs)),
        job_(*config_, part_options(store, threads, samples, read_with_inputs_)) {}

  py::list parts() {
    std::vector<skims::PartFacts> facts;
    run_interruptibly([&](StopFlag stop) { facts = job_.parts(stop); });
    py::list described;
    for (const skims::PartFacts& each : facts)
      described.append(py::make_tuple(each.sample, each.number, each.file, each.path, each.ntuple,
                                      each.entries.first, each.entries.count, each.bytes, each.key,
                                      each.is_known));
    return described;
  }

  std::vector<FactsOfSample> facts() {
    std::vector<FactsOfSample> all;
    for (std::size_t i = 0; i < config_->samples.size(); ++i) {
      skims::SampleFacts facts = job_.facts(i);
      all.emplace_back(config_->samples[i].name.value, facts.normalisation, std::move(facts.computed),
                       facts.needs_all_files);
    }
    return all;
  }

  void compute(const PartTuple& tuple) {
    const skims::PartFacts part = facts_of(tuple);
    run_interruptibly([&](StopFlag stop) { job_.compute(part, stop); });
  }

  // Of each sample its digest, bytes and cells; None if its results are of functions of which nothing is
  // known.
  py::list sums() {
    py::list all;
    for (std::size_t i = 0; i < config_->samples.size(); ++i) {
      std::optional<skims::SumFacts> facts;
      run_interruptibly([&](StopFlag) { facts = job_.sum_facts(i); });
      all.append(facts ? py::object(py::make_tuple(facts->digest, facts->bytes, facts->cells)) : py::none());
    }
    return all;
  }

  bool make_skims() {
    bool made = false;
    run_interruptibly([&](StopFlag) { made = job_.make_skims(); });
    return made;
  }

  std::vector<py::bytes> compute_blocks(const PartTuple& tuple, const std::string& digest,
                                        std::uint32_t num_blocks) {
    const skims::PartFacts part = facts_of(tuple);
    std::vector<std::string> blocks;
    run_interruptibly(
        [&](StopFlag stop) { blocks = job_.compute_blocks(part, {.digest = digest}, num_blocks, stop); });
    return {blocks.begin(), blocks.end()};
  }

  py::list read_sum(std::size_t sample, const std::vector<py::bytes>& blocks) {
    const std::vector<std::string_view> views(blocks.begin(), blocks.end());
    std::vector<std::pair<std::size_t, histograms::Histogram>> read;
    run_interruptibly([&](StopFlag) { read = job_.read_sum(sample, views); });
    py::list all;
    for (auto& [number, histogram] : read)
      all.append(py::make_tuple(number, std::make_shared<histograms::Histogram>(std::move(histogram))));
    return all;
  }

 private:
  std::shared_ptr<const Config> config_;
  py::object read_with_inputs_;
  skims::JobParts job_;
};

void bind_parts(py::module_& module) {
  py::class_<Parts>(module, "Parts")
      .def(py::init([](const Config& config, const std::string& store, int threads,
                       const std::vector<FactsOfSample>& samples, py::object read_with_inputs) {
             return std::make_unique<Parts>(std::make_shared<const Config>(config), store, threads, samples,
                                            std::move(read_with_inputs));
           }),
           py::arg("config"), py::kw_only(), py::arg("store"), py::arg("threads") = 0,
           py::arg("samples") = std::vector<FactsOfSample>(), py::arg("read_with_inputs") = py::none())
      .def("parts", &Parts::parts)
      .def("facts", &Parts::facts)
      .def("sums", &Parts::sums)
      .def("make_skims", &Parts::make_skims)
      .def("compute_blocks", &Parts::compute_blocks, py::arg("part"), py::arg("digest"),
           py::arg("num_blocks"))
      .def("read_sum", &Parts::read_sum, py::arg("sample"), py::arg("blocks"))
      .def("compute", &Parts::compute, py::arg("part"));
}

}  // namespace

void bind_run(py::module_& module) {
  module.def("run", &run, py::arg("config"), py::kw_only(), py::arg("threads") = 0,
             py::arg("writes_histograms") = true, py::arg("writes_report") = false, py::arg("force") = false,
             py::arg("store") = std::string(), py::arg("progress") = py::none(),
             py::arg("warn") = py::none());
  module.def("check_outputs", &check_outputs, py::arg("config"), py::kw_only(),
             py::arg("writes_histograms") = true, py::arg("writes_report") = false, py::arg("force") = false);
  bind_parts(module);
  module.def("plan", &plan, py::arg("config"), py::kw_only(), py::arg("threads") = 0);
}

}  // namespace skimline::python
