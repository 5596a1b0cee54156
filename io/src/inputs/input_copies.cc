// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/input_copies.h"

#include "storage/file_hash.h"
#include "storage/xxh3.h"

#include "skimline/io/identities.h"
#include "skimline/io/input_file.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

namespace skimline::io {
namespace {

constexpr std::uint64_t kBlock = 4096;
constexpr std::uint64_t kNumSamples = 64;

// What is known of an input without reading it again.
using Outline = std::tuple<std::string, std::string, std::uint64_t, std::uint64_t, std::uint64_t>;

Outline outline_of(const InputFacts& facts) {
  return {is_distinctive(facts.uuid) ? facts.uuid : std::string(), std::string(without_cycle(facts.name)),
          facts.num_entries, facts.data_begin, facts.data_end};
}

class DataHash {
 public:
  explicit DataHash(const InputFacts& facts)
      : file_(facts.path), begin_(facts.data_begin), end_(facts.data_end) {
    if (begin_ >= end_) end_ = file_.size();
  }

  std::uint64_t of_all() const { return hash_of_bytes(file_, begin_, end_); }

  std::uint64_t of_samples() {
    if (end_ - begin_ <= kBlock * kNumSamples) return of_all();
    const std::uint64_t step = (end_ - begin_ - kBlock) / (kNumSamples - 1);
    for (std::uint64_t sample = 0; sample < kNumSamples; ++sample) add(begin_ + sample * step, kBlock);
    return hash_;
  }

 private:
  void add(std::uint64_t at, std::uint64_t size) {
    bytes_.resize(static_cast<std::size_t>(std::min(size, end_ - at)));
    file_.read(at, bytes_);
    hash_ = xxh3_64(bytes_, hash_);
  }

  InputFile file_;
  std::uint64_t begin_, end_;
  std::vector<std::byte> bytes_;
  std::uint64_t hash_ = 0;
};

// Numbers of inputs by what they have in common, in order.
template <typename Key>
using Groups = std::map<Key, std::vector<std::size_t>>;

// Splits those that may be copies of each other by their data.
void compare(std::span<const InputFacts> inputs, const std::vector<std::size_t>& alike,
             std::vector<std::size_t>& first_of) {
  Groups<std::uint64_t> by_samples;
  for (const std::size_t input : alike) by_samples[DataHash(inputs[input]).of_samples()].push_back(input);
  for (const auto& [sample, similar] : by_samples) {
    if (similar.size() == 1) continue;
    Groups<std::uint64_t> equal;
    for (const std::size_t input : similar)
      equal[is_distinctive(inputs[input].uuid) ? 0 : DataHash(inputs[input]).of_all()].push_back(input);
    for (const auto& [hash, copies] : equal)
      for (const std::size_t input : copies) first_of[input] = copies.front();
  }
}

}  // namespace

std::vector<std::size_t> find_copies(std::span<const InputFacts> inputs) {
  std::vector<std::size_t> first_of(inputs.size());
  std::iota(first_of.begin(), first_of.end(), std::size_t{0});
  Groups<Outline> groups;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].num_entries > 0) groups[outline_of(inputs[i])].push_back(i);
  for (const auto& [outline, alike] : groups)
    if (alike.size() > 1) compare(inputs, alike, first_of);
  return first_of;
}

}  // namespace skimline::io
