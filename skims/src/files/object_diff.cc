// SPDX-License-Identifier: BSD-3-Clause
#include "files/object_diff.h"

#include "skimline/framework/error.h"
#include "skimline/io/histogram_reader.h"
#include "skimline/io/input_formats.h"
#include "skimline/skims/run_record.h"

#include <cstddef>
#include <map>

namespace skimline::skims {
namespace {

using Objects = std::map<std::string, const io::RootKey*>;

bool is_other_object(const io::RootFile& file, const io::RootKey& key) {
  return file.find(key.path) == &key && !io::is_histogram_class(key.class_name) && !io::format_of(key) &&
         key.class_name != "TProcessID" && !key.path.starts_with(std::string(kRecordDirectory) + "/");
}

Objects other_objects(const io::RootFile& file, const std::function<bool(const std::string&)>& is_wanted) {
  Objects objects;
  for (const io::RootKey& key : file.keys())
    if (is_other_object(file, key) && is_wanted(key.path)) objects.emplace(key.path, &key);
  return objects;
}

std::string called(const io::RootKey& key) { return "\"" + key.path + "\" (" + key.class_name + ")"; }

// Nothing if they are the same.
std::string difference_of(const io::RootFile& left, const io::RootKey& one, const io::RootFile& right,
                          const io::RootKey& other) {
  if (one.class_name != other.class_name) return called(one) + " is a " + other.class_name + " in the second";
  try {
    if (one.title == other.title && left.read_object(one) == right.read_object(other)) return {};
  } catch (const FileError& error) {
    return error.what();
  }
  return called(one) + " is stored in other bytes";
}

}  // namespace

std::vector<std::string> differing_objects(const io::RootFile& left, const io::RootFile& right,
                                           const std::function<bool(const std::string&)>& is_wanted) {
  const Objects of_left = other_objects(left, is_wanted), of_right = other_objects(right, is_wanted);
  std::vector<std::string> differences;
  for (const auto& [path, key] : of_left) {
    const auto other = of_right.find(path);
    const std::string difference = other == of_right.end() ? called(*key) + " is in the first only"
                                                           : difference_of(left, *key, right, *other->second);
    if (!difference.empty()) differences.push_back(difference);
  }
  for (const auto& [path, key] : of_right)
    if (!of_left.contains(path)) differences.push_back(called(*key) + " is in the second only");
  return differences;
}

}  // namespace skimline::skims
