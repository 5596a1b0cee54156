// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/friend_inputs.h"

#include "inputs/friend_source.h"

#include "skimline/framework/error.h"
#include "skimline/framework/schema.h"
#include "skimline/io/open_inputs.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace skimline::io {
namespace {

// The defaults of a friend, with its name in front, and all patterns, as some may match its columns.
InputOptions options_of(const FriendInputs& inputs, const InputOptions& options) {
  InputOptions own = options;
  own.default_prefix = inputs.name + ".";
  std::erase_if(own.defaults, [&](const auto& each) {
    return !has_wildcards(each.first) && !is_of_friend(each.first, inputs.name);
  });
  return own;
}

// "Jet.pt" and "Jet_pt" are one name, which would mean one column here and the other there.
void check_names(const InputSource& main, const Friend& other) {
  std::map<std::string, std::string> known;
  for (const std::string& column : main.schema().names())
    if (is_of_friend(column, other.pairing.name)) known.emplace(with_underscores(column), column);
  for (const std::string& column : other.source->schema().names())
    if (const auto same = known.find(with_underscores(other.pairing.name + "." + column));
        same != known.end())
      throw FileError(other.source->files().front().path,
                      "the friend \"" + other.pairing.name + "\" has a column \"" + column +
                          "\", and the input \"" + same->second +
                          "\", which expressions could not tell apart: give the friend another name",
                      FileFault::kUnavailable);
}

}  // namespace

bool is_of_friend(const std::string& column, const std::string& name) {
  return column.size() > name.size() + 1 && column.starts_with(name) &&
         (column[name.size()] == '.' || column[name.size()] == '_');
}

InputOptions without_friends(InputOptions options, const std::vector<FriendInputs>& friends) {
  std::erase_if(options.defaults, [&](const auto& each) {
    return !has_wildcards(each.first) &&
           std::any_of(friends.begin(), friends.end(),
                       [&](const FriendInputs& inputs) { return is_of_friend(each.first, inputs.name); });
  });
  return options;
}

std::unique_ptr<InputSource> with_friends(std::unique_ptr<InputSource> source,
                                          const std::vector<FriendInputs>& friends,
                                          const InputOptions& options) {
  if (friends.empty()) return source;
  std::vector<Friend> opened;
  for (const FriendInputs& inputs : friends) {
    const InputOptions own = options_of(inputs, options);
    opened.push_back(paired_friend(*source, {inputs.name, inputs.match, inputs.may_be_longer},
                                   open_inputs(inputs.locations, own)));
    check_names(*source, opened.back());
    DefaultValues defaults(own);
    add_defaults(opened.back(), defaults);
    defaults.throw_if_wrong();
  }
  return std::make_unique<FriendSource>(std::move(source), std::move(opened));
}

}  // namespace skimline::io
