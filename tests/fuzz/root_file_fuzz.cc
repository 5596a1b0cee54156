// SPDX-License-Identifier: BSD-3-Clause
// A whole file as a ROOT container: header, directories, key lists and the objects they name.
#include "fuzz_target.h"
#include "memory_file.h"

#include "skimline/io/rntuple_metadata.h"
#include "skimline/io/root_file.h"

using namespace skimline;
using namespace skimline::testing;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile memory(input_bytes(data, size));
  is_accepted([&] {
    const io::RootFile file(memory.path());
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
