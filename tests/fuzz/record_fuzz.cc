// SPDX-License-Identifier: BSD-3-Clause
// The text of a record; whatever is accepted is merged, which reads and writes it, and that again.
#include "fuzz_target.h"

#include "skimline/skims/merged_record.h"
#include "skimline/skims/run_record.h"

#include <string>

using namespace skimline;
using namespace skimline::testing;

namespace {

std::string merged(std::string text) {
  return skims::merged_record_text(
      {.path = skims::kRecordPath, .texts = {{"a.root", std::move(text)}}, .num_files_without = 0});
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  is_accepted([&] {
    const std::string once = merged({reinterpret_cast<const char*>(data), size});
    require(merged(once) == once, "a merged record is not what it was when it is merged again");
  });
  return 0;
}
