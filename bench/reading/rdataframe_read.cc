// SPDX-License-Identifier: BSD-3-Clause
// Does what read_columns.cc does with RDataFrame: one Aggregate with compiled lambdas for each column, all in
// one event loop.
//
//   rdataframe_read THREADS INPUT COLUMN,COLUMN,...
//
// One thread means no implicit threading.
#include "bit_sum.h"

#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <ROOT/RDataFrame.hxx>
#include <ROOT/RVec.hxx>
#include <TROOT.h>

namespace {

using Result = ROOT::RDF::RResultPtr<std::uint64_t>;

std::uint64_t add(std::uint64_t a, std::uint64_t b) { return a + b; }

template <typename T>
Result sum_numbers(ROOT::RDataFrame& frame, const std::string& name) {
  return frame.Aggregate([](std::uint64_t sum, const T& value) { return sum + bit_sum(&value, 1); }, add,
                         name, std::uint64_t{0});
}

template <typename T>
Result sum_lists(ROOT::RDataFrame& frame, const std::string& name) {
  return frame.Aggregate(
      [](std::uint64_t sum, const ROOT::RVec<T>& values) {
        return sum + bit_sum(values.data(), values.size());
      },
      add, name, std::uint64_t{0});
}

template <typename T>
bool book_if(ROOT::RDataFrame& frame, const std::string& name, const std::string& type,
             const std::string& scalar, std::vector<Result>& results) {
  if (type == scalar) {
    results.push_back(sum_numbers<T>(frame, name));
  } else if (type == "std::vector<" + scalar + ">" || type == "ROOT::VecOps::RVec<" + scalar + ">") {
    results.push_back(sum_lists<T>(frame, name));
  } else {
    return false;
  }
  return true;
}

void book(ROOT::RDataFrame& frame, const std::string& name, std::vector<Result>& results) {
  const std::string type = frame.GetColumnType(name);
  if (book_if<float>(frame, name, type, "float", results)) return;
  if (book_if<double>(frame, name, type, "double", results)) return;
  if (book_if<bool>(frame, name, type, "bool", results)) return;
  if (book_if<std::uint8_t>(frame, name, type, "std::uint8_t", results)) return;
  if (book_if<std::int16_t>(frame, name, type, "std::int16_t", results)) return;
  if (book_if<std::int32_t>(frame, name, type, "std::int32_t", results)) return;
  if (book_if<std::uint32_t>(frame, name, type, "std::uint32_t", results)) return;
  if (book_if<std::int64_t>(frame, name, type, "std::int64_t", results)) return;
  if (book_if<std::uint64_t>(frame, name, type, "std::uint64_t", results)) return;
  throw std::runtime_error(name + " is " + type);
}

// RDataFrame also lists sizes of collections, which are no columns of their own.
bool is_size(const std::string& name) { return name.rfind("R_rdf_sizeof_", 0) == 0; }

std::vector<std::string> find_columns(ROOT::RDataFrame& frame, const std::string& names) {
  std::vector<std::string> columns;
  std::istringstream stream(names);
  for (std::string name; std::getline(stream, name, ',');) {
    if (name != "*") {
      columns.push_back(name);
      continue;
    }
    for (const std::string& column : frame.GetColumnNames())
      if (!is_size(column)) columns.push_back(column);
  }
  return columns;
}

void run(const std::string& input, const std::string& names) {
  const auto start = std::chrono::steady_clock::now();
  ROOT::RDataFrame frame("Events", input);
  const std::vector<std::string> columns = find_columns(frame, names);
  std::vector<Result> results;
  for (const std::string& name : columns) book(frame, name, results);
  std::vector<std::uint64_t> sums;
  for (Result& result : results) sums.push_back(*result);
  std::cout << std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() << '\n';
  for (std::size_t i = 0; i < columns.size(); ++i) std::cout << columns[i] << ' ' << sums[i] << '\n';
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: rdataframe_read THREADS INPUT COLUMN,COLUMN,...\n";
    return 2;
  }
  try {
    const int threads = std::atoi(arguments[1]);
    if (threads > 1) ROOT::EnableImplicitMT(static_cast<unsigned>(threads));
    run(arguments[2], arguments[3]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
