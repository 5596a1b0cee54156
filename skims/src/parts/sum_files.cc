// SPDX-License-Identifier: BSD-3-Clause
#include "parts/sum_files.h"

#include "skimline/framework/error.h"
#include "skimline/io/input_file.h"

#include <filesystem>
#include <map>
#include <span>
#include <system_error>
#include <utility>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSumSuffix = ".block";
constexpr std::size_t kMaxBlockBytes = std::size_t{4} << 30;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code problem;
  for (fs::directory_iterator file(folder, problem), end; !problem && file != end; file.increment(problem))
    if (file->path().extension() == kSumSuffix) paths.push_back(file->path());
  return paths;
}

std::string bytes_of_block(const std::string& path) {
  const io::InputFile file(path);
  if (file.size() > kMaxBlockBytes) throw Error("a block is too large");
  std::string bytes(file.size(), '\0');
  file.read(0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

// Throws Error if the blocks are not all of one sum.
SumBlocks joined(std::map<std::uint32_t, std::string>&& blocks, const std::string& digest) {
  SumBlocks sum;
  for (auto& [number, bytes] : blocks) {
    const BlockFacts facts = facts_of_block(bytes);
    if (sum.blocks.empty()) sum.parts = facts.parts;
    if (facts.digest != digest || facts.place.count != blocks.size() || facts.parts != sum.parts)
      throw Error("a block is missing, or of another sum");
    sum.blocks.push_back(std::move(bytes));
  }
  return sum;
}

}  // namespace

SumBlocks find_sum(const std::string& store, const std::string& digest) try {
  std::map<std::uint32_t, std::string> blocks;
  for (const fs::path& path : files_in(fs::path(store) / kSumFolder / digest)) {
    std::string bytes = bytes_of_block(path.string());
    const std::uint32_t number = facts_of_block(bytes).place.number;
    blocks.emplace(number, std::move(bytes));
  }
  return joined(std::move(blocks), digest);
} catch (const Error&) {
  return {};  // the parts are computed once more
}

std::vector<std::vector<std::string>> find_blocks(const std::string& store, const std::string& digest) {
  std::map<PartRanges, std::vector<std::string>> by_parts;
  for (const fs::path& path : files_in(fs::path(store) / kSumFolder / digest)) {
    try {
      std::string bytes = bytes_of_block(path.string());
      const BlockFacts facts = facts_of_block(bytes);
      if (facts.digest == digest) by_parts[facts.parts].push_back(std::move(bytes));
    } catch (const Error&) {
      continue;
    }
  }
  std::vector<std::vector<std::string>> groups;
  for (auto& [parts, blocks] : by_parts) groups.push_back(std::move(blocks));
  return groups;
}

void remove_sum(const std::string& store, const std::string& digest) {
  std::error_code ignored;
  const fs::path folder = fs::path(store) / kSumFolder;
  fs::remove_all(folder / digest, ignored);
  fs::remove(folder, ignored);  // if no other is in it
}

}  // namespace skimline::skims
