// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/object_config_reader.h"

#include "config/json/name_checks.h"
#include "config/json/object_reader.h"

#include <algorithm>
#include <set>

namespace skimline::skims {

std::vector<Definition> read_collections(const JsonValue& value, Diagnostics& diagnostics) {
  std::vector<Definition> collections;
  for_each_named(value, "\"collections\"", diagnostics, [&](const Text& name, const JsonValue& each) {
    check_identifier(name, "a collection", diagnostics);
    const std::string what = "the columns of \"" + name.value + "\"";
    const std::optional<Text> pattern = read_text(each, what, diagnostics);
    if (!pattern) return;
    if (std::count(pattern->value.begin(), pattern->value.end(), '*') != 1)
      return diagnostics.add(pattern->location,
                             what + " are a pattern with one \"*\", the member, as in \"mu_*\"");
    collections.push_back({name, *pattern});
  });
  return collections;
}

namespace {

void check_fields(const std::vector<Text>& fields, Diagnostics& diagnostics) {
  std::set<std::string> known;
  for (const Text& field : fields) {
    check_identifier(field, "a member of combinations", diagnostics);
    if (!known.insert(field.value).second)
      diagnostics.add(field.location, "another member is called \"" + field.value + "\" too");
  }
}

}  // namespace

std::vector<ObjectConfig> read_objects(const JsonValue& value, Diagnostics& diagnostics) {
  std::vector<ObjectConfig> list;
  for_each_named(value, "\"objects\"", diagnostics, [&](const Text& name, const JsonValue& each) {
    check_identifier(name, "objects", diagnostics);
    const ObjectReader object(each, "the objects \"" + name.value + "\"", {"from", "fields", "where", "sort"},
                              diagnostics);
    const std::vector<Text> fields = object.texts("fields");
    check_fields(fields, diagnostics);
    const std::optional<Text> from = object.required_text("from");
    if (from) list.push_back({name, *from, object.text("where"), object.text("sort"), fields});
  });
  return list;
}

}  // namespace skimline::skims
