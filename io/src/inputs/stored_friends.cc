// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/stored_friends.h"

#include "inputs/friend_source.h"

#include "skimline/framework/error.h"
#include "skimline/io/opened_files.h"
#include "skimline/io/url.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace skimline::io {
namespace {

constexpr std::size_t kMostFriends = 50;

// Both are URLs, or not.
std::string beside(const std::string& file, const std::string& path) {
  const std::string address = file.substr(0, file.find('?'));
  return address.substr(0, address.rfind('/') + 1) + path;
}

void check_local(const std::string& path) {
  std::error_code problem;
  if (std::filesystem::is_regular_file(path, problem)) return;
  const bool exists = std::filesystem::exists(path, problem);
  throw ConfigError(exists ? path + " is no file" : "there is no file " + path);
}

// The columns that the index of a friend has its entries by.
std::vector<std::string> columns_of(const std::optional<TreeIndex>& index) {
  if (!index) return {};
  std::vector<std::string> columns{index->major};
  if (!index->minor.empty() && index->minor != "0") columns.push_back(index->minor);
  return columns;
}

class FriendOpener {
 public:
  FriendOpener(const TreeSource& tree, const InputOptions& options) : tree_(tree), options_(options) {
    options_.follows_friends = false;
    if (!options_.files) options_.files = std::make_shared<OpenedFiles>();
  }

  // Returns nothing for a friend that cannot be used, and says why.
  std::optional<Friend> open(const TreeFriend& named, std::string& problem) {
    try {
      if (++number_ > kMostFriends)
        throw ConfigError("it is one of more than " + std::to_string(kMostFriends));
      std::optional<Friend> opened = paired(named);
      check_names(*opened);
      return opened;
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      problem = error.what();
    }
    return std::nullopt;
  }

 private:
  Friend paired(const TreeFriend& named) const {
    const std::string path = path_of_friend(tree_.files().front().path, named);
    if (!is_url(path)) check_local(path);
    auto source = std::make_unique<TreeSource>(InputLocation{path, named.tree}, options_);
    FriendPairing pairing{named.alias, columns_of(source->descriptor().index), true};
    Friend opened = paired_friend(tree_, std::move(pairing), std::move(source));
    InputOptions own = options_;
    own.default_prefix = named.alias + ".";
    DefaultValues defaults(own);  // the chain of all files says which do not fit
    add_defaults(opened, defaults);
    return opened;
  }

  // Those of the tree come first, then those of friends before this one.
  void check_names(const Friend& opened) {
    const std::string& alias = opened.pairing.name;
    if (alias.empty()) throw ConfigError("it has no name");
    if (std::find(aliases_.begin(), aliases_.end(), alias) != aliases_.end())
      throw ConfigError("another friend is called so");
    std::vector<std::string> names;
    for (const std::string& name : opened.source->schema().names()) names.push_back(alias + "." + name);
    for (const std::string& name : names)
      if (tree_.schema().find(name) || names_.contains(name))
        throw ConfigError("there is another column \"" + name + "\"");
    names_.insert(names.begin(), names.end());
    aliases_.push_back(alias);
  }

  const TreeSource& tree_;
  InputOptions options_;
  std::vector<std::string> aliases_;
  std::set<std::string> names_;  // of columns of friends
  std::size_t number_ = 0;
};

}  // namespace

std::string path_of_friend(const std::string& tree_file, const TreeFriend& other) {
  if (other.path.empty()) return tree_file;
  const std::optional<Url> home = is_url(tree_file) ? parse_url(tree_file) : std::nullopt;
  const std::optional<Url> there = is_url(other.path) ? parse_url(other.path) : std::nullopt;
  const bool is_absolute = other.path.starts_with('/');
  const bool is_elsewhere =
      is_url(other.path) ? !home || !there || home->origin() != there->origin() : home && is_absolute;
  if (is_elsewhere)
    throw ConfigError("its file " + other.path +
                      " is not where that of the tree is: \"friends\" of the sample read it");
  return is_url(other.path) || is_absolute ? other.path : beside(tree_file, other.path);
}

std::vector<TreeFriend> examined_friends(const TreeSource& tree, const InputOptions& options) {
  std::vector<TreeFriend> friends = tree.descriptor().friends;
  FriendOpener opener(tree, options);
  for (TreeFriend& each : friends) opener.open(each, each.problem);
  return friends;
}

std::unique_ptr<InputSource> with_stored_friends(std::unique_ptr<TreeSource> tree,
                                                 const InputOptions& options) {
  if (!options.follows_friends || tree->descriptor().friends.empty()) return tree;
  std::vector<Friend> opened;
  std::vector<TreeFriend> unused;
  FriendOpener opener(*tree, options);
  for (TreeFriend named : tree->descriptor().friends) {
    std::optional<Friend> found = opener.open(named, named.problem);
    if (found)
      opened.push_back(std::move(*found));
    else
      unused.push_back(std::move(named));
  }
  return std::make_unique<FriendSource>(std::move(tree), std::move(opened), std::move(unused));
}

}  // namespace skimline::io
