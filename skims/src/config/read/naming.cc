// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/naming.h"

#include "base/interruption.h"
#include "config/json/name_checks.h"

#include "skimline/skims/run_record.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

namespace skimline::skims {
namespace {

constexpr std::string_view kDefaultTemplate = "{region}__{sample}__{histogram}__{variation}";
constexpr std::string_view kNominal = "nominal";
// ROOT files hold the name and the title of an object, and more, in 32 kB.
constexpr std::size_t kMaxNameSize = 1000;

constexpr std::string_view kSchemaName = "uhi_schema";

const std::vector<std::string> kPlaceholders{"region",    "sample",     "process",   "histogram",
                                             "variation", "systematic", "direction", "Direction"};

// Text, or a placeholder with its braces.
struct Piece {
  std::string_view text;
  std::size_t offset = 0;

  bool is_placeholder() const { return text.size() >= 2 && text.front() == '{' && text.back() == '}'; }
  std::string name() const { return std::string(text.substr(1, text.size() - 2)); }
};

// Braces that do not belong together stay in pieces of text.
std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find(text[begin] == '{' ? '}' : '{', begin);
    if (text[begin] == '{' && end != std::string_view::npos) ++end;
    end = std::min(end, text.size());
    pieces.push_back({text.substr(begin, end - begin), begin});
    begin = end;
  }
  return pieces;
}

bool is_text_of_names(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char letter) {
    return letter == '/' || letter == '.' || is_object_name(std::string_view(&letter, 1));
  });
}

bool is_known(const std::string& placeholder) {
  return std::count(kPlaceholders.begin(), kPlaceholders.end(), placeholder) != 0;
}

// Of a name, or of the text of a template, whose placeholders may stand beside a slash.
bool has_empty_part(std::string_view name, bool is_begin = true, bool is_end = true) {
  if (name.empty()) return is_begin && is_end;
  return (is_begin && name.front() == '/') || (is_end && name.back() == '/') ||
         name.find("//") != std::string_view::npos;
}

// "." or "..", by which ROOT goes to a folder instead of reading one of that name.
std::string_view step_between_folders(std::string_view name) {
  while (!name.empty()) {
    const std::size_t size = std::min(name.find('/'), name.size());
    const std::string_view part = name.substr(0, size);
    if (part == "." || part == "..") return part;
    name.remove_prefix(std::min(size + 1, name.size()));
  }
  return {};
}

std::string list_of_placeholders() {
  std::string list;
  for (const std::string& each : kPlaceholders) list += (list.empty() ? "\"{" : ", \"{") + each + "}\"";
  return list;
}

std::string problem_of(const Piece& piece, std::size_t template_size) {
  if (piece.is_placeholder() && !is_known(piece.name())) {
    const std::string meant = nearest_name(piece.name(), kPlaceholders);
    return "unknown placeholder \"" + std::string(piece.text) + "\"" +
           (meant.empty() ? "; there are " + list_of_placeholders() : " (did you mean \"{" + meant + "}\"?)");
  }
  if (!piece.is_placeholder() && !is_text_of_names(piece.text))
    return "names of histograms consist of letters, digits, \"_\", \"-\", \".\", \"/\" and placeholders such "
           "as "
           "\"{region}\"";
  if (!piece.is_placeholder() &&
      has_empty_part(piece.text, piece.offset == 0, piece.offset + piece.text.size() == template_size))
    return "a part of the name is empty: there is nothing before or behind a \"/\"";
  return {};
}

// Compares the names of all histograms with each other.
class NameCheck {
 public:
  NameCheck(const Config& config, Diagnostics& diagnostics) : config_(config), diagnostics_(diagnostics) {}

  void check_all() {
    for (const Sample& sample : config_.samples) {
      const HistogramNaming naming(config_, sample);
      naming_ = &naming;
      sample_ = &sample;
      check_sample();
    }
  }

 private:
  void check_sample() {
    for (const HistogramConfig& histogram : config_.histograms) {
      throw_if_interrupted();
      // Its other names are mostly wrong for the same reason.
      if (refused_.contains(&histogram)) continue;
      if (histogram.events.regions.empty()) check(histogram, nullptr);
      for (const std::size_t number : histogram.events.regions) check(histogram, &config_.regions[number]);
    }
  }

  void check(const HistogramConfig& histogram, const Region* region) {
    for_each_key(config_, *sample_, histogram, region, [&](const HistogramKey& key) {
      const std::string name = naming_->name_of(key), what = text_of(key);
      // What the parts of a sum fill is one histogram.
      if (key.sum && written_.contains(name) && written_.at(name) == what) return;
      check(histogram, name, what);
    });
  }

  std::string text_of(const HistogramKey& key) const {
    std::string what = "the histogram \"" + key.config->name.value + "\"";
    if (key.region) what += " in the region \"" + key.region->name.value + "\"";
    if (key.sum) return what + " of the sum \"" + key.sum->name.value + "\"";
    if (config_.samples.size() > 1) what += " of the sample \"" + sample_->name.value + "\"";
    if (key.weight_variation)
      what += " with the weight variation \"" + key.weight_variation->name.value + "\"";
    if (key.variation) what += " in the variation \"" + key.variation->name.value + "\"";
    return what;
  }

  void check(const HistogramConfig& histogram, const std::string& name, const std::string& what) {
    const auto refuse = [&](const std::string& why) {
      if (!refused_.insert(&histogram).second) return;
      diagnostics_.add(histogram.name.location, what + " would be written as \"" + name + "\", " + why);
    };
    if (has_empty_part(name)) return refuse("of which a part is empty");
    if (const std::string_view step = step_between_folders(name); !step.empty())
      return refuse("in which ROOT takes \"" + std::string(step) + "\" for a step between folders");
    if (name.size() > kMaxNameSize) return refuse("which is too long");
    if (is_json(config_.output) && name == kSchemaName) return refuse("which UHI JSON uses itself");
    if (name == kRecordDirectory || name.starts_with(std::string(kRecordDirectory) + "/"))
      return refuse("and \"" + std::string(kRecordDirectory) + "\" is where the record of the run is");
    const auto [other, is_new] = written_.emplace(name, what);
    if (!is_new) return refuse("and so would " + other->second);
    if (const auto inside = directories_.find(name); inside != directories_.end())
      return refuse("which is also the directory of " + inside->second);
    for (std::size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
      const std::string directory = name.substr(0, slash);
      if (const auto object = written_.find(directory); object != written_.end())
        return refuse("and \"" + directory + "\" is " + object->second);
      directories_.emplace(directory, what);
    }
  }

  const Config& config_;
  const HistogramNaming* naming_ = nullptr;
  const Sample* sample_ = nullptr;
  Diagnostics& diagnostics_;
  std::set<const HistogramConfig*> refused_;
  std::unordered_map<std::string, std::string> written_;      // by name: what it is
  std::unordered_map<std::string, std::string> directories_;  // by name: what lies in it
};

void check_template(const Config& config, const Text& given, Diagnostics& diagnostics) {
  for (const Piece& piece : pieces_of(given.value))
    if (const std::string problem = problem_of(piece, given.value.size()); !problem.empty())
      diagnostics.add(inside_string(*config.source, given, piece.offset, piece.text.size()), problem);
}

std::string capitalised(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

}  // namespace

HistogramNaming::HistogramNaming(const Config& config, const Sample& sample)
    : has_variations_(std::any_of(config.variations.begin(), config.variations.end(),
                                  [&](const Variation& each) { return has_variation(sample, each); })) {
  const OutputConfig& output = config.output;
  nominal_ = parsed(output.name_template ? std::string_view(output.name_template->value) : kDefaultTemplate);
  varied_ = output.varied_name_template ? parsed(output.varied_name_template->value) : nominal_;
  if (output.name_template || config.sample_names.size() > 1) sample_ = sample.name.value;
  process_ = name_among_metadata(sample, "process");
  if (process_.empty()) process_ = sample.name.value;
  if (!varied_.has("process")) return;
  of_sample_.variation = own_variation(sample);
  of_sample_.systematic = name_among_metadata(sample, "systematic");
  if (of_sample_.systematic.empty()) of_sample_.systematic = of_sample_.variation;
  of_sample_.direction = name_among_metadata(sample, "direction");
}

bool HistogramNaming::Template::has(std::string_view placeholder) const {
  return std::any_of(placeholders.begin(), placeholders.end(),
                     [&](const Placeholder& each) { return each.name == placeholder; });
}

HistogramNaming::Template HistogramNaming::parsed(std::string_view text) {
  Template parsed;
  for (const Piece& piece : pieces_of(text)) {
    if (piece.is_placeholder())
      parsed.placeholders.push_back({piece.name(), ""});
    else
      (parsed.placeholders.empty() ? parsed.text_in_front : parsed.placeholders.back().text_behind) =
          piece.text;
  }
  return parsed;
}

HistogramNaming::VariationNames HistogramNaming::variation_of(const HistogramKey& key) const {
  if (key.variation) return {key.variation->name.value, key.variation->systematic, key.variation->direction};
  if (key.weight_variation) return {key.weight_variation->name.value, key.weight_variation->name.value, ""};
  return key.sum ? VariationNames{} : of_sample_;
}

std::string HistogramNaming::value_of(const std::string& placeholder, const HistogramKey& key,
                                      const VariationNames& names) const {
  if (placeholder == "region") return key.region ? key.region->name.value : "";
  if (placeholder == "sample") return key.sum ? key.sum->name.value : sample_;
  if (placeholder == "process") return key.sum ? key.sum->name.value : process_;
  if (placeholder == "histogram") return key.config->name.value;
  if (placeholder == "systematic") return names.systematic;
  if (placeholder == "direction") return names.direction;
  if (placeholder == "Direction") return capitalised(names.direction);
  if (!names.variation.empty()) return names.variation;
  // Sums have one name, whichever of their samples vary.
  return (has_variations_ && !key.sum) || !key.config->weight_variations.empty() ? std::string(kNominal) : "";
}

std::string HistogramNaming::name_of(const HistogramKey& key) const {
  const VariationNames names = variation_of(key);
  const Template& used = names.variation.empty() ? nominal_ : varied_;
  std::string name = used.text_in_front, separator;
  for (const Placeholder& placeholder : used.placeholders) {
    const std::string value = value_of(placeholder.name, key, names);
    if (value.empty()) continue;
    name += separator + value;
    separator = placeholder.text_behind;
  }
  return used.placeholders.empty() ? name : name + used.placeholders.back().text_behind;
}

void check_name_template(const Config& config, Diagnostics& diagnostics) {
  const std::optional<Text>&nominal = config.output.name_template,
        &varied = config.output.varied_name_template;
  if (nominal) check_template(config, *nominal, diagnostics);
  if (varied && varied->location.begin != nominal->location.begin)
    check_template(config, *varied, diagnostics);
}

void check_histogram_names(const Config& config, Diagnostics& diagnostics) {
  if (!config.samples.empty()) NameCheck(config, diagnostics).check_all();
}

}  // namespace skimline::skims
