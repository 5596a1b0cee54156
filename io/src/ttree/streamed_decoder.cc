// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/streamed_decoder.h"

#include "ttree/class_trial.h"
#include "ttree/column_output.h"
#include "ttree/entry_bytes.h"
#include "ttree/streamed_walk.h"

#include "skimline/io/format_error.h"

#include <string>
#include <utility>

namespace skimline::io {
namespace {

class StreamedDecoder final : public BasketDecoder {
 public:
  StreamedDecoder(std::shared_ptr<const StreamedValue> value, const StreamedPart& part)
      : value_(std::move(value)), path_(part.path), type_(part.type) {}

  DecodedBasket decode(const BasketEntries& entries, BufferPool& pool) const override {
    const EntryBytes ranges(entries);
    ColumnOutput output(type_, entries, pool);
    EntryWalk walk(path_, output);
    for (std::size_t i = 0; i < entries.num_entries; ++i) {
      const auto entry = entries.data.subspan(ranges.begin(i), ranges.end(i) - ranges.begin(i));
      try {
        // One that is not laid out as its class says shows it at once.
        if (i == 0) EntryCursor().examine(*value_, entry);
        walk.read(*value_, entry);
      } catch (const FormatError& error) {
        fail(entries, i, error);
      }
      output.end_entry();
    }
    return std::move(output).finish();
  }

 private:
  // Where most entries are not what the file describes, it is the reader that does not know their layout.
  [[noreturn]] void fail(const BasketEntries& entries, std::size_t entry, const FormatError& error) const {
    const std::string problem = "entry " + std::to_string(entry) + " of the basket: " + error.what();
    if (dynamic_cast<const UnreadableLayout*>(&error) != nullptr) throw UnreadableLayout(problem);
    if (is_doubtful(*value_) && examine_entries(*value_, entries).is_other()) throw DoubtfulLayout(problem);
    throw FormatError(problem);
  }

  std::shared_ptr<const StreamedValue> value_;
  std::vector<std::uint32_t> path_;
  Type type_;
};

}  // namespace

std::shared_ptr<const BasketDecoder> streamed_decoder(std::shared_ptr<const StreamedValue> value,
                                                      const StreamedPart& part) {
  return std::make_shared<StreamedDecoder>(std::move(value), part);
}

}  // namespace skimline::io
