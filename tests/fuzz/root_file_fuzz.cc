// SPDX-License-Identifier: BSD-3-Clause
// A whole file as a ROOT container: header, directories, key lists and the objects they name.
#include "fuzz_target.h"
#include "memory_file.h"

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
  });
  return 0;
}
