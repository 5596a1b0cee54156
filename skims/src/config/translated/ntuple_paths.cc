// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/ntuple_paths.h"

#include "skimline/framework/error.h"

#include <algorithm>

namespace skimline::skims {
namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t kMostPaths = 100000;

// Of a setting in singular or plural; of both the plural counts, but paths of the job add up.
Texts values(const FitBlock& block, const std::string& setting, const std::string& ending = "") {
  Texts one = block.values(setting + ending), several = block.values(setting + "s" + ending);
  if (several.empty()) return one;
  if (block.kind == "Job" && setting == "NtuplePath") several.insert(several.begin(), one.begin(), one.end());
  return several;
}

Texts combined(const Texts& first, const Texts& second, const std::string& between = "") {
  if (first.size() > kMostPaths / std::max<std::size_t>(second.size(), 1))
    throw ConfigError("more than " + std::to_string(kMostPaths) +
                      " combinations of paths, files and suffixes");
  Texts both;
  for (const std::string& a : first)
    for (const std::string& b : second) both.push_back(a + between + b);
  return both;
}

// One part of the paths, "NtuplePath", "NtupleFile" or "NtupleName", with its suffixes.
class PathPart {
 public:
  PathPart(const FitBlock& job, const FitBlock& sample, const FitBlock* systematic,
           const std::string& direction)
      : job_(job), sample_(sample), systematic_(systematic), ending_(direction == "up" ? "Up" : "Down") {}

  Texts all(const std::string& setting) const {
    Texts texts = systematic_ ? values(*systematic_, setting, ending_) : Texts{};
    if (texts.empty()) texts = values(sample_, setting);
    if (texts.empty()) texts = values(job_, setting);
    if (texts.empty()) texts.emplace_back();
    if (const Texts suffixes = values(sample_, setting + "Suff"); !suffixes.empty())
      texts = combined(texts, suffixes);
    const Texts varied = systematic_ ? systematic_->values(setting + "Suf" + ending_) : Texts{};
    return varied.empty() ? texts : combined(texts, varied);
  }

 private:
  const FitBlock& job_;
  const FitBlock& sample_;
  const FitBlock* systematic_;
  std::string ending_;
};

}  // namespace

std::vector<NtuplePath> ntuple_paths(const FitBlock& job, const FitBlock& sample, const FitBlock* systematic,
                                     const std::string& direction) {
  const PathPart part(job, sample, systematic, direction);
  Texts files;
  for (const std::string& file : combined(part.all("NtuplePath"), part.all("NtupleFile"), "/"))
    files.push_back(
        (file.starts_with("/") && part.all("NtuplePath").front().empty() ? file.substr(1) : file) + ".root");
  std::vector<NtuplePath> paths;
  for (const std::string& tree : part.all("NtupleName"))
    for (const std::string& file : files) paths.push_back({file, tree});
  return paths;
}

}  // namespace skimline::skims
