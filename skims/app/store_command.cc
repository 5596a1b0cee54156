// SPDX-License-Identifier: BSD-3-Clause
// `skimline store`: what a folder of results has.
#include "base/text_table.h"
#include "commands.h"
#include "config/json/byte_size_reader.h"
#include "parts/store_contents.h"

#include "skimline/io/url_secrets.h"

#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace skimline::skims {
namespace {

constexpr const char* kStoreFooter = R"help(
Examples:
  skimline store results
  skimline store results --verify
  skimline store results --prune "20 GiB"

Says how much a folder of results has, as skimline run --store keeps them. With --verify, everything is read; the exit
code is 1 if something is damaged, which runs compute anew. With --prune, what was not used for longest is removed
until so much is left; runs compute anew what they do not find.)help";

struct StoreArguments {
  std::string folder;
  bool verifies = false;
  std::optional<std::uint64_t> most_bytes;
};

std::string amount(const StoreContents& contents) {
  return format_count(contents.num_files) + (contents.num_files == 1 ? " file of " : " files of ") +
         format_count(contents.num_parts) + (contents.num_parts == 1 ? " part, " : " parts, ") +
         format_bytes(contents.num_bytes);
}

Outcome look_at(const StoreArguments& arguments) {
  std::string text;
  const std::string name = io::hide_secrets(arguments.folder);
  if (arguments.most_bytes) text = "removed " + amount(prune_store(name, *arguments.most_bytes)) + "\n";
  const StoreContents contents = contents_of_store(name, arguments.verifies);
  text += amount(contents) + "\n";
  for (const std::string& problem : contents.damaged) text += "damaged: " + problem + "\n";
  if (arguments.verifies && contents.damaged.empty()) text += "all of them are whole\n";
  return {text, contents.damaged.empty() ? kDone : kFailed};
}

Action add_store_options(CLI::App& command) {
  const auto arguments = std::make_shared<StoreArguments>();
  command.add_option("folder", arguments->folder, "Folder of results, or its URL")->required();
  command.add_flag("--verify", arguments->verifies, "Read all results, and say what is damaged");
  const auto set_most = [arguments](const std::string& text) {
    arguments->most_bytes = byte_size_of(text);
    if (!arguments->most_bytes)
      throw CLI::ValidationError("--prune", "\"" + text + "\" is no size such as \"20 GiB\"");
  };
  command.add_option_function<std::string>(
      "--prune", set_most,
      "Remove what was not used for longest until no more than this is left: \"20 GiB\"");
  return [arguments](const Session&) { return look_at(*arguments); };
}

}  // namespace

const Command kStoreCommand{"store", "Say what a folder of results has, verify or prune it", kStoreFooter,
                            false, add_store_options};

}  // namespace skimline::skims
