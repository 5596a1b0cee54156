// SPDX-License-Identifier: BSD-3-Clause
// Random columns of every type and shape, with the values that break things: empty lists, NaN, infinities,
// -0, denormals, the extremes of every integer type.
#pragma once

#include "memory_source.h"
#include "naive_evaluator.h"
#include "naive_value.h"

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace skimline::testing {

struct RandomColumn {
  std::string name;
  Type type;
  std::vector<Value> values;  ///< by entry
};

/// Flat columns are b i8 u8 ... i64 u64 f d, s (string), x y (real numbers of moderate size), k (0 to 3), n m
/// q (sizes of lists). Lists of size n: a_b ... a_d, a_s, pt eta phi mass charge tight; of size m: c_b c_i32
/// c_u64 c_f c_d; of size q: g_b g_i32 g_f, and lists of lists h_b ... h_d of equal and o_f of other inner
/// sizes, and lists of such lists t_b t_i32 t_f.
class RandomColumns {
 public:
  RandomColumns(std::uint64_t seed, std::size_t num_entries);

  std::size_t num_entries() const { return num_entries_; }
  const std::vector<RandomColumn>& columns() const { return columns_; }
  const RandomColumn& find(const std::string& name) const { return columns_[by_name_.at(name)]; }

  /// A source with these columns and the column "ok_" of the given flags, cut into slices. Neither it nor the
  /// columns may be used by several threads at once, but by a run's.
  std::unique_ptr<Source> source(std::uint64_t slice_entries, const std::vector<bool>& ok) const;

  /// Entry `number` for the naive evaluator. It must not outlive the columns.
  std::unique_ptr<NaiveEntry> entry(std::size_t number) const;

 private:
  friend class ColumnsEntry;
  void add(const std::string& name, Type type, std::vector<Value> values);
  MemorySource& source_without_flags(std::uint64_t slice_entries) const;
  void add_flat(std::mt19937_64& random);
  void add_lists(std::mt19937_64& random);
  void add_muons(std::mt19937_64& random);
  void add_nested_lists(std::mt19937_64& random);
  std::vector<std::size_t> add_sizes(const std::string& name, std::mt19937_64& random);

  std::size_t num_entries_;
  std::vector<RandomColumn> columns_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  mutable std::map<std::uint64_t, std::unique_ptr<MemorySource>> sources_;  // by entries of a slice
};

}  // namespace skimline::testing
