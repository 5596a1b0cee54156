// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/trexfitter_config.h"

#include "config/json/name_checks.h"
#include "config/translated/draw_cut.h"
#include "config/translated/draw_formula.h"
#include "config/translated/ntuple_paths.h"
#include "config/translated/text_replacing.h"

#include "skimline/framework/error.h"
#include "skimline/framework/number_text.h"
#include "skimline/io/open_inputs.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace skimline::skims {
namespace {

// The settings that become part of a config, by kind of block.
const std::map<std::string, std::set<std::string>> kCarried{
    {"Job",
     {"ReadFrom", "NtuplePath", "NtuplePaths", "NtupleFile", "NtupleFiles", "NtupleName", "NtupleNames",
      "MCweight", "Selection", "Lumi"}},
    {"Region", {"Variable", "VariableTitle", "Selection", "MCweight", "Binning", "Rebin"}},
    {"Sample",
     {"Type",
      "NtuplePath",
      "NtuplePaths",
      "NtupleFile",
      "NtupleFiles",
      "NtupleName",
      "NtupleNames",
      "NtuplePathSuff",
      "NtuplePathSuffs",
      "NtupleFileSuff",
      "NtupleFileSuffs",
      "NtupleNameSuff",
      "NtupleNameSuffs",
      "MCweight",
      "Selection",
      "IgnoreSelection",
      "IgnoreWeight",
      "NormalizedByTheory",
      "LumiScale",
      "LumiScales"}},
    {"Systematic",
     {"Samples",         "Exclude",           "WeightUp",        "WeightDown",       "WeightSufUp",
      "WeightSufDown",   "NtuplePathUp",      "NtuplePathDown",  "NtuplePathsUp",    "NtuplePathsDown",
      "NtupleFileUp",    "NtupleFileDown",    "NtupleFilesUp",   "NtupleFilesDown",  "NtupleNameUp",
      "NtupleNameDown",  "NtupleNamesUp",     "NtupleNamesDown", "NtuplePathSufUp",  "NtuplePathSufDown",
      "NtupleFileSufUp", "NtupleFileSufDown", "NtupleNameSufUp", "NtupleNameSufDown"}},
};

std::string upper_case(std::string text) {
  for (char& letter : text) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return text;
}

bool is_one(const std::string& text) { return text.empty() || text == "1"; }

std::string as_identifier(std::string name) {
  for (char& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return name;
}

// The columns of an input as far as they are known.
struct InputColumns {
  std::set<std::string> lists;
  NumberTypes others;
  bool is_known = false;
};

InputColumns columns_in(const NtuplePath& file) {
  InputColumns columns;
  try {
    const auto source = io::open_inputs({{file.file, file.tree}});
    for (const ColumnInfo& column : source->schema().columns())
      if (column.type.is_jagged()) columns.lists.insert(column.name);
    columns.others = numbers_but_doubles(source->schema());
    columns.is_known = true;
  } catch (const Error&) {
  }
  return columns;
}

constexpr const char* kUp = "up";
constexpr const char* kDown = "down";

class FitTranslation {
 public:
  FitTranslation(std::vector<FitBlock> blocks, std::filesystem::path config_path)
      : blocks_(std::move(blocks)), config_path_(std::move(config_path)), job_(only("Job")) {}

  TranslatedConfig config(const std::string& origin) {
    check_reads_ntuples();
    columns_ = columns_in(paths_of(sample_blocks().front(), nullptr, "").front());
    if (!columns_.is_known)
      left_out_.push_back(
          "that all numbers are doubles in TTree::Draw, and what cuts say of lists: the first input cannot "
          "be "
          "read");
    add_weights();
    for (const FitBlock& sample : sample_blocks()) add_sample(sample);
    for (const FitBlock& block : blocks_)
      if (block.kind == "Systematic") add_systematic(block);
    for (const FitBlock& block : blocks_)
      if (block.kind == "Region") add_region(block);
    list_others();
    return written(whole(), origin, std::move(left_out_));
  }

 private:
  const FitBlock& only(const std::string& kind) const {
    const auto found = std::find_if(blocks_.begin(), blocks_.end(),
                                    [&](const FitBlock& block) { return block.kind == kind; });
    if (found == blocks_.end()) throw ConfigError("the config of TRExFitter has no block \"" + kind + "\"");
    return *found;
  }

  std::vector<FitBlock> sample_blocks() const {
    std::vector<FitBlock> samples;
    for (const FitBlock& block : blocks_)
      if (block.kind == "Sample") samples.push_back(block);
    if (samples.empty()) throw ConfigError("the config of TRExFitter has no block \"Sample\"");
    return samples;
  }

  // Where each region reads its own trees there is no sample of all.
  void check_reads_ntuples() const {
    const std::string from = upper_case(job_.value("ReadFrom"));
    if (from != "NTUP" && from != "NTUPLE")
      throw ConfigError(job_.place + ": the job reads \"" + job_.value("ReadFrom") +
                        "\": a config can be made where it reads n-tuples, \"ReadFrom: NTUP\"");
    static_cast<void>(only("Region"));
    for (const FitBlock& block : blocks_)
      for (const FitBlock::Setting& setting : block.settings)
        if (block.kind == "Region" && setting.name.starts_with("Ntuple"))
          throw ConfigError(
              block.place + ": " + setting.name +
              ": regions with n-tuples of their own are samples of their own here: make a config "
              "of each such region, with its n-tuples in the block \"Job\"");
  }

  // "up" and "down" of a systematic, or nothing for what is nominal.
  std::vector<NtuplePath> paths_of(const FitBlock& sample, const FitBlock* systematic,
                                   const std::string& direction) const {
    return ntuple_paths(job_, sample, systematic, direction);
  }

  bool is_data(const FitBlock& sample) const { return upper_case(sample.value("Type")) == "DATA"; }

  std::string formula(const std::string& text) {
    return plain_text(expression_of_formula(text, columns_.others, left_out_));
  }
  std::string cut(const std::string& text) {
    std::string expression = expression_of_cut(text, columns_.lists, columns_.others);
    if (expression.find("Any(") != std::string::npos && cuts_of_lists_.insert(text).second)
      left_out_.push_back("elements in \"" + text +
                          "\", a cut on lists: TTree::Draw fills for each element that passes, and here an "
                          "event in which one passes is filled whole; write lists[mask] as the value");
    return plain_text(std::move(expression));
  }

  // Factors of simulated samples; of data all are 1.
  void add_weights() {
    const std::string lumi = job_.value("Lumi");
    if (!is_one(job_.value("MCweight"))) weights_["job_weight"] = formula(job_.value("MCweight"));
    if (!is_one(lumi) && only_number(lumi) != 1.) weights_["luminosity_factor"] = formula(lumi);
    weights_["sample_weight"] = "1.";
  }

  // What a sample or region is called here; said once where that is another name.
  std::string object_name(const FitBlock& block) {
    std::string plain = legal_object_name(block.name);
    if (!is_object_name(plain))
      throw ConfigError(block.place + ": \"" + block.name + "\" has no letter nor digit");
    if (is_new_name(block, block.kind, plain) && plain != block.name)
      left_out_.push_back(block.place + ": the name \"" + block.name + "\": here it is " + plain);
    return plain;
  }

  // The same for names that expressions have.
  std::string identifier(const FitBlock& block) {
    std::string name = as_identifier(block.name);
    static_cast<void>(is_new_name(block, block.kind + " in expressions", name));
    return name;
  }

  // Throws where two blocks of a kind would be called alike: one would be lost.
  bool is_new_name(const FitBlock& block, const std::string& use, const std::string& name) {
    const auto [known, is_new] = names_.try_emplace({use, name}, block.name);
    if (known->second != block.name)
      throw ConfigError(block.place + ": " + block.kind + " \"" + block.name + "\" and \"" + known->second +
                        "\" would both be called \"" + name + "\" here: rename one");
    return is_new;
  }

  void add_sample(const FitBlock& sample) {
    const std::string name = object_name(sample);
    OrderedJson& json = samples_[name];
    json["files"] = files_of(paths_of(sample, nullptr, ""));
    if (is_data(sample)) json["is_data"] = true;
    json["metadata"] = {{"process", name}};
    complete(json, sample, sample.value("MCweight"));
    for (const char* key : {"Regions", "Exclude"})
      if (!sample.written(key).empty())
        left_out_.push_back(sample.place + ": " + key + " of the sample " + name +
                            ": its histograms are filled in all regions");
  }

  OrderedJson files_of(const std::vector<NtuplePath>& paths) const {
    OrderedJson files = OrderedJson::array();
    for (const NtuplePath& path : paths)
      files.push_back(plain_text(path_from(path.file, config_path_)) +
                      (path.tree.empty() ? "" : ":" + plain_text(path.tree)));
    return files;
  }

  // What a sample says of selections and weights, its own weight as given.
  void complete(OrderedJson& json, const FitBlock& sample, const std::string& own_weight) {
    if (!is_one(sample.value("Selection"))) {
      json["define"]["sample_selection"] = cut(sample.value("Selection"));
      define_["sample_selection"] = "true";
    }
    add_ignored_selections(json, sample);
    if (is_data(sample)) return;
    std::string weight = is_one(own_weight) ? "" : formula(own_weight);
    const std::vector<std::string> scales =
        sample.values(sample.written("LumiScales").empty() ? "LumiScale" : "LumiScales");
    if (scales.size() == 1) weight += (weight.empty() ? "" : " * ") + formula(scales[0]);
    if (scales.size() > 1)
      left_out_.push_back(sample.place + ": LumiScales of each file of " + sample.name +
                          ": make a sample of each, with a \"sample_weight\" of its own");
    if (!weight.empty()) json["weights"]["sample_weight"] = weight;
    add_ignored_weights(json, sample);
  }

  void add_ignored_selections(OrderedJson& json, const FitBlock& sample) {
    const std::string ignored = sample.value("IgnoreSelection");
    if (ignored.empty() || ignored == "FALSE") return;
    const auto rest = [&](const std::string& selection) {
      return ignored == "TRUE" ? "true" : cut(with_replaced(selection, ignored, "1"));
    };
    if (!is_one(job_.value("Selection"))) json["define"]["job_selection"] = rest(job_.value("Selection"));
    for (const FitBlock& region : blocks_)
      if (region.kind == "Region" && !is_one(region.value("Selection")))
        json["define"]["selection_" + identifier(region)] = rest(region.value("Selection"));
    ignores_selections_ = true;
  }

  void add_ignored_weights(OrderedJson& json, const FitBlock& sample) {
    const std::string ignored = sample.value("IgnoreWeight");
    const bool is_normalised = upper_case(sample.value("NormalizedByTheory")) != "FALSE";
    const bool ignores = !ignored.empty() && ignored != "FALSE";
    const auto rest = [&](const std::string& weight) {
      return ignored == "TRUE" ? "1." : formula(with_replaced(weight, ignored, "1"));
    };
    if (weights_.contains("job_weight") && (ignores || !is_normalised))
      json["weights"]["job_weight"] = is_normalised ? rest(job_.value("MCweight")) : "1.";
    if (weights_.contains("luminosity_factor") && !is_normalised) json["weights"]["luminosity_factor"] = "1.";
    for (const FitBlock& region : blocks_)
      if (region.kind == "Region" && ignores && !is_one(region.value("MCweight")))
        json["define"][region_weight(region)] = rest(region.value("MCweight"));
  }

  std::string region_weight(const FitBlock& region) { return "weight_" + identifier(region); }

  // Which simulated samples a systematic is of.
  std::vector<FitBlock> samples_of(const FitBlock& systematic) const {
    const std::vector<std::string> named = systematic.values("Samples"),
                                   excluded = systematic.values("Exclude");
    const auto has = [](const std::vector<std::string>& names, const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    std::vector<FitBlock> samples;
    for (const FitBlock& sample : sample_blocks()) {
      const bool is_meant = named.empty() || has(named, "all") || has(named, sample.name);
      if (is_meant && !has(excluded, sample.name) && !is_data(sample)) samples.push_back(sample);
    }
    return samples;
  }

  void add_systematic(const FitBlock& systematic) {
    const auto leave_out = [&](const std::string& why) {
      left_out_.push_back(systematic.place + ": the systematic " + systematic.name + ": " + why);
    };
    const std::string type = upper_case(systematic.value("Type"));
    if (type == "OVERALL" || type == "STAT") return leave_out(type + " is for the fit");
    for (const char* key : {"ReferenceSample", "IgnoreWeight"})
      if (!systematic.written(key).empty()) return leave_out(std::string(key) + " has no counterpart");
    if (samples_of(systematic).empty()) return leave_out("none of the samples has it");
    if (!systematic.written("Regions").empty())
      left_out_.push_back(systematic.place + ": Regions of the systematic " + systematic.name +
                          ": its histograms are filled in all regions");
    bool is_used = false;
    for (const char* direction : {kUp, kDown}) {
      if (has_files(systematic, direction))
        add_varied_samples(systematic, direction);
      else if (!add_varied_weight(systematic, direction))
        continue;
      is_used = true;
    }
    if (!is_used) leave_out("it has neither weights nor n-tuples");
  }

  static std::string suffix(const std::string& direction) { return direction == kUp ? "Up" : "Down"; }

  static bool has_files(const FitBlock& systematic, const std::string& direction) {
    return std::any_of(systematic.settings.begin(), systematic.settings.end(), [&](const auto& setting) {
      return setting.name.starts_with("Ntuple") && setting.name.ends_with(suffix(direction));
    });
  }

  // The weight of a sample as a systematic has it; `nominal` is its own.
  std::string varied_weight(const FitBlock& systematic, const std::string& direction,
                            const std::string& nominal) {
    const std::string whole = systematic.value("Weight" + suffix(direction));
    const std::string factor = systematic.value("WeightSuf" + suffix(direction));
    if (!whole.empty()) return formula(whole);
    if (factor.empty()) return {};
    return (nominal.empty() ? "" : nominal + " * ") + "(" + formula(factor) + ")";
  }

  bool add_varied_weight(const FitBlock& systematic, const std::string& direction) {
    const std::string weight = varied_weight(systematic, direction, "sample_weight");
    if (weight.empty()) return false;
    OrderedJson& variation = variations_[identifier(systematic)];
    variation["weights"]["sample_weight"][direction] = weight;
    OrderedJson names = OrderedJson::array();
    for (const FitBlock& sample : samples_of(systematic)) names.push_back(object_name(sample));
    variation["samples"] = std::move(names);
    return true;
  }

  // Other files are samples that are variations.
  void add_varied_samples(const FitBlock& systematic, const std::string& direction) {
    for (const FitBlock& sample : samples_of(systematic)) {
      const std::string name = object_name(sample), key = identifier(systematic);
      OrderedJson& json = samples_[name + "__" + key + "_" + direction];
      json["files"] = files_of(paths_of(sample, &systematic, direction));
      json["metadata"] = {{"process", name},
                          {"variation", key + "_" + direction},
                          {"systematic", key},
                          {"direction", direction}};
      complete(json, sample, sample.value("MCweight"));
      const bool has_own = json.contains("weights") && json["weights"].contains("sample_weight");
      const std::string nominal = has_own ? json["weights"]["sample_weight"].get<std::string>() : "";
      if (const std::string weight = varied_weight(systematic, direction, nominal); !weight.empty())
        json["weights"]["sample_weight"] = weight;
    }
  }

  // "x",20,0,100
  void add_region(const FitBlock& region) {
    const std::vector<std::string> variable = region.values("Variable");
    const auto number = [&](std::size_t index) {
      const std::optional<double> found =
          index < variable.size() ? only_number(variable[index]) : std::optional<double>();
      if (!found)
        throw ConfigError(region.place + ": Variable of the region " + region.name +
                          " must be \"expression\",bins,low,high");
      return *found;
    };
    OrderedJson axis{{"value", formula(variable.empty() ? "" : variable[0])}};
    const double bins = number(1), low = number(2), high = number(3);
    const std::vector<double> edges = edges_of(region);
    if (!edges.empty()) {
      axis["edges"] = edges;
    } else {
      axis["bins"] = static_cast<std::int64_t>(std::clamp(bins, 0., 1e9)) / rebinned(region, bins);
      axis["range"] = {low, high};
    }
    if (!region.value("VariableTitle").empty()) axis["label"] = plain_text(region.value("VariableTitle"));
    const std::string name = object_name(region);
    OrderedJson& json = histograms_[name];
    json["x"] = std::move(axis);
    json["regions"] = {name};
    if (!is_one(region.value("MCweight"))) {
      define_[region_weight(region)] = formula(region.value("MCweight"));
      for (const FitBlock& sample : sample_blocks())
        if (is_data(sample)) samples_[object_name(sample)]["define"][region_weight(region)] = "1.";
      json["weight"] = "weight_ * " + region_weight(region);
    }
    regions_[name]["where"] = selection(region.value("Selection"), "selection_" + identifier(region));
  }

  std::int64_t rebinned(const FitBlock& region, double bins) {
    const std::optional<double> group = only_number(region.value("Rebin"));
    if (!group || *group < 1) return 1;
    const auto num_bins = static_cast<std::int64_t>(std::clamp(bins, 0., 1e9));
    const auto size = static_cast<std::int64_t>(std::min(*group, 1e9));
    if (num_bins % size == 0) return size;
    left_out_.push_back(region.place + ": Rebin of the region " + region.name +
                        ": it does not divide the bins");
    return 1;
  }

  std::vector<double> edges_of(const FitBlock& region) {
    std::vector<double> edges;
    for (const std::string& text : region.values("Binning")) {
      const std::optional<double> edge = only_number(text);
      if (!edge) {
        left_out_.push_back(region.place + ": Binning of the region " + region.name +
                            ", which TRExFitter chooses from the histograms");
        return {};
      }
      edges.push_back(*edge);
    }
    return edges;
  }

  // A cut, which has a name if samples ignore it.
  std::string selection(const std::string& text, const std::string& name) {
    if (is_one(text)) return "true";
    if (!ignores_selections_) return cut(text);
    define_[name] = cut(text);
    return name;
  }

  // Settings of which nothing was said yet, by kind of block.
  void list_others() {
    std::map<std::string, std::set<std::string>> others;
    for (const FitBlock& block : blocks_) {
      const auto carried = kCarried.find(block.kind);
      if (carried == kCarried.end()) others[block.kind];
      for (const FitBlock::Setting& setting : block.settings)
        if (carried != kCarried.end() && !carried->second.contains(setting.name) &&
            !is_told(block.kind, setting.name))
          others[block.kind].insert(setting.name);
    }
    for (const auto& [kind, settings] : others) {
      std::string names;
      for (const std::string& name : settings) names += (names.empty() ? ": " : ", ") + name;
      left_out_.push_back(kind + names + ": of the fit and its drawings, which read the histograms");
    }
  }

  static bool is_told(const std::string& kind, const std::string& setting) {
    return (kind == "Systematic" && setting == "Type") ||
           ((kind == "Sample" || kind == "Systematic") && (setting == "Regions" || setting == "Exclude"));
  }

  OrderedJson whole() {
    OrderedJson config = begun_config();
    OrderedJson select = OrderedJson::array();
    if (const std::string job = selection(job_.value("Selection"), "job_selection"); job != "true")
      select.push_back({{"name", "job"}, {"where", job}});
    if (define_.contains("sample_selection"))
      select.push_back({{"name", "sample"}, {"where", "sample_selection"}});
    config["samples"] = samples_;
    if (!define_.empty()) config["define"] = define_;
    config["weights"] = weights_;
    if (!variations_.empty()) config["variations"] = variations_;
    if (!select.empty()) config["select"] = select;
    config["regions"] = regions_;
    config["histograms"] = histograms_;
    config["output"]["histograms"] = {
        {"file", plain_text(config_path_.stem().string() + "_histograms.root")},
        {"name", {{"nominal", "{region}_{process}"}, {"varied", "{region}_{process}_{variation}"}}}};
    add_quotient(config);
    return config;
  }

  std::vector<FitBlock> blocks_;
  std::filesystem::path config_path_;
  FitBlock job_;
  InputColumns columns_;
  bool ignores_selections_ = false;
  std::set<std::string> cuts_of_lists_;
  OrderedJson samples_ = OrderedJson::object(), define_ = OrderedJson::object(),
              weights_ = OrderedJson::object(), variations_ = OrderedJson::object(),
              regions_ = OrderedJson::object(), histograms_ = OrderedJson::object();
  std::map<std::pair<std::string, std::string>, std::string> names_;  // by use and name here
  std::vector<std::string> left_out_;
};

}  // namespace

TranslatedConfig config_of_fit(std::vector<FitBlock> blocks, const std::string& origin,
                               const std::filesystem::path& config_path) {
  return FitTranslation(std::move(blocks), config_path).config(origin);
}

}  // namespace skimline::skims
