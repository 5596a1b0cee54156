// SPDX-License-Identifier: BSD-3-Clause
#include "naming.h"

#include "name_checks.h"

#include "skimline/skims/run_record.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace skimline::skims {
namespace {

constexpr std::string_view kDefaultTemplate = "{region}__{sample}__{histogram}__{variation}";
constexpr std::string_view kNominal = "nominal";
// ROOT files hold the name and the title of an object, and more, in 32 kB.
constexpr std::size_t kMaxNameSize = 1000;

constexpr std::string_view kSchemaName = "uhi_schema";

const std::vector<std::string> kPlaceholders{"region", "sample", "histogram", "variation"};

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
    return letter == '/' || is_object_name(std::string_view(&letter, 1));
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

std::string problem_of(const Piece& piece, std::size_t template_size) {
  if (piece.is_placeholder() && !is_known(piece.name())) {
    const std::string meant = nearest_name(piece.name(), kPlaceholders);
    return "unknown placeholder \"" + std::string(piece.text) + "\"" +
           (meant.empty() ? "; there are \"{region}\", \"{sample}\", \"{histogram}\", \"{variation}\""
                          : " (did you mean \"{" + meant + "}\"?)");
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
      if (histogram.events.regions.empty()) check(histogram, nullptr);
      for (const std::size_t number : histogram.events.regions) check(histogram, &config_.regions[number]);
    }
  }

  void check(const HistogramConfig& histogram, const Region* region) {
    std::string what = "the histogram \"" + histogram.name.value + "\"";
    if (region) what += " in the region \"" + region->name.value + "\"";
    if (config_.samples.size() > 1) what += " of the sample \"" + sample_->name.value + "\"";
    check(histogram, naming_->name_of(histogram, region, nullptr), what);
    for (const WeightVariation& variation : histogram.weight_variations)
      check(histogram, naming_->name_of(histogram, region, &variation),
            what + " with the weight variation \"" + variation.name.value + "\"");
  }

  void check(const HistogramConfig& histogram, const std::string& name, const std::string& what) {
    const auto refuse = [&](const std::string& why) {
      diagnostics_.add(histogram.name.location, what + " would be written as \"" + name + "\", " + why);
    };
    if (has_empty_part(name)) return refuse("of which a part is empty");
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
  std::unordered_map<std::string, std::string> written_;      // by name: what it is
  std::unordered_map<std::string, std::string> directories_;  // by name: what lies in it
};

}  // namespace

HistogramNaming::HistogramNaming(const Config& config, const Sample& sample) {
  const std::optional<Text>& given = config.output.name_template;
  if (given || config.has_several_samples) sample_ = sample.name.value;
  for (const Piece& piece : pieces_of(given ? std::string_view(given->value) : kDefaultTemplate)) {
    if (piece.is_placeholder())
      placeholders_.push_back({piece.name(), ""});
    else
      (placeholders_.empty() ? text_in_front_ : placeholders_.back().text_behind) = piece.text;
  }
}

std::string HistogramNaming::name_of(const HistogramConfig& histogram, const Region* region,
                                     const WeightVariation* variation) const {
  const auto value_of = [&](const std::string& placeholder) -> std::string {
    if (placeholder == "region") return region ? region->name.value : "";
    if (placeholder == "sample") return sample_;
    if (placeholder == "histogram") return histogram.name.value;
    if (histogram.weight_variations.empty()) return "";
    return variation ? variation->name.value : std::string(kNominal);
  };
  std::string name = text_in_front_, separator;
  for (const Placeholder& placeholder : placeholders_) {
    const std::string value = value_of(placeholder.name);
    if (value.empty()) continue;
    name += separator + value;
    separator = placeholder.text_behind;
  }
  return placeholders_.empty() ? name : name + placeholders_.back().text_behind;
}

void check_name_template(const Config& config, Diagnostics& diagnostics) {
  if (!config.output.name_template) return;
  const Text& given = *config.output.name_template;
  for (const Piece& piece : pieces_of(given.value))
    if (const std::string problem = problem_of(piece, given.value.size()); !problem.empty())
      diagnostics.add(inside_string(*config.source, given, piece.offset, piece.text.size()), problem);
}

void check_histogram_names(const Config& config, Diagnostics& diagnostics) {
  if (!config.samples.empty()) NameCheck(config, diagnostics).check_all();
}

}  // namespace skimline::skims
