// SPDX-License-Identifier: BSD-3-Clause
// The text of a record; whatever is accepted is written, read again, merged and shown.
#include "fuzz_target.h"
#include "record_text.h"

#include "skimline/skims/run_record.h"

#include <string>
#include <string_view>

using namespace skimline;
using namespace skimline::testing;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  is_accepted([&] {
    skims::RunRecord record = skims::parse_record(text);
    skims::make_canonical(record);
    const std::string canonical = skims::record_text(record);
    require(skims::record_text(skims::parse_record(canonical)) == canonical,
            "a record is not what it was when it is read again");
    const io::TextsOfInputs one{
        .path = "record", .texts = {{"a", std::string(text)}}, .num_files_without = 0};
    const std::string merged = skims::merged_record_text(one);
    const io::TextsOfInputs again{.path = "record", .texts = {{"a", merged}}, .num_files_without = 0};
    require(skims::merged_record_text(again) == merged,
            "a merged record is not what it was when it is merged");
    skims::to_text(record);
    skims::to_json(record);
  });
  return 0;
}
