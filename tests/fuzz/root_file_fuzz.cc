// SPDX-License-Identifier: BSD-3-Clause
// A whole file as a ROOT container: header, directories, key lists and the objects they name; chains and
// lists of entries are read.
#include "fuzz_target.h"
#include "memory_file.h"

#include "skimline/io/entry_list.h"
#include "skimline/io/file_chain.h"
#include "skimline/io/rntuple_metadata.h"
#include "skimline/io/root_file.h"

using namespace skimline;
using namespace skimline::testing;

namespace {

// The list of objects is in proportion to the file.
void check_size(const io::RootFile& file, std::size_t size) {
  constexpr std::size_t kSmallestKey = 26, kMaxRepetition = 50;
  std::size_t text = 0;
  for (const io::RootKey& key : file.keys()) text += key.path.size();
  require(file.keys().size() <= size / kSmallestKey, "more keys than fit into the file");
  require(text <= size * kMaxRepetition, "longer paths than the file can justify");
}

void read_lists(const io::RootFile& file) {
  constexpr std::size_t kSmallestElement = 20, kSmallestBlock = 15;
  for (const std::string& name : io::chain_names(file))
    is_accepted([&] {
      const io::FileChain chain = io::read_chain(file, name);
      std::size_t text = 0;
      for (const io::ChainedFile& each : chain.files) text += each.location.path.size() + 1;
      const std::size_t size = file.find(name)->object_size;
      require(chain.files.size() <= size / kSmallestElement, "more files than fit into the chain");
      require(text <= size, "longer names than the chain has");
    });
  for (const std::string& name : io::entry_list_names(file))
    is_accepted([&] {
      const std::size_t size = file.find(name)->object_size;
      for (const io::EntriesOfTree& tree : io::read_entry_list(file, name).trees) {
        const io::EntryNumbers& entries = tree.entries;
        require(entries.content().size() <= 4 * size + 100, "more numbers than the list has");
        require(entries.count() / io::EntryNumbers::kBlockEntries <= size / kSmallestBlock,
                "more entries than blocks fit into the list");
        require((entries.count() > 0) == entries.last().has_value(), "a last entry of none");
        require(!entries.last() || entries.contains(*entries.last()), "a last entry that is none");
        require(!entries.last() || !entries.contains(*entries.last() + 1), "an entry behind the last");
      }
    });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile memory(input_bytes(data, size));
  is_accepted([&] {
    const io::RootFile file(memory.path());
    check_size(file, size);
    for (const io::RootKey& key : file.keys()) {
      require(file.find(key.path) != nullptr, "a listed key is not found");
      is_accepted([&] {
        require(file.read_object(key).size() == key.object_size, "an object has another size than its key");
      });
    }
    io::ntuple_names(file);
    read_lists(file);
  });
  return 0;
}
