// SPDX-License-Identifier: BSD-3-Clause
// How outputs get their names.
#include "remote/remote_output.h"
#include "storage/replacement.h"
#include "storage/temporary_files.h"

#include "skimline/framework/error.h"
#include "skimline/io/output_file.h"
#include "skimline/io/output_folders.h"
#include "skimline/io/unfinished_outputs.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace skimline::io {
namespace {

// A rename lasts once the folder is on the storage too.
void synchronise_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

std::string_view problem_of(const FileError& error) {
  const std::string_view text = error.what();
  return text.substr(std::min(error.path().size() + 2, text.size()));
}

}  // namespace

// Servers are mostly asked by who knows what for.
std::string said_once(std::string_view what, std::string_view problem) {
  return (problem.starts_with(what) ? std::string() : std::string(what)) + std::string(problem);
}

class Publication {
 public:
  explicit Publication(std::span<OutputFile* const> files) {
    for (OutputFile* file : files) {
      if (file->temporary_path_.empty()) continue;
      files_.push_back(file);
      if (file->remote_) remote_.push_back(file);
    }
  }

  void make(StopFlag stop) {
    try {
      for (const OutputFile* file : remote_) send(*file, stop);
      give_names();
    } catch (const FileError& error) {
      if (remote_.empty()) throw;
      throw FileError(error.path(), std::string(problem_of(error)) + keep(), FileFault::kUnwritable);
    }
    settle();
  }

 private:
  struct Made {
    OutputFile* file;
    Replacement replacement;
  };

  static void send(const OutputFile& file, StopFlag stop) {
    try {
      file.remote_->send(file.temporary_path_, stop);
    } catch (const FileError& error) {
      file.fail(said_once("cannot be sent: ", problem_of(error)));
    }
  }

  // A local file can surely be taken back, so that the last one of a server need not be.
  void give_names() {
    const std::unique_lock publishing = begin_publishing();
    for (OutputFile* file : files_) {
      if (file->remote_) continue;
      file->take_over_rights();
      Replacement replacement(file->temporary_path_, file->target_path_);
      if (const int error = replacement.make(); error != 0)
        file->fail("cannot be given its name: " + std::generic_category().message(error) + take_back());
      made_.push_back({file, std::move(replacement)});
    }
    for (const OutputFile* file : remote_) {
      try {
        file->remote_->publish(file != remote_.back());
      } catch (const FileError& error) {
        file->fail(said_once("cannot be given its name: ", problem_of(error)) + take_back());
      }
    }
  }

  std::string take_back() {
    std::string lost;
    for (const OutputFile* file : remote_)
      if (const std::string problem = file->remote_->undo(); !problem.empty()) lost += "; " + problem;
    for (auto each = made_.rbegin(); each != made_.rend(); ++each) {
      if (each->replacement.undo()) continue;
      each->file->temporary_path_.clear();  // the old file has this name
      if (!each->replacement.old_path().empty())
        lost += "; what " + each->file->path() + " was before is in " + each->replacement.old_path();
    }
    return lost;
  }

  void settle() {
    std::set<std::filesystem::path> folders, synchronised;
    for (Made& each : made_) {
      each.replacement.settle();
      each.file->temporary_path_.clear();
      ::close(std::exchange(each.file->descriptor_, -1));
      folders.insert(folder_of(each.file->target_path_));
      if (each.file->is_synchronised_) synchronised.insert(folder_of(each.file->target_path_));
    }
    for (const OutputFile* file : remote_) file->remote_->settle();
    for (OutputFile* file : remote_) {
      ::unlink(std::exchange(file->temporary_path_, {}).c_str());
      ::close(std::exchange(file->descriptor_, -1));
    }
    for (const std::filesystem::path& folder : synchronised) synchronise_folder(folder);
    for (const std::filesystem::path& folder : folders) keep_folders(folder);
  }

  // What took hours to compute is not lost because a server fails.
  std::string keep() {
    std::string text;
    for (OutputFile* file : files_) {
      if (file->temporary_path_.empty()) continue;
      const std::string kept = kept_name(file->target_path_);
      if (std::rename(file->temporary_path_.c_str(), kept.c_str()) != 0) continue;
      file->temporary_path_.clear();
      text += (text.empty() ? "; complete and kept as " : ", ") + kept;
    }
    return text;
  }

  std::vector<OutputFile*> files_, remote_;
  std::vector<Made> made_;
};

void publish_together(std::span<OutputFile* const> files, StopFlag stop) { Publication(files).make(stop); }

}  // namespace skimline::io
