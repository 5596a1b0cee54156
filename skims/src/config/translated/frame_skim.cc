// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/frame_skim.h"

#include "base/text_table.h"
#include "config/read/config_variables.h"

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

constexpr const char* kWeight = "weight_total_NOSYS";
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
    if (have(kept_, kWeight) && !have(dropped_, kWeight)) skim["columns"][kWeight] = "weight_";
  }

 private:
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
    for (const FrameDefinition& each : columns_.custom)
      if (branches.have(each.name)) patterns.push_back(each.name);
  }

  const FrameSkimColumns& columns_;
  FrameLeftovers& left_out_;
  std::vector<Branches> kept_, dropped_;
};

// With those of the definitions that they lead to.
std::set<std::string> all_names(const std::string& expression,
                                const std::vector<FrameDefinition>& definitions) {
  std::set<std::string> names = names_in(expression);
  for (auto each = definitions.rbegin(); each != definitions.rend(); ++each)
    if (names.contains(each->name)) names.merge(names_in(each->expression));
  return names;
}

}  // namespace

OrderedJson frame_skim(const FrameConfig& config, const FrameSkimColumns& columns,
                       const FrameVariations& variations, FrameLeftovers& left_out) {
  const FrameNtuples& ntuples = *config.ntuples;
  OrderedJson skim{{"format", "ttree"}, {"name", config.defaults.tree}};
  SkimColumns(ntuples, columns, left_out).add_to(skim);
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
