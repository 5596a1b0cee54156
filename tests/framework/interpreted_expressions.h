// SPDX-License-Identifier: BSD-3-Clause
// Evaluates expressions as RDataFrame does, compiled by ROOT's interpreter, over the files of
// expression_values. Read by the interpreter only.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <ROOT/RVec.hxx>

namespace skimline_oracle {

using ROOT::VecOps::RVec;

template <typename T>
void read(std::ifstream& file, T& value) {
  file.read(reinterpret_cast<char*>(&value), sizeof value);
}

template <typename T>
void read(std::ifstream& file, RVec<T>& list) {
  std::uint32_t size = 0;
  read(file, size);
  list.resize(size);
  for (std::uint32_t i = 0; i < size; ++i) read(file, list[i]);
}

template <typename T>
void read_column(std::ifstream& file, std::size_t num_entries, std::vector<T>& values) {
  values.resize(num_entries);
  for (T& value : values) read(file, value);
}

/// The values of one expression as expression_values writes them.
class Values {
 public:
  template <typename T>
  void add(const T& value) {
    if (bytes_.empty()) add_type(value);
    append(value);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  template <typename T>
  static constexpr int scalar_type() {
    if (std::is_same<T, bool>::value) return 0;
    if (std::is_same<T, float>::value) return 9;
    if (std::is_same<T, double>::value) return 10;
    const int rank = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return 1 + 2 * rank + std::is_unsigned<T>::value;
  }

  template <typename T>
  void add_type(const T&, int depth = 0) {
    static_assert(std::is_arithmetic<T>::value, "");
    bytes_ += static_cast<char>(scalar_type<T>());
    bytes_ += static_cast<char>(depth);
  }
  template <typename T>
  void add_type(const RVec<T>&, int depth = 0) {
    add_type(T(), depth + 1);
  }

  template <typename T>
  void append(T value) {
    if (value != value) value = std::numeric_limits<T>::quiet_NaN();
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <typename T>
  void append(const RVec<T>& list) {
    append(static_cast<std::uint32_t>(list.size()));
    for (const auto& element : list) append(element);
  }

  std::string bytes_;
};

inline std::ofstream& output() {
  static std::ofstream file;
  return file;
}

inline void write(const Values& values) {
  const std::uint64_t size = values.bytes().size();
  output().write(reinterpret_cast<const char*>(&size), sizeof size);
  output().write(values.bytes().data(), static_cast<std::streamsize>(size));
}

inline std::vector<std::string>& defined_entries() {
  static std::vector<std::string> flags;
  return flags;
}

}  // namespace skimline_oracle
