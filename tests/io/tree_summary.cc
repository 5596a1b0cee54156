// SPDX-License-Identifier: BSD-3-Clause
// Prints what is known of the trees of a file as JSON: tree_summary FILE. With a number as second argument,
// reads every tree so many times and prints the milliseconds that one reading takes.
#include "skimline/framework/error.h"
#include "skimline/io/tree_metadata.h"

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <optional>
#include <string>

using namespace skimline;

namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    if (static_cast<unsigned char>(letter) < ' ')
      result += ' ';
    else
      result += letter;
  }
  return result + "\"";
}

template <typename Items, typename Print>
void print_list(const char* name, const Items& items, Print print) {
  std::cout << quoted(name) << ":[";
  bool is_first = true;
  for (const auto& item : items) {
    if (!is_first) std::cout << ',';
    is_first = false;
    print(item);
  }
  std::cout << ']';
}

template <typename Items>
void print_numbers(const char* name, const Items& items) {
  print_list(name, items, [](const auto& item) { std::cout << item; });
}

void print_text(const char* name, const std::string& text) {
  std::cout << quoted(name) << ':' << quoted(text) << ',';
}

void print_number(const char* name, std::int64_t number) {
  std::cout << quoted(name) << ':' << number << ',';
}

template <typename Number>
std::int64_t or_none(const std::optional<Number>& number) {
  return number ? static_cast<std::int64_t>(*number) : -1;
}

void print_leaf(const io::TreeLeaf& leaf) {
  std::cout << '{';
  print_text("name", leaf.name);
  print_text("title", leaf.title);
  print_text("class", leaf.class_name);
  print_number("branch", leaf.branch);
  print_number("length", static_cast<std::int64_t>(leaf.length));
  print_number("unsigned", leaf.is_unsigned);
  print_number("counter", or_none(leaf.counter));
  print_numbers("dimensions", leaf.dimensions);
  std::cout << "}\n";
}

void print_basket(const io::TreeBasket& basket) {
  std::cout << '[' << basket.first_entry << ',' << basket.num_entries << ',' << basket.offset << ','
            << basket.size << ',' << basket.is_embedded << ']';
}

void print_branch(const io::TreeBranch& branch, const io::BranchData& data) {
  std::cout << '{';
  print_text("name", branch.name);
  print_text("path", branch.path);
  print_text("title", branch.title);
  print_text("class", branch.class_name);
  print_text("object_class", branch.object_class);
  print_text("parent_class", branch.parent_class);
  print_text("clones_class", branch.clones_class);
  print_text("problem", branch.problem);
  print_number("parent", or_none(branch.parent));
  print_number("count_branch", or_none(branch.count_branch));
  print_number("entries", static_cast<std::int64_t>(data.num_entries));
  print_number("compression", data.compression);
  print_number("bytes_unpacked", static_cast<std::int64_t>(data.bytes_unpacked));
  print_number("bytes_stored", static_cast<std::int64_t>(data.bytes_stored));
  print_number("checksum", branch.checksum);
  print_number("class_version", branch.class_version);
  print_number("id", branch.id);
  print_number("type", branch.type);
  print_number("streamer_type", branch.streamer_type);
  print_numbers("leaves", branch.leaves);
  std::cout << ',';
  print_list("baskets", data.baskets, print_basket);
  std::cout << "}\n";
}

void print_index(const io::TreeIndex& index) {
  std::cout << "\"index\":{";
  print_text("major", index.major);
  print_text("minor", index.minor);
  print_numbers("major_values", index.major_values);
  std::cout << ',';
  print_numbers("minor_values", index.minor_values);
  std::cout << ',';
  print_numbers("entries", index.entries);
  std::cout << "},";
}

void print_tree(const io::TreeDescriptor& tree) {
  std::cout << '{';
  print_text("path", tree.path);
  print_text("name", tree.name);
  print_text("title", tree.title);
  print_number("entries", static_cast<std::int64_t>(tree.num_entries));
  print_number("object_size", static_cast<std::int64_t>(tree.object.size()));
  print_number("classes", static_cast<std::int64_t>(tree.classes->all().size()));
  if (tree.index) print_index(*tree.index);
  print_numbers("clusters", tree.cluster_begins);
  std::cout << ',';
  print_list("friends", tree.friends, [](const io::TreeFriend& other) {
    std::cout << '[' << quoted(other.alias) << ',' << quoted(other.path) << ',' << quoted(other.tree) << ']';
  });
  std::cout << ',';
  print_list("aliases", tree.aliases, [](const io::TreeAlias& alias) {
    std::cout << '[' << quoted(alias.name) << ',' << quoted(alias.expression) << ']';
  });
  std::cout << ',';
  print_list("leaves", tree.leaves, print_leaf);
  std::cout << ',';
  std::vector<std::size_t> numbers(tree.branches.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  print_list("branches", numbers,
             [&](std::size_t number) { print_branch(tree.branches[number], tree.branch_data[number]); });
  std::cout << "}\n";
}

void print_time(const io::RootFile& file, const std::string& name, int repeats) {
  const auto start = std::chrono::steady_clock::now();
  std::size_t num_branches = 0;
  for (int i = 0; i < repeats; ++i) num_branches += io::read_tree(file, name).branches.size();
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  std::cout << name << ": " << num_branches / static_cast<std::size_t>(repeats) << " branches, "
            << time.count() / repeats << " ms\n";
}

}  // namespace

int main(int num_arguments, char** arguments) {
  if (num_arguments < 2) return 2;
  try {
    const io::RootFile file(arguments[1]);
    const std::vector<std::string> names = io::tree_names(file);
    if (num_arguments > 2) {
      for (const std::string& name : names) print_time(file, name, std::atoi(arguments[2]));
      return 0;
    }
    std::cout << '[';
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i > 0) std::cout << ',';
      print_tree(io::read_tree(file, names[i]));
    }
    std::cout << "]\n";
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
