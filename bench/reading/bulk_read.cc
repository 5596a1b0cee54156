// SPDX-License-Identifier: BSD-3-Clause
// Does what read_columns.cc does with ROOT's bulk reads: RBulkValues of numbers and of RVecs, whose offsets
// and items are each read in bulk.
//
//   bulk_read THREADS INPUT COLUMN,COLUMN,...
//
// Every thread has an RNTupleReader of its own and reads clusters that follow each other, so that what the
// reader prefetches is its own.
#include "bit_sum.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <ROOT/RNTupleReader.hxx>
#include <ROOT/RNTupleView.hxx>
#include <ROOT/RVec.hxx>
#include <TROOT.h>

namespace {

constexpr ROOT::NTupleSize_t kBulkEntries = 4096;

class Column {
 public:
  virtual ~Column() = default;
  virtual std::uint64_t sum(ROOT::RNTupleLocalRange range) = 0;
};

template <typename T>
std::uint64_t sum_of(const T& value) {
  return bit_sum(&value, 1);
}
template <typename T>
std::uint64_t sum_of(const ROOT::RVec<T>& values) {
  return bit_sum(values.data(), values.size());
}

template <typename T>
class TypedColumn : public Column {
 public:
  TypedColumn(ROOT::RNTupleReader& reader, const std::string& name)
      : view_(reader.GetView<T>(name)), bulk_(view_.CreateBulk()) {}

  std::uint64_t sum(ROOT::RNTupleLocalRange range) override {
    const auto* values = static_cast<const T*>(bulk_.ReadBulk(range));
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < range.size(); ++i) sum += sum_of(values[i]);
    return sum;
  }

 private:
  ROOT::RNTupleView<T> view_;
  ROOT::RFieldBase::RBulkValues bulk_;
};

template <typename T>
std::unique_ptr<Column> make_if(ROOT::RNTupleReader& reader, const std::string& name, const std::string& type,
                                const std::string& scalar) {
  if (type == scalar) return std::make_unique<TypedColumn<T>>(reader, name);
  if (type == "std::vector<" + scalar + ">" || type == "ROOT::VecOps::RVec<" + scalar + ">")
    return std::make_unique<TypedColumn<ROOT::RVec<T>>>(reader, name);
  return nullptr;
}

std::unique_ptr<Column> make_column(ROOT::RNTupleReader& reader, const std::string& name) {
  const auto& descriptor = reader.GetDescriptor();
  const std::string type = descriptor.GetFieldDescriptor(descriptor.FindFieldId(name)).GetTypeName();
  if (auto column = make_if<float>(reader, name, type, "float")) return column;
  if (auto column = make_if<double>(reader, name, type, "double")) return column;
  if (auto column = make_if<bool>(reader, name, type, "bool")) return column;
  if (auto column = make_if<std::uint8_t>(reader, name, type, "std::uint8_t")) return column;
  if (auto column = make_if<std::int16_t>(reader, name, type, "std::int16_t")) return column;
  if (auto column = make_if<std::int32_t>(reader, name, type, "std::int32_t")) return column;
  if (auto column = make_if<std::uint32_t>(reader, name, type, "std::uint32_t")) return column;
  if (auto column = make_if<std::int64_t>(reader, name, type, "std::int64_t")) return column;
  if (auto column = make_if<std::uint64_t>(reader, name, type, "std::uint64_t")) return column;
  throw std::runtime_error(name + " is " + type);
}

std::vector<std::string> find_columns(ROOT::RNTupleReader& reader, const std::string& names) {
  std::vector<std::string> columns;
  std::istringstream stream(names);
  for (std::string name; std::getline(stream, name, ',');) {
    if (name != "*") {
      columns.push_back(name);
      continue;
    }
    for (const auto& field : reader.GetDescriptor().GetTopLevelFields())
      columns.push_back(field.GetFieldName());
  }
  return columns;
}

struct Cluster {
  ROOT::NTupleSize_t first_entry;
  ROOT::DescriptorId_t id;
  ROOT::NTupleSize_t num_entries;
};

std::vector<Cluster> find_clusters(ROOT::RNTupleReader& reader) {
  std::vector<Cluster> clusters;
  for (const auto& cluster : reader.GetDescriptor().GetClusterIterable())
    clusters.push_back({cluster.GetFirstEntryIndex(), cluster.GetId(), cluster.GetNEntries()});
  std::sort(clusters.begin(), clusters.end(),
            [](const Cluster& a, const Cluster& b) { return a.first_entry < b.first_entry; });
  return clusters;
}

std::vector<std::uint64_t> read_share(const std::string& input, const std::string& names, std::size_t thread,
                                      std::size_t threads) {
  const auto reader = ROOT::RNTupleReader::Open("Events", input);
  std::vector<std::unique_ptr<Column>> columns;
  for (const std::string& name : find_columns(*reader, names)) columns.push_back(make_column(*reader, name));
  const std::vector<Cluster> clusters = find_clusters(*reader);
  std::vector<std::uint64_t> sums(columns.size());
  const std::size_t end = clusters.size() * (thread + 1) / threads;
  for (std::size_t i = clusters.size() * thread / threads; i < end; ++i)
    for (ROOT::NTupleSize_t first = 0; first < clusters[i].num_entries; first += kBulkEntries) {
      const ROOT::NTupleSize_t last = std::min(first + kBulkEntries, clusters[i].num_entries);
      for (std::size_t column = 0; column < columns.size(); ++column)
        sums[column] += columns[column]->sum({clusters[i].id, first, last});
    }
  return sums;
}

void run(std::size_t threads, const std::string& input, const std::string& names) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::vector<std::uint64_t>> shares(threads);
  std::vector<std::exception_ptr> errors(threads);
  std::vector<std::thread> others;
  const auto work = [&](std::size_t thread) {
    try {
      shares[thread] = read_share(input, names, thread, threads);
    } catch (...) {
      errors[thread] = std::current_exception();
    }
  };
  for (std::size_t thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
  work(0);
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::cout << elapsed.count() << '\n';
  const std::vector<std::string> columns = find_columns(*ROOT::RNTupleReader::Open("Events", input), names);
  for (std::size_t column = 0; column < columns.size(); ++column) {
    std::uint64_t sum = 0;
    for (const std::vector<std::uint64_t>& share : shares) sum += share[column];
    std::cout << columns[column] << ' ' << sum << '\n';
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: bulk_read THREADS INPUT COLUMN,COLUMN,...\n";
    return 2;
  }
  try {
    const int threads = std::atoi(arguments[1]);
    if (threads > 1) ROOT::EnableThreadSafety();
    run(static_cast<std::size_t>(threads), arguments[2], arguments[3]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
