// SPDX-License-Identifier: BSD-3-Clause
#include "plan/function_names.h"

#include "config/read/used_names.h"
#include "plan/aliases.h"

#include <string>
#include <string_view>
#include <unordered_map>

namespace skimline::skims {
namespace {

struct NamedThing {
  std::string what;  // "a definition"
  Location place;
};

// What the config names, by these names.
std::unordered_map<std::string, NamedThing> named_things(const Config& config, const Sample& sample) {
  std::unordered_map<std::string, NamedThing> things;
  const auto add = [&](const Text& name, const char* what) {
    things.emplace(name.value, NamedThing{what, name.location});
  };
  for (const Definition& each : config.define) add(each.name, "a definition");
  for (const Definition& each : config.weights) add(each.name, "a factor of \"weights\"");
  for (const ObjectConfig& each : config.objects) add(each.name, "a collection");
  for (const NamedValue& each : constants_of(sample)) add(each.name, "a value of the sample");
  for (const Definition& each : aliases_of(config, sample)) add(each.name, "an alias");
  return things;
}

// A function, a correction or a model, which is `what`.
struct Callable {
  std::string name;
  const char* what;
  Location place;
};

std::vector<Callable> callables(const Config& config) {
  std::vector<Callable> all;
  for (const CorrectionConfig& each : config.corrections)
    all.push_back({each.name.value, "a correction", each.name.location});
  for (const ModelConfig& each : config.models)
    all.push_back({each.name.value, "a model", each.name.location});
  for (const FunctionConfig& each : config.functions)
    all.push_back({name_of(each), "a function", each.signature.location});
  return all;
}

}  // namespace

void check_function_names(const Config& config, const Sample& sample, const Schema& columns,
                          Diagnostics& diagnostics) {
  const std::vector<Callable> all = callables(config);
  if (all.empty()) return;
  const std::unordered_map<std::string, NamedThing> things = named_things(config, sample);
  for (const Callable& each : all) {
    const std::string refused = "\"" + each.name + "\" cannot name " + each.what + ": there is ";
    if (const auto thing = things.find(each.name); thing != things.end())
      diagnostics.add(each.place, refused + thing->second.what + " \"" + each.name + "\" already",
                      thing->second.place, "it is here");
    else if (columns.find(each.name))
      diagnostics.add(each.place, refused + "a column \"" + each.name + "\" in the input already");
  }
}

}  // namespace skimline::skims
