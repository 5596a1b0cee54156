// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/tree_verification.h"

#include "root/checksum_file.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/tree_source.h"

#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include <oneapi/tbb/parallel_for.h>

namespace skimline::io {
namespace {

// Baskets that several slices need are named by each of them, in the same words.
struct ColumnFaults {
  std::set<std::string> faults;
  bool is_unreadable = false;
};

// The columns that say the sizes of lists a second time, by column of lists.
using CountColumns = std::vector<std::optional<std::size_t>>;

// Whether another leaf counts the elements of a branch of numbers. Members of objects may name one of another
// object.
bool is_counted(const TreeDescriptor& tree, std::uint32_t branch) {
  const std::vector<std::uint32_t>& leaves = tree.branches[branch].leaves;
  if (leaves.size() != 1) return false;
  const TreeLeaf& leaf = tree.leaves[leaves.front()];
  return leaf.counter && leaf.class_name != "TLeafElement";
}

CountColumns counts_of_lists(const TreeSource& source) {
  const TreeDescriptor& tree = source.descriptor();
  CountColumns counts(source.schema().size());
  for (const Collection& lists : source.lists_of_equal_sizes())
    if (const auto count = lists.count.empty() ? std::nullopt : source.schema().find(lists.count))
      for (const std::string& name : lists.columns)
        if (const auto column = source.schema().find(name))
          if (is_counted(tree, source.branch_of(*column))) counts[*column] = count;
  return counts;
}

// The first entry whose list has another size than the count says.
class CountCheck {
 public:
  CountCheck(const TreeSource& source, std::size_t column, std::size_t count)
      : source_(source), column_(column), count_(count) {}

  void compare(SliceReader& reader, const EntryRange& entries, const ColumnView& lists) {
    const std::size_t columns[] = {count_};
    reader.load(columns);
    const ColumnView counts = reader.view(count_, {0, entries.count}, scratch_);
    visit_scalar(counts.type.scalar, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<T>)
        for (std::uint64_t i = 0; i < entries.count; ++i)
          compare(entries.first + i, std::int64_t{lists.offsets[i + 1]} - lists.offsets[i],
                  static_cast<std::int64_t>(counts.data<T>()[i]));
    });
  }

  /// Empty if all are equal.
  const std::string& fault() const { return fault_; }

 private:
  void compare(std::uint64_t entry, std::int64_t size, std::int64_t count) {
    if (size == count || !fault_.empty()) return;
    const InputFacts& file = source_.files().front();
    fault_ = file.path + ": TTree \"" + file.name + "\", branch \"" + source_.schema()[column_].name +
             "\" has " + std::to_string(size) + (size == 1 ? " element" : " elements") + " in entry " +
             std::to_string(entry) + ", where \"" + source_.schema()[count_].name + "\" says " +
             std::to_string(count);
  }

  const TreeSource& source_;
  std::size_t column_, count_;
  ColumnBuffer scratch_;
  std::string fault_;
};

ColumnFaults faults_of(TreeSource& source, std::size_t column, std::optional<std::size_t> count,
                       StopFlag stop) {
  ColumnFaults found;
  const std::size_t columns[] = {column};
  ColumnBuffer scratch;
  std::optional<CountCheck> check;
  if (count) check.emplace(source, column, *count);
  for (std::size_t slice = 0; slice < source.slices().size(); ++slice) {
    stop.throw_if_set();
    const std::unique_ptr<SliceReader> reader = source.open_slice(slice);
    const EntryRange& entries = source.slices()[slice];
    try {
      reader->load(columns);
      const ColumnView values = reader->view(column, {0, entries.count}, scratch);
      if (check) check->compare(*reader, entries, values);
    } catch (const FileError& error) {
      // What cannot be read is no news about what is stored.
      if (error.fault() != FileFault::kDamaged) throw;
      found.faults.insert(error.what());
    } catch (const SchemaError&) {
      found.is_unreadable = true;  // a limit of the reader
    }
  }
  if (check && !check->fault().empty()) found.faults.insert(check->fault());
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
  const CountColumns counts = counts_of_lists(source);
  oneapi::tbb::parallel_for(std::size_t{0}, faults.size(), [&](std::size_t column) {
    faults[column] = faults_of(source, column, counts[column], stop);
  });
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
