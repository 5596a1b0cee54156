// SPDX-License-Identifier: BSD-3-Clause
#include "config/samples/chain_files.h"

#include "base/text_table.h"

#include "skimline/framework/error.h"
#include "skimline/io/arrow_library.h"
#include "skimline/io/open_inputs.h"
#include "skimline/io/root_file.h"
#include "skimline/io/url.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUsualName = "Events";

bool is_in_name(char letter) {
  return letter == '_' || (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= 'a' && letter <= 'z');
}

std::string variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? value : "$" + name;
}

// "$NAME", "${NAME}" and "$(NAME)"; those that are not set stay as they are.
std::string with_variables(std::string_view text) {
  std::string expanded;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '$') {
      expanded += text[at++];
      continue;
    }
    const char opening = at + 1 < text.size() ? text[at + 1] : '\0';
    const char closing = opening == '{' ? '}' : opening == '(' ? ')' : '\0';
    const std::size_t begin = at + (closing == '\0' ? 1 : 2);
    std::size_t end = begin;
    while (end < text.size() && is_in_name(text[end])) ++end;
    const bool is_closed = closing == '\0' || (end < text.size() && text[end] == closing);
    if (end == begin || !is_closed) {
      expanded += text[at++];
      continue;
    }
    expanded += variable(std::string(text.substr(begin, end - begin)));
    at = end + (closing == '\0' ? 0 : 1);
  }
  return expanded;
}

std::string opened_path(const std::string& path) {
  constexpr std::string_view kFile = "file:", kSlashes = "//";
  if (path.starts_with(kFile)) {
    const std::string_view rest = std::string_view(path).substr(kFile.size());
    return std::string(rest.starts_with(kSlashes) ? rest.substr(kSlashes.size()) : rest);
  }
  if (io::is_url(path)) return path;
  const char* home = std::getenv("HOME");
  if (home != nullptr && path.starts_with("~/")) return home + with_variables(path.substr(1));
  return with_variables(path);
}

bool may_be_chain(const std::string& path) {
  if (io::is_url(path) || !io::arrow_format_of(path).empty()) return false;
  std::error_code error;  // of what is no regular file, too
  return fs::file_size(path, error) <= io::kMaxChainFileBytes && !error;
}

// Nothing if it is no file of ROOT, or a damaged one: whoever reads it says that.
std::shared_ptr<const io::RootFile> small_file(const std::string& path, io::OpenedFiles& opened) {
  if (!may_be_chain(path)) return nullptr;
  try {
    return opened.open(path).root;
  } catch (const FileError&) {
    return nullptr;
  }
}

// The name of the chain that is meant; empty if none is.
std::string chosen_chain(const io::RootFile& file, const std::string& name) {
  if (!name.empty()) {
    const io::RootKey* key = file.find(name);
    return key != nullptr && io::is_chain_class(key->class_name) ? name : "";
  }
  const std::vector<std::string> names = io::chain_names(file);
  if (names.empty() || !io::data_names(file).empty()) return {};
  if (names.size() == 1) return names.front();
  if (std::find(names.begin(), names.end(), kUsualName) != names.end()) return kUsualName;
  std::vector<std::string> quoted;
  for (const std::string& each : names) quoted.push_back(in_quotes(each));
  throw FileError(file.path(), "contains several TChains, one must be named: " + first_few(quoted),
                  FileFault::kUnavailable);
}

}  // namespace

std::optional<io::FileChain> find_chain(const io::InputLocation& location, io::OpenedFiles& opened) {
  const std::shared_ptr<const io::RootFile> file = small_file(location.path, opened);
  const std::string name = file ? chosen_chain(*file, location.name) : "";
  if (name.empty()) return std::nullopt;
  io::FileChain chain = io::read_chain(*file, name);
  for (io::ChainedFile& each : chain.files) each.location.path = opened_path(each.location.path);
  return chain;
}

void open_possible_chains(const std::vector<std::vector<io::InputLocation>>& samples,
                          const std::shared_ptr<io::OpenedFiles>& opened) {
  std::vector<std::vector<io::InputLocation>> possible;
  for (const std::vector<io::InputLocation>& sample : samples) {
    std::vector<io::InputLocation>& own = possible.emplace_back();
    for (const io::InputLocation& file : sample)
      if (may_be_chain(file.path)) own.push_back(file);
  }
  io::InputOptions options;
  options.files = opened;
  io::open_ahead(possible, options);
}

}  // namespace skimline::skims
