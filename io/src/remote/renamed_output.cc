// SPDX-License-Identifier: BSD-3-Clause
#include "remote/renamed_output.h"

#include "remote/md5.h"
#include "remote/sent_file.h"

#include "skimline/framework/error.h"
#include "skimline/io/url_secrets.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <string_view>
#include <utility>

namespace skimline::io {
namespace {

constexpr std::size_t kLongestName = 200;
// So often another writer may publish the same name in the moment between taking it and giving it.
constexpr int kMostTries = 10;

// Jobs on many machines may write into one folder.
std::string unique_text() {
  static thread_local std::random_device device;
  const std::uint32_t numbers[2] = {device(), device()};
  std::uint8_t bytes[sizeof numbers];
  std::memcpy(bytes, numbers, sizeof bytes);
  return hex_text(bytes);
}

// ".<name>.<letters><ending>" in the same folder; what follows a question mark stays, and its secrets are
// found under the new name too.
std::string hidden_name(const std::string& name, std::string_view ending) {
  const std::string url = with_secrets(name);
  const std::size_t query = std::min(url.find('?'), url.size());
  const std::size_t begin = url.rfind('/', query - 1) + 1;
  return hide_secrets(url.substr(0, begin) + "." +
                      url.substr(begin, std::min<std::size_t>(query - begin, kLongestName)) + "." +
                      unique_text() + std::string(ending) + url.substr(query));
}

// In front.
std::string with_zeros(const std::string& text, std::size_t size) {
  return std::string(size - std::min(size, text.size()), '0') + text;
}

class RenamedOutput : public RemoteOutput {
 public:
  RenamedOutput(const std::string& name, std::unique_ptr<NamedFiles> files)
      : name_(name), files_(std::move(files)) {}
  ~RenamedOutput() override {
    if (!sent_.empty()) remove_quietly(sent_);
  }
  RenamedOutput(const RenamedOutput&) = delete;
  RenamedOutput& operator=(const RenamedOutput&) = delete;

  void send(const std::string& path, StopFlag stop) override {
    sent_ = hidden_name(name_, ".part");
    size_ = size_of_sent(path);
    files_->send(path, sent_, stop);
    const std::optional<ServerChecksum> theirs = files_->checksum(sent_, stop);
    const std::optional<std::string> ours =
        theirs ? checksum_of_sent(path, theirs->kind) : std::optional<std::string>();
    if (!ours) return compare_ends(path, name_, files_->open(sent_, stop));
    if (*ours != with_zeros(theirs->text, ours->size()))
      throw FileError(name_,
                      "the server has something else than was sent to it: its " + theirs->kind + " is " +
                          theirs->text + " instead of " + *ours,
                      FileFault::kStorage);
  }

  void publish(bool keeps_old) override {
    const bool moves_old = keeps_old || !files_->replaces_by_renaming();
    for (int tries = 1;; ++tries) {
      if (moves_old) move_old();
      try {
        rename(sent_, name_);
        break;
      } catch (const FileError&) {
        const bool may_be_taken = !files_->replaces_by_renaming() && files_->size(name_);
        if (tries == kMostTries || !may_be_taken) throw;
      }
    }
    sent_.clear();
    is_published_ = true;
  }

  std::string undo() override {
    try {
      const bool is_in_the_way = old_.empty() || !files_->replaces_by_renaming();
      if (std::exchange(is_published_, false) && is_in_the_way)
        files_->remove(name_, Patience::of_environment());
    } catch (const FileError& error) {
      return error.what();
    }
    return give_back();
  }

  void settle() noexcept override {
    if (!old_.empty()) remove_quietly(old_);
    old_.clear();
  }

 private:
  // Takes the name from what has it. Another writer of the same name may be quicker, and be replaced in turn.
  void move_old() {
    for (int tries = 1; files_->size(name_); ++tries) {
      const std::string hidden = hidden_name(name_, ".old");
      try {
        rename(name_, hidden);
      } catch (const FileError&) {
        if (tries == kMostTries) throw;
        continue;
      }
      if (!old_.empty()) remove_quietly(old_);
      old_ = hidden;
      return;
    }
  }

  std::string give_back() {
    if (old_.empty()) return {};
    try {
      rename(old_, name_);
      old_.clear();
      return {};
    } catch (const FileError&) {
      return "what " + name_ + " was before is in " + std::exchange(old_, {});
    }
  }

  // An answer may be lost after the work was done, and asking again fails then.
  void rename(const std::string& from, const std::string& to) {
    const std::optional<std::uint64_t> size = from == sent_ ? size_ : files_->size(from);
    try {
      files_->rename(from, to);
    } catch (const FileError&) {
      if (!size || files_->size(from) || files_->size(to) != size) throw;
    }
  }

  void remove_quietly(const std::string& name) noexcept {
    try {
      files_->remove(name, kBriefPatience);
    } catch (...) {  // what is left has a name that nobody looks for
    }
  }

  const std::string name_;
  const std::unique_ptr<NamedFiles> files_;
  std::string sent_, old_;  // hidden names; empty for nothing
  std::uint64_t size_ = 0;
  bool is_published_ = false;
};

}  // namespace

std::unique_ptr<RemoteOutput> renamed_output(const std::string& name, std::unique_ptr<NamedFiles> files) {
  return std::make_unique<RenamedOutput>(name, std::move(files));
}

}  // namespace skimline::io
