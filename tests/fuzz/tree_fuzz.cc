// SPDX-License-Identifier: BSD-3-Clause
// The metadata of a TTree, and the StreamerInfo that says how they are laid out. The tree is merged with
// itself.
//
// Input: u16 size of the tree's key, u32 size of the StreamerInfo, the StreamerInfo, the tree, both
// uncompressed.
#include "bytes_builder.h"
#include "fuzz_target.h"
#include "memory_file.h"
#include "tree_promises.h"
#include "wrapped_tree.h"

#include "skimline/io/file_merge.h"
#include "skimline/io/tree_metadata.h"

#include <algorithm>

using namespace skimline;
using namespace skimline::testing;

namespace {

WrappedTree split(ByteSpan input) {
  InputReader reader(input);
  WrappedTree tree;
  tree.key_size = std::clamp(reader.number<std::uint16_t>(), kSmallestTreeKeySize, kLargestTreeKeySize);
  const auto info_size = reader.number<std::uint32_t>();
  tree.streamer_info = reader.take(info_size);
  tree.object = reader.rest();
  return tree;
}

Bytes joined(const WrappedTree& tree) {
  return BytesBuilder()
      .little(tree.key_size)
      .little(static_cast<std::uint32_t>(tree.streamer_info.size()))
      .raw(tree.streamer_info)
      .raw(tree.object)
      .bytes();
}

// What is kept is in proportion to the file.
void check_size(const io::TreeDescriptor& tree, std::size_t size) {
  constexpr std::size_t kSmallestBranch = 20, kSmallestBasket = 20, kMaxRepetition = 100;
  std::size_t text = 0, num_baskets = 0;
  for (const io::TreeBranch& branch : tree.branches)
    text += branch.path.size() + branch.problem.size() + branch.class_name.size();
  for (const io::BranchData& branch : tree.branch_data) num_baskets += branch.baskets.size();
  require(tree.branches.size() + tree.leaves.size() <= size / kSmallestBranch, "more branches than fit in");
  require(num_baskets <= size / kSmallestBasket, "more baskets than fit in");
  require(text <= size * kMaxRepetition, "longer texts than the file can justify");
}

void merge(const std::string& first, const std::string& second) {
  io::MergeOptions options;
  options.inputs = {first, second};
  options.output = "/dev/null";
  options.allows_copies = true;
  options.compression = io::parse_compression("none");
  io::merge_files(options);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes content = wrap(split(input_bytes(data, size)));
  const MemoryFile memory(content);
  is_accepted([&] {
    const io::RootFile file(memory.path());
    const io::TreeDescriptor tree = io::read_tree(file, "t");
    const std::string broken = TreePromises(tree, content.size()).broken();
    require(broken.empty(), broken.c_str());
    check_size(tree, content.size());
  });
  const MemoryFile same(content);
  is_accepted([&] { merge(memory.path(), same.path()); });
  return 0;
}

// Changes the tree or, less often, the StreamerInfo, and keeps the other in its place.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  WrappedTree tree = split(input_bytes(data, size));
  ByteSpan& part = seed % 4 == 0 ? tree.streamer_info : tree.object;
  const std::size_t others = joined(tree).size() - part.size();
  if (others >= max_size) return LLVMFuzzerMutate(data, size, max_size);
  Bytes changed(part.begin(), part.end());
  changed.resize(max_size - others);
  changed.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(changed.data()),
                                  std::min(part.size(), changed.size()), changed.size()));
  part = changed;
  const Bytes result = joined(tree);
  std::copy(result.begin(), result.end(), reinterpret_cast<std::byte*>(data));
  return result.size();
}
