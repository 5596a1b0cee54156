// SPDX-License-Identifier: BSD-3-Clause
// Configs as the engine reads them, and what it says of them.
#include "skimline/skims/config.h"

#include "bindings.h"
#include "interruption.h"

#include "skimline/framework/number_text.h"
#include "skimline/io/text_digest.h"
#include "skimline/io/url_secrets.h"
#include "skimline/skims/config_reader.h"
#include "skimline/skims/interruptible.h"
#include "skimline/skims/new_name.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace skimline::python {
namespace {

using skims::Config;

struct Choice {
  std::vector<std::string> sets, inputs, samples;
  std::optional<std::uint64_t> limit_files, limit_events;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> shard;
  bool finds_inputs = true;
};

// Of each file its path, name, entries, UUID and size.
using KnownFiles =
    std::map<std::string,
             std::vector<std::tuple<std::string, std::string, std::uint64_t, std::string, std::uint64_t>>>;

std::map<std::string, std::vector<skims::KnownFile>> known(const KnownFiles& files) {
  std::map<std::string, std::vector<skims::KnownFile>> all;
  for (const auto& [sample, listed] : files)
    for (const auto& [path, name, num_entries, uuid, bytes] : listed)
      all[sample].push_back({path, name, num_entries, uuid, bytes});
  return all;
}

using Entries = py::array_t<std::uint64_t, py::array::c_style | py::array::forcecast>;

std::shared_ptr<const std::vector<std::uint64_t>> copy_of(const Entries& entries) {
  return std::make_shared<const std::vector<std::uint64_t>>(entries.data(), entries.data() + entries.size());
}

EntryRange range_of(std::pair<std::uint64_t, std::uint64_t> entries) {
  const auto [first, end] = entries;
  return {first, end > first ? end - first : 0};
}

std::shared_ptr<const Config> read(const std::string& path, const std::optional<std::string>& text,
                                   Choice choice) {
  skims::ConfigOptions options;
  options.sets = std::move(choice.sets);
  options.inputs = std::move(choice.inputs);
  options.samples = std::move(choice.samples);
  options.limit_files = choice.limit_files;
  options.limit_events = choice.limit_events;
  options.finds_inputs = choice.finds_inputs;
  if (choice.shard) {
    const auto [number, count] = *choice.shard;
    if (number < 1 || number > count)
      throw ConfigError("shard: (" + std::to_string(number) + ", " + std::to_string(count) +
                        ") is not the part i of N, counted from 1");
    options.shard = skims::Shard{number, count};
  }
  std::shared_ptr<const Config> config;
  run_interruptibly([&](StopFlag stop) {
    const skims::Interruptible reading(stop);
    config = text ? skims::parse_config(path, *text, options) : skims::read_config(path, options);
  });
  return config;
}

std::string digest_of(const RangesByKey& ranges) {
  std::string text;
  for (const auto& [run, blocks] : ranges) {
    text += std::to_string(run) + ":";
    for (const auto& [first, last] : blocks) text += std::to_string(first) + "-" + std::to_string(last) + " ";
  }
  return io::text_digest(text);
}

std::string text_of_constant(const ConstantValue& value) {
  struct Writer {
    std::string operator()(bool held) const { return held ? "true" : "false"; }
    std::string operator()(std::int64_t held) const { return std::to_string(held); }
    std::string operator()(double held) const { return all_bits(held); }
    std::string operator()(const std::string& held) const { return "\"" + held + "\""; }
  };
  return std::visit(Writer{}, value);
}

// What lists of samples say of one besides its files, by the path of the list.
std::map<std::string, std::string> listed_values(const Config& config, const skims::Sample& sample) {
  std::map<std::string, std::string> values;
  const auto add = [&](skims::Location place, const std::string& name, const ConstantValue& value) {
    const skims::ConfigText& source = *config.source;
    if (source.parts.empty()) return;
    const std::string& path = source.parts[part_of(source, place)].path;
    if (path != source.path) values[path] += name + "=" + text_of_constant(value) + "\n";
  };
  for (const skims::NamedValue& each : sample.metadata) add(each.name.location, each.name.value, each.value);
  if (sample.cross_section_pb && sample.cross_section_place)
    add(*sample.cross_section_place, "cross_section_pb", *sample.cross_section_pb);
  return values;
}

// Of a sample, what says which entries are taken, and what else files say of it: the path of that, what it is
// said of, and what is said.
using EntryChoices = std::vector<std::tuple<std::string, std::string, std::string>>;

EntryChoices entry_choices(const Config& config, const skims::Sample& sample) {
  EntryChoices choices;
  const auto add = [&](const std::string& path, const std::string& of, const std::string& digest) {
    choices.emplace_back(io::with_equal_secrets(path), io::with_equal_secrets(of), digest);
  };
  for (const auto& [path, values] : listed_values(config, sample)) add(path, "", io::text_digest(values));
  if (sample.lumi_mask) add(sample.lumi_mask->value, "", digest_of(sample.certified));
  const auto list_of = [&](const std::string& named) {
    return sample.entry_list ? sample.entry_list->value : named;
  };
  if (sample.entries_through) add(list_of(sample.name.value), "", sample.entries_through->digest);
  for (const skims::Input& input : sample.inputs)
    if (input.entries)
      add(list_of(input.name), input.location.path + ":" + input.location.name, input.entries->digest);
  return choices;
}

std::map<std::string, EntryChoices> entry_choices(const Config& config) {
  std::map<std::string, EntryChoices> choices;
  for (const skims::Sample& sample : config.samples)
    choices.emplace(sample.name.value, entry_choices(config, sample));
  return choices;
}

}  // namespace

void bind_config(py::module_& module) {
  module.def("problem_of_new_name", &skims::problem_of_new_name, py::arg("name"), py::arg("what"));
  module.def("is_reserved", &skims::is_reserved, py::arg("name"));
  py::class_<Config>(module, "Config")
      .def(py::init([](const std::string& path, const std::optional<std::string>& text,
                       std::vector<std::string> sets, std::vector<std::string> inputs,
                       std::vector<std::string> samples, std::optional<std::uint64_t> limit_files,
                       std::optional<std::uint64_t> limit_events,
                       std::optional<std::pair<std::uint64_t, std::uint64_t>> shard,
                       std::optional<std::pair<std::uint64_t, std::uint64_t>> entries,
                       const std::optional<Entries>& chosen_entries, std::vector<ExternalFunction> functions,
                       const KnownFiles& known_files, bool finds_inputs) {
             Config config = *read(path, text,
                                   {std::move(sets), std::move(inputs), std::move(samples), limit_files,
                                    limit_events, shard, finds_inputs});
             if (entries) config.entries = range_of(*entries);
             if (chosen_entries) config.chosen_entries = copy_of(*chosen_entries);
             config.external_functions = std::move(functions);
             config.known_files = known(known_files);
             return config;
           }),
           py::arg("path"), py::arg("text") = py::none(), py::kw_only(),
           py::arg("sets") = std::vector<std::string>(), py::arg("inputs") = std::vector<std::string>(),
           py::arg("samples") = std::vector<std::string>(), py::arg("limit_files") = py::none(),
           py::arg("limit_events") = py::none(), py::arg("shard") = py::none(),
           py::arg("entries") = py::none(), py::arg("chosen_entries") = py::none(),
           py::arg("functions") = std::vector<ExternalFunction>(), py::arg("known_files") = KnownFiles(),
           py::arg("finds_inputs") = true)
      .def_property_readonly("resolved", [](const Config& config) { return config.resolved; })
      .def_property_readonly("cache", [](const Config& config) { return config.cache_folder; })
      .def_property_readonly("memory_limit",
                             [](const Config& config) {
                               return config.memory_limit ? std::optional(config.memory_limit->bytes)
                                                          : std::nullopt;
                             })
      .def_property_readonly("corrections",
                             [](const Config& config) {
                               std::vector<ExternalFunction> functions;
                               for (const skims::CorrectionConfig& each : config.corrections)
                                 functions.push_back({each.name.value, each.function, each.content});
                               return functions;
                             })
      .def_property_readonly("models",
                             [](const Config& config) {
                               std::vector<ExternalFunction> functions;
                               for (const skims::ModelConfig& each : config.models)
                                 functions.push_back({each.name.value, each.function, each.content});
                               return functions;
                             })
      .def_property_readonly("entry_choices", [](const Config& config) { return entry_choices(config); })
      .def_property_readonly("skim_files",
                             [](const Config& config) {
                               std::vector<std::pair<std::string, std::string>> files;
                               for (const skims::SkimConfig& each : config.skims)
                                 files.emplace_back(each.name.value, each.path);
                               return files;
                             })
      .def_property_readonly("n_minus_1", [](const Config& config) { return config.output.n_minus_1; })
      .def_property_readonly("sample_names", &skims::sample_names)
      .def_property_readonly("warnings", [](const Config& config) { return config.warnings; });
}

}  // namespace skimline::python
