// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/tree_verification.h"

#include "root/checksum_file.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/tree_source.h"

#include <set>

#include <oneapi/tbb/parallel_for.h>

namespace skimline::io {
namespace {

// Baskets that several slices need are named by each of them, in the same words.
struct ColumnFaults {
  std::set<std::string> faults;
  bool is_unreadable = false;
};

ColumnFaults faults_of(TreeSource& source, std::size_t column, StopFlag stop) {
  ColumnFaults found;
  const std::size_t columns[] = {column};
  ColumnBuffer scratch;
  for (std::size_t slice = 0; slice < source.slices().size(); ++slice) {
    stop.throw_if_set();
    const std::unique_ptr<SliceReader> reader = source.open_slice(slice);
    try {
      reader->load(columns);
      reader->view(column, {0, source.slices()[slice].count}, scratch);
    } catch (const FileError& error) {
      // What cannot be read is no news about what is stored.
      if (error.fault() != FileFault::kDamaged) throw;
      found.faults.insert(error.what());
    } catch (const SchemaError&) {
      found.is_unreadable = true;  // a limit of the reader
    }
  }
  return found;
}

}  // namespace

EventsVerification verify_tree(const RootFile& file, const std::string& name, StopFlag stop,
                               const std::string& checksum_folder) {
  EventsVerification result;
  InputOptions options;
  options.checksum_folder = checksum_folder;
  TreeSource source({file.path(), name}, options);
  if (source.files().front().has_checksum_file)
    result.checksum_file = ChecksumFile::path_for(file.path(), checksum_folder);
  result.num_unread = source.unsupported_fields().size();
  std::set<std::uint32_t> branches;
  for (std::size_t column = 0; column < source.schema().size(); ++column) {
    if (!branches.insert(source.branch_of(column)).second) continue;
    for (const TreeBasket& basket : source.descriptor().branch_data[source.branch_of(column)].baskets) {
      ++result.num_parts;
      result.num_bytes += basket.size;
    }
  }
  // One column after the other keeps few baskets in memory.
  std::vector<ColumnFaults> faults(source.schema().size());
  oneapi::tbb::parallel_for(std::size_t{0}, faults.size(),
                            [&](std::size_t column) { faults[column] = faults_of(source, column, stop); });
  result.num_unverified = source.num_unverified_baskets();
  result.bytes_unverified = source.statistics().bytes_unverified;
  std::set<std::string> known;
  for (const ColumnFaults& of_column : faults) {
    if (of_column.is_unreadable) ++result.num_unread;
    for (const std::string& fault : of_column.faults)
      if (known.insert(fault).second) result.faults.push_back({.problem = fault, .column = {}});
  }
  return result;
}

}  // namespace skimline::io
