// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/dataset_specification.h"

#include "base/parsed_json.h"
#include "base/text_file.h"
#include "config/json/located_json.h"
#include "config/json/name_checks.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

using SpecifiedJson = nlohmann::json;

// Reads one file; places in messages are ways to a value.
class SpecificationReader {
 public:
  explicit SpecificationReader(const std::string& path) : path_(path) {}

  DatasetSpecification read() {
    const std::string text = read_text_file(path_);
    try {
      root_ = parsed_json<SpecifiedJson>(text);
    } catch (const Error& error) {
      fail(error.what());
    }
    if (!root_.is_object() || !root_.contains("samples") || !root_["samples"].is_object())
      fail("is no dataset specification of RDataFrame: an object with \"samples\"");
    for (const auto& [key, value] : root_.items()) {
      if (key == "samples")
        read_samples(value);
      else if (key == "friends")
        read_friends(value);
      else if (key == "range")
        read_range(value);
      else
        specification_.left_out.push_back("\"" + key + "\": RDataFrame does not know it either");
    }
    return std::move(specification_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const { throw ConfigError(path_ + ": " + problem); }

  void read_samples(const SpecifiedJson& objects) {
    read_all(objects, "samples", specification_.samples);
    if (specification_.samples.empty()) fail("has no samples");
    std::map<std::string, std::string> names;
    for (SpecifiedFiles& sample : specification_.samples) {
      const std::string own = std::exchange(sample.name, legal_object_name(sample.name));
      if (!is_object_name(sample.name))
        fail("\"" + own + "\" cannot name a sample: it has no letter nor digit");
      if (const auto other = names.emplace(sample.name, own); !other.second)
        fail("the samples \"" + other.first->second + "\" and \"" + own + "\" would both be called \"" +
             sample.name + "\"");
    }
  }

  void read_friends(const SpecifiedJson& objects) {
    std::vector<SpecifiedFiles> friends;
    read_all(objects, "friends", friends);
    for (SpecifiedFiles& each : friends) {
      if (is_identifier(each.name))
        specification_.friends.push_back(std::move(each));
      else
        specification_.left_out.push_back("friends." + each.name +
                                          ": no expression can have its name; call it otherwise");
    }
  }

  void read_all(const SpecifiedJson& objects, const std::string& where, std::vector<SpecifiedFiles>& all) {
    if (!objects.is_object()) fail("\"" + where + "\" must be an object");
    for (const auto& [name, value] : objects.items()) {
      const std::string place = where + "." + name;
      SpecifiedFiles own{name, files_in(value, place), {}};
      if (value.contains("metadata")) read_metadata(value["metadata"], place, own);
      all.push_back(std::move(own));
    }
  }

  // One text, or a list of them.
  std::vector<std::string> texts_in(const SpecifiedJson& object, const char* key,
                                    const std::string& place) const {
    const auto refuse = [&] { fail("\"" + place + "." + key + "\" must be a text or a list of texts"); };
    if (!object.is_object() || !object.contains(key)) refuse();
    const SpecifiedJson& value = object[key];
    if (value.is_string()) return {value.get<std::string>()};
    std::vector<std::string> texts;
    if (!value.is_array() || value.empty()) refuse();
    for (const SpecifiedJson& each : value) {
      if (!each.is_string()) refuse();
      texts.push_back(each.get<std::string>());
    }
    return texts;
  }

  std::vector<std::pair<std::string, std::string>> files_in(const SpecifiedJson& object,
                                                            const std::string& place) const {
    const std::vector<std::string> trees = texts_in(object, "trees", place);
    const std::vector<std::string> files = texts_in(object, "files", place);
    if (trees.size() != 1 && trees.size() != files.size())
      fail("\"" + place + "\" has " + std::to_string(trees.size()) + " trees for " +
           std::to_string(files.size()) + " files");
    std::vector<std::pair<std::string, std::string>> pairs;
    for (std::size_t i = 0; i < files.size(); ++i)
      pairs.emplace_back(files[i], trees.size() == 1 ? trees.front() : trees[i]);
    return pairs;
  }

  void read_metadata(const SpecifiedJson& object, const std::string& place, SpecifiedFiles& files) {
    if (!object.is_object()) fail("\"" + place + ".metadata\" must be an object");
    const auto is_too_large = [](const SpecifiedJson& value) {
      return value.is_number_integer() && std::abs(value.get<double>()) >= kLargestInteger;
    };
    for (const auto& [name, value] : object.items()) {
      if (name == "cross_section_pb")
        specification_.left_out.push_back(place + ".metadata." + name +
                                          ": give it as a key of the sample itself, with \"sum_weights\"");
      else if (is_too_large(value))
        specification_.left_out.push_back(place + ".metadata." + name +
                                          ": integers are exact up to 2^53 here; write it as a text");
      else if (is_identifier(name) && (value.is_number() || value.is_string() || value.is_boolean()))
        files.metadata[name] = value.dump();
      else
        specification_.left_out.push_back(
            place + ".metadata." + name +
            ": only numbers, texts and truth values with names of C++ are metadata");
    }
  }

  // [end], or [begin, end].
  void read_range(const SpecifiedJson& value) {
    const auto is_entry = [](const SpecifiedJson& each) { return each.is_number_unsigned(); };
    if (!value.is_array() || value.empty() || value.size() > 2 ||
        !std::all_of(value.begin(), value.end(), is_entry))
      fail("\"range\" must be one or two numbers of entries");
    const std::string end = "entry_ < " + value.back().dump();
    specification_.range = value.size() == 1 ? end : "entry_ >= " + value.front().dump() + " && " + end;
  }

  const std::string& path_;
  SpecifiedJson root_;
  DatasetSpecification specification_;
};

}  // namespace

DatasetSpecification read_dataset_specification(const std::string& path) {
  return SpecificationReader(path).read();
}

}  // namespace skimline::skims
