// SPDX-License-Identifier: BSD-3-Clause
// A whole file in any state: what is whole in it is recovered into a file that is sound, and what it holds is
// verified as it is.
#include "fuzz_target.h"
#include "memory_file.h"

#include "skimline/io/file_recovery.h"
#include "skimline/io/ntuple_verification.h"
#include "skimline/io/object_verification.h"
#include "skimline/io/rntuple_metadata.h"
#include "skimline/io/tree_metadata.h"
#include "skimline/io/tree_verification.h"

#include <filesystem>
#include <string>

#include <oneapi/tbb/global_control.h>
#include <unistd.h>

using namespace skimline;
using namespace skimline::testing;

namespace {

namespace fs = std::filesystem;

// Gone with the process.
class Folder {
 public:
  Folder() { fs::create_directories(path_); }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string file() const { return (path_ / "recovered.root").string(); }
  bool is_empty() const { return fs::is_empty(path_); }

 private:
  fs::path path_ = fs::temp_directory_path() / ("skimline-recovery-" + std::to_string(::getpid()));
};

void require_sound(const io::EventsVerification& events) {
  const char* const problem = events.faults.empty() ? "" : events.faults.front().problem.c_str();
  require(events.faults.empty(), problem);
}

// What was recovered is there, and sound.
void check_recovered(const std::string& path, const io::RecoverySummary& summary) {
  const io::RootFile file(path);
  for (const io::RecoveredEntries& entries : summary.entries) {
    require(file.find(entries.path) != nullptr, "recovered entries are not in the file");
    if (entries.is_tree)
      require(io::read_tree(file, entries.path).num_entries == entries.num_entries, "another tree");
    else
      require(io::read_descriptor(file, entries.path).num_entries() == entries.num_entries,
              "another RNTuple");
    if (!entries.losses.empty()) continue;
    require_sound(entries.is_tree ? io::verify_tree(file, entries.path)
                                  : io::verify_ntuple(file, entries.path));
  }
  const io::ObjectVerification objects = io::verify_objects(file);
  require(objects.faults.empty(), objects.faults.empty() ? "" : objects.faults.front().c_str());
  require(objects.num_histograms + objects.num_others == summary.num_objects, "another number of objects");
}

void recover(const std::string& input, const Folder& folder) {
  io::RecoverySummary summary;
  const StopFlag stop;
  if (!is_accepted([&] {
        summary = io::recover_file(
            input, folder.file(), [] {}, stop);
      })) {
    require(folder.is_empty(), "something is left of a recovery that failed");
    return;
  }
  try {
    check_recovered(folder.file(), summary);
  } catch (const InternalError&) {
    throw;
  } catch (const Error& error) {
    throw InternalError(std::string("what was recovered cannot be read: ") + error.what());
  }
  fs::remove(folder.file());
}

void verify(const std::string& path) {
  is_accepted([&] {
    const io::RootFile file(path);
    is_accepted([&] { io::verify_objects(file); });
    for (const std::string& name : io::tree_names(file)) is_accepted([&] { io::verify_tree(file, name); });
    for (const std::string& name : io::ntuple_names(file))
      is_accepted([&] { io::verify_ntuple(file, name); });
  });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const oneapi::tbb::global_control one_thread(oneapi::tbb::global_control::max_allowed_parallelism,
                                                      1);
  static const Folder folder;
  const MemoryFile memory(input_bytes(data, size));
  recover(memory.path(), folder);
  verify(memory.path());
  return 0;
}
