// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/frame_skim.h"

#include "base/text_table.h"
#include "config/read/config_variables.h"
#include "config/translated/frame_names.h"
#include "config/translated/text_replacing.h"

#include "skimline/framework/column_name.h"
#include "skimline/framework/error.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>
#include <utility>

#include <re2/re2.h>

namespace skimline::skims {
namespace {

using Texts = std::vector<std::string>;

using frame_names::kNominal, frame_names::kWeight;

// That a skim can tell apart.
constexpr std::size_t kMostVariations = 63;

// One regular expression for branches.
struct Branches {
  std::string text;
  std::unique_ptr<re2::RE2> expression;

  bool have(const std::string& name) const { return re2::RE2::FullMatch(name, *expression); }

  // The pattern that says the same, unless there is none.
  std::optional<std::string> pattern() const {
    std::string pattern;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text.compare(i, 2, ".*") == 0) {
        pattern += '*';
        ++i;
      } else if (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_') {
        pattern += text[i];
      } else {
        return std::nullopt;
      }
    }
    return pattern;
  }
};

std::vector<Branches> branches_of(const Texts& texts, const std::string& key) {
  std::vector<Branches> all;
  for (const std::string& text : texts) {
    all.push_back({text, std::make_unique<re2::RE2>(text, re2::RE2::Quiet)});
    if (!all.back().expression->ok())
      throw ConfigError("\"ntuples\": " + in_quotes(key) + ": no regular expression: " + in_quotes(text));
  }
  return all;
}

bool have(const std::vector<Branches>& all, const std::string& name) {
  return std::any_of(all.begin(), all.end(), [&](const Branches& each) { return each.have(name); });
}

class SkimColumns {
 public:
  SkimColumns(const FrameNtuples& ntuples, const FrameSkimColumns& columns, FrameLeftovers& left_out)
      : columns_(columns),
        left_out_(left_out),
        kept_(branches_of(ntuples.branches.empty() ? Texts{".*"} : ntuples.branches, "branches")),
        dropped_(branches_of(ntuples.exclude_branches, "exclude_branches")) {}

  void add_to(OrderedJson& skim) {
    Texts keep = patterns(kept_), drop = patterns(dropped_);
    for (const std::string& name : columns_.own)
      if (have(kept_, name) && !have(dropped_, name)) drop.push_back(name);
    if (keep.empty()) throw ConfigError("\"ntuples\": no column of the inputs is one of \"branches\"");
    skim["keep"] = keep;
    if (!drop.empty()) skim["drop"] = drop;
    if (is_kept(kWeight)) skim["columns"][kWeight] = "weight_";
  }

  // FastFrames computes columns for each systematic, too.
  void note_varied(const FrameConfig& config, const FrameVariations& variations) {
    for (const FrameDefinition& each : columns_.custom)
      note_varied(each.name, variations.that_change(all_names(each.name, columns_.custom)));
    std::string weights = config.defaults.event_weights.value_or("");
    for (const FrameSample& sample : config.samples)
      weights += " " + sample.event_weights.value_or("") + " " + sample.weight_suffix.value_or("");
    note_varied(kWeight, variations.that_weigh(all_names(weights, columns_.custom)));
  }

 private:
  bool is_kept(const std::string& name) const { return have(kept_, name) && !have(dropped_, name); }

  void note_varied(const std::string& name, const Texts& systematics) {
    for (const std::string& systematic : systematics)
      if (const std::string varied = with_replaced(name, kNominal, systematic); is_kept(varied))
        left_out_.add("\"ntuples\": columns that are computed for systematics:", varied,
                      "a skim has their nominal values, and the columns of the inputs to compute them");
  }

  bool is_known(const Branches& branches) const {
    const auto fits = [&](const std::string& name) { return branches.have(name); };
    return std::any_of(columns_.inputs.begin(), columns_.inputs.end(), fits) ||
           std::any_of(columns_.custom.begin(), columns_.custom.end(),
                       [&](const FrameDefinition& each) { return fits(each.name); });
  }

  // A pattern for each expression that is one and matches anything, else the names that it matches.
  Texts patterns(const std::vector<Branches>& all) {
    Texts patterns;
    for (const Branches& each : all) {
      const std::optional<std::string> pattern = each.pattern();
      if (pattern && (columns_.inputs.empty() || is_known(each)))
        patterns.push_back(*pattern);
      else if (columns_.inputs.empty())
        left_out_.add("the branches", each.text, "the first input cannot be read to look them up");
      else
        add_names(each, patterns);
    }
    return patterns;
  }

  void add_names(const Branches& branches, Texts& patterns) {
    if (!is_known(branches) && !branches.have(kWeight))
      left_out_.add("the branches", branches.text, "the first input has no such column");
    for (const std::string& name : columns_.inputs)
      if (branches.have(name)) patterns.push_back(in_expression(name));
    for (const std::string& name : columns_.others)
      if (branches.have(name) && !columns_.inputs.contains(name))
        left_out_.add(
            "\"ntuples\": columns that the first input lacks:", name,
            "they are one of " + in_quotes(branches.text) +
                ", whose names are looked up in that input; make a skim of the samples that have them");
    for (const FrameDefinition& each : columns_.custom)
      if (branches.have(each.name)) patterns.push_back(each.name);
  }

  const FrameSkimColumns& columns_;
  FrameLeftovers& left_out_;
  std::vector<Branches> kept_, dropped_;
};

}  // namespace

OrderedJson frame_skim(const FrameConfig& config, const FrameSkimColumns& columns,
                       const FrameVariations& variations, FrameLeftovers& left_out) {
  const FrameNtuples& ntuples = *config.ntuples;
  OrderedJson skim{{"format", "ttree"}, {"name", config.defaults.tree}};
  SkimColumns chosen(ntuples, columns, left_out);
  chosen.add_to(skim);
  chosen.note_varied(config, variations);
  skim["compression"] = "zlib:" + std::to_string(std::clamp<std::int64_t>(config.compression_level, 1, 9));
  if (ntuples.selection.empty()) return skim;
  skim["where"] = plain_text(ntuples.selection);
  const Texts changing = variations.that_change(all_names(ntuples.selection, columns.custom));
  if (changing.size() > kMostVariations)
    left_out.add("\"ntuples\": events that only a systematic selects: a skim tells " +
                 std::to_string(kMostVariations) + " variations apart, and " +
                 std::to_string(changing.size()) +
                 " change the selection; choose some as its \"variations\"");
  else if (!changing.empty())
    skim["variations"] = changing;
  return skim;
}

}  // namespace skimline::skims
