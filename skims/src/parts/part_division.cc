// SPDX-License-Identifier: BSD-3-Clause
#include "parts/part_division.h"

#include <optional>

namespace skimline::skims {
namespace {

double bytes_per_entry(const io::InputFacts& file) {
  return static_cast<double>(file.file_bytes) / static_cast<double>(file.num_entries);
}

// Goes through the slices in order, file by file.
class Division {
 public:
  explicit Division(const io::InputSource& source) : source_(source) {}

  std::vector<Part> parts() && {
    for (std::size_t slice = 0; slice < source_.slices().size(); ++slice) add(slice);
    return std::move(parts_);
  }

 private:
  void add(std::size_t slice) {
    const EntryRange entries = source_.slices()[slice];
    const bool is_new_file = enter_file_of(entries.first);
    const std::size_t cluster = source_.cluster_of(slice);
    const bool is_full = cluster != cluster_ && !parts_.empty() && parts_.back().bytes >= kPartBytes;
    cluster_ = cluster;
    if (parts_.empty() || is_new_file || is_full)
      parts_.push_back({file_, first_of_file_, {entries.first, 0}, 0});
    Part& part = parts_.back();
    part.entries.count += entries.count;
    part.bytes = bytes_per_entry(source_.files()[file_]) * static_cast<double>(part.entries.count);
  }

  bool enter_file_of(std::uint64_t entry) {
    const std::size_t before = file_;
    while (entry >= first_of_file_ + source_.files()[file_].num_entries)
      first_of_file_ += source_.files()[file_++].num_entries;
    return file_ != before;
  }

  const io::InputSource& source_;
  std::vector<Part> parts_;
  std::size_t file_ = 0;
  std::uint64_t first_of_file_ = 0;
  std::optional<std::size_t> cluster_;
};

}  // namespace

std::vector<Part> parts_of(const io::InputSource& source) { return Division(source).parts(); }

}  // namespace skimline::skims
