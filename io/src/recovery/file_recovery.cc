// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/file_recovery.h"

#include "merging/ntuple_merge.h"
#include "merging/tree_merge.h"
#include "recovery/found_file.h"
#include "recovery/found_ntuples.h"
#include "recovery/tree_recovery.h"
#include "rntuple/schema_union.h"
#include "root/process_ids.h"
#include "root/record_key.h"
#include "root/streamer_info.h"
#include "root/streamer_info_reader.h"
#include "root/streamer_info_union.h"

#include "skimline/framework/error.h"
#include "skimline/io/exact_sums_record.h"
#include "skimline/io/format_error.h"
#include "skimline/io/output_file.h"
#include "skimline/io/root_file_writer.h"
#include "skimline/io/tree_metadata.h"
#include "skimline/io/tree_verification.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace skimline::io {
namespace {

constexpr std::size_t kStreamerInfoKey = 64;
constexpr std::size_t kNamedProblems = 3;

struct FoundTree {
  std::string path;
  RecoveredTree tree;
};

// Baskets of a tree in a file that are not what their branches say.
std::vector<std::string> undecodable(const std::string& output, const std::string& path,
                                     const StopFlag& stop) {
  const std::string front = output + ": ", tree = "TTree \"" + path + "\", ";
  const auto without_place = [&](std::string problem) {
    if (problem.starts_with(front)) problem.erase(0, front.size());
    if (problem.starts_with(tree)) problem.erase(0, tree.size());
    return problem;
  };
  std::vector<std::string> problems;
  try {
    for (const VerificationFault& fault : verify_tree(RootFile(output), path, stop).faults)
      problems.push_back(without_place(fault.problem));
  } catch (const FileError& error) {
    if (error.fault() != FileFault::kDamaged) throw;
    problems.push_back(without_place(error.what()));
  }
  return problems;
}

// Recovers one file.
class Recovery {
 public:
  Recovery(const std::string& input, const StopFlag& stop) : found_(find_file(input, stop)), stop_(stop) {
    options_.inputs = {input};
    options_.allows_copies = true;
    options_.cluster_bytes = 0;
    options_.stop = stop;
  }

  RecoverySummary write(const std::string& output, const std::function<void()>& before_naming) {
    sort_keys();
    find_trees();
    find_ntuples();
    find_objects();
    if (trees_.empty() && ntuples_.empty() && objects_.empty()) throw nothing_found();
    const std::unique_ptr<RootFileWriter> writer = begin_output(output);
    std::uint64_t hash = 0;
    for (FoundTree& tree : trees_) hash = hash * 31 + write_tree(tree, *writer);
    for (RecoveredNTuple& ntuple : ntuples_) hash = hash * 31 + write_ntuple(ntuple, *writer);
    for (const RootKey* key : objects_) writer->add_object(object_of(*key));
    summary_.num_objects = objects_.size();
    summary_.bytes_read = found_.file->input().size();
    summary_.bytes_skipped = found_.records.bytes_skipped;
    found_.file->input().check_unchanged();
    summary_.bytes_written = writer->complete(hash);
    try_to_decode(writer->file().current_path());
    before_naming();
    writer->file().publish(stop_);
    return std::move(summary_);
  }

 private:
  const std::vector<RootKey>& keys() const { return found_.file->keys(); }

  FileError nothing_found() const {
    std::string text = "nothing in it is whole";
    const char* separator = ": ";
    for (const std::string& loss : summary_.losses) {
      text += separator + loss;
      separator = "; ";
    }
    return FileError(found_.file->path(), text, FileFault::kDamaged);
  }

  // Those of each path, the newest cycle first.
  void sort_keys() {
    for (const RootKey& key : keys()) cycles_[key.path].push_back(&key);
    for (auto& [path, cycles] : cycles_)
      std::stable_sort(cycles.begin(), cycles.end(),
                       [](const RootKey* a, const RootKey* b) { return a->cycle > b->cycle; });
  }

  void find_trees() {
    for (const std::string& path : tree_names(*found_.file)) {
      std::vector<std::string> problems;
      std::optional<RecoveredTree> tree;
      for (const RootKey* key : cycles_.at(path))
        if (!tree && is_tree_class(key->class_name)) tree = try_tree(*key, problems);
      for (std::string& problem : problems)
        (tree ? tree->losses : summary_.losses).push_back(std::move(problem));
      if (tree) trees_.push_back({path, std::move(*tree)});
    }
    say_which_lack_trees();
  }

  std::optional<RecoveredTree> try_tree(const RootKey& key, std::vector<std::string>& problems) const {
    const auto note = [&](const std::string& what) {
      problems.push_back("TTree \"" + key.path + ";" + decimal(key.cycle) + "\": " + what);
      return std::nullopt;
    };
    try {
      return recover_tree(found_, key);
    } catch (const FormatError& error) {
      return note(error.what());
    } catch (const FileError& error) {
      if (error.fault() != FileFault::kDamaged) throw;
      return note(error.what());
    }
  }

  // Baskets of trees of which no object was written say nothing of types.
  void say_which_lack_trees() {
    std::set<std::string> known;
    for (const RootKey& key : keys())
      if (is_tree_class(key.class_name)) known.insert(key.path.substr(key.path.rfind('/') + 1));
    std::map<std::string, std::uint64_t> lacking;
    for (const auto& [owner, baskets] : found_.records.baskets)
      if (!known.contains(owner.first)) lacking[owner.first] += baskets.size();
    for (const auto& [name, count] : lacking)
      summary_.losses.push_back("TTree \"" + name + "\": " + decimal(count) +
                                (count == 1 ? " basket" : " baskets") +
                                ", but the tree itself, which says what they hold, was never written");
  }

  void find_ntuples() {
    RecoveredNTuples found = recover_ntuples(found_, stop_);
    for (RecoveredNTuple& ntuple : found.ntuples) {
      const RootKey* const newest = newest_of(ntuple.path);
      if (newest == nullptr || newest->class_name == kAnchorClass)
        ntuples_.push_back(std::move(ntuple));
      else
        summary_.losses.push_back("RNTuple \"" + ntuple.path + "\", which was never committed: a " +
                                  newest->class_name + " has its name");
    }
    std::move(found.losses.begin(), found.losses.end(), std::back_inserter(summary_.losses));
  }

  const RootKey* newest_of(const std::string& path) const {
    const auto found = cycles_.find(path);
    return found == cycles_.end() ? nullptr : found->second.front();
  }

  void find_objects() {
    std::set<std::string> done;
    for (const FoundTree& tree : trees_) done.insert(tree.path);
    for (const RecoveredNTuple& ntuple : ntuples_) done.insert(ntuple.path);
    for (const RootKey& key : keys())
      if (key.class_name == kPreReleaseClass) {
        // Its pages do not come along.
        if (done.insert(key.path).second)
          summary_.losses.push_back("\"" + key.path +
                                    "\" is a pre-release RNTuple, written by ROOT before 6.34");
      } else if (is_other(key) && done.insert(key.path).second) {
        find_object(key.path);
      }
  }

  // Neither a tree nor an RNTuple.
  static bool is_other(const RootKey& key) {
    return !is_tree_class(key.class_name) && key.class_name != kAnchorClass;
  }

  // The newest cycle that is whole.
  void find_object(const std::string& path) {
    std::string problem;
    for (const RootKey* key : cycles_.at(path)) {
      if (!is_other(*key)) continue;
      try {
        if (object_of(*key).blob.empty() && size_of_sums(*key) != 0)
          summary_.losses.push_back("\"" + path + "\": " + kNoExactSums);
        objects_.push_back(key);
        if (!problem.empty()) summary_.losses.push_back(problem + ", an older cycle of it is kept");
        return;
      } catch (const FormatError& error) {
        if (problem.empty()) problem = "\"" + path + "\" (" + key->class_name + "): " + error.what();
      } catch (const FileError& error) {
        if (error.fault() != FileFault::kDamaged) throw;
        if (problem.empty()) problem = "\"" + path + "\" (" + key->class_name + "): " + error.what();
      }
    }
    summary_.losses.push_back(problem);
  }

  // As it is stored: places in an object count from a key of the same size.
  RootObject object_of(const RootKey& key) const {
    static_cast<void>(found_.file->read_object(key));
    const std::vector<std::byte> record = found_.file->read_record(key);
    RecordKey written{key.class_name, key.path.substr(key.path.rfind('/') + 1), key.title};
    RootObject object{key.class_name, key.path, key.title, {}};
    object.process_offset = process_offset(record);
    written.is_long = true;
    object.has_long_key = written.size() == key.key_size || object.process_offset != 0;
    written.is_long = object.has_long_key;
    // A name with slashes becomes directories: blanks behind the title stand in for them.
    if (written.size() < key.key_size) object.title.append(key.key_size - written.size(), ' ');
    written.title = object.title;
    if (written.size() != key.key_size) throw FormatError("its key is not of the usual size");
    object.payload.assign(record.begin() + key.key_size, record.end());
    object.blob = sums_of(key, object.payload);
    if (object.payload.size() >= key.object_size)
      object.payload.resize(key.object_size);
    else
      object.object_size = key.object_size;
    return object;
  }

  // Bytes of the record with exact sums behind a histogram of ours; 0 if there is none that is whole.
  std::uint64_t size_of_sums(const RootKey& key) const {
    const InputFile& input = found_.file->input();
    const std::uint64_t begin = key.offset + key.record_size;
    std::vector<std::byte> front(
        static_cast<std::size_t>(std::min<std::uint64_t>(input.size() - begin, kExactSumsFront)));
    input.read(begin, front);
    const std::uint64_t size = exact_sums_record_size(front);
    return size <= input.size() - begin ? size : 0;
  }

  // The payload of that record. Throws FormatError if the object is not the one it was written with.
  std::vector<std::byte> sums_of(const RootKey& key, std::span<const std::byte> stored) const {
    std::vector<std::byte> record(static_cast<std::size_t>(size_of_sums(key)));
    if (record.empty()) return {};
    found_.file->input().read(key.offset + key.record_size, record);
    bool fits = false;
    try {
      fits = exact_sums_fit(record, stored);
    } catch (const FormatError&) {
      return {};
    }
    if (!fits) throw FormatError(kChangedObject);
    return {record.begin() + static_cast<std::ptrdiff_t>(blob_key(0).size()), record.end()};
  }

  // With the descriptions of classes that the file has, if it has any.
  std::unique_ptr<RootFileWriter> begin_output(const std::string& output) {
    const RootKey& key = found_.file->streamer_info();
    if (key.record_size != 0) {
      try {
        const std::vector<std::byte> list = found_.file->read_object(key);
        read_class_layouts(list, key.key_size);
        summary_.has_class_descriptions = true;
        if (key.key_size == kStreamerInfoKey)
          return std::make_unique<RootFileWriter>(output, std::span<const std::byte>(list));
        // References in the list count its key, which Geant4 gives another title.
        StreamerInfoUnion descriptions;
        descriptions.add(list, key.key_size);
        return std::make_unique<RootFileWriter>(
            output, std::span<const std::byte>(descriptions.list(kStreamerInfoKey)));
      } catch (const FormatError&) {
      } catch (const FileError& error) {
        if (error.fault() != FileFault::kDamaged) throw;
      }
    }
    return std::make_unique<RootFileWriter>(output, known_classes());
  }

  std::vector<std::string> known_classes() const {
    std::set<std::string> classes;
    const auto add = [&](const std::string& name) {
      if (has_streamer_info(name)) classes.insert(name);
    };
    if (!ntuples_.empty()) classes.insert(std::string(kAnchorClass));
    if (!trees_.empty()) classes.insert("TTree");
    for (const FoundTree& tree : trees_) {
      for (const TreeBranch& branch : tree.tree.pattern.branches) add(branch.class_name);
      for (const TreeLeaf& leaf : tree.tree.pattern.leaves) add(leaf.class_name);
    }
    for (const RootKey* key : objects_) add(key->class_name);
    return {classes.begin(), classes.end()};
  }

  std::uint64_t write_tree(FoundTree& found, RootFileWriter& writer) {
    RecoveredEntries entries{found.path,
                             true,
                             found.tree.input->tree.num_entries,
                             found.tree.num_listed,
                             found.tree.pattern.branches.size(),
                             std::move(found.tree.losses)};
    TreeInputs inputs(found.path, options_);
    inputs.take(std::move(found.tree.pattern), std::move(found.tree.outline), std::move(found.tree.input));
    TreeMerge merge(writer, inputs, options_);
    merge.allow_cuts();
    merge.append([](std::uint64_t) {});
    const MergedNTuple merged = merge.finish();
    if (merged.num_entries != entries.num_entries)
      throw InternalError("\"" + found.path + "\" has " + decimal(merged.num_entries) + " entries");
    summary_.entries.push_back(std::move(entries));
    return merge.content_hash();
  }

  std::uint64_t write_ntuple(RecoveredNTuple& found, RootFileWriter& writer) {
    const RNTupleDescriptor& descriptor = found.input->descriptor;
    RecoveredEntries entries{found.path, false, descriptor.num_entries(), 0, 0, std::move(found.losses)};
    for (std::uint32_t i = 0; i < descriptor.fields.size(); ++i)
      entries.num_columns += descriptor.is_top_level(i) ? 1 : 0;
    SchemaUnion schema;
    schema.add(descriptor, found_.file->path());
    NTupleMerge merge(writer, found.path, MergeSchema(schema.unite(MissingFields::kRefuse)), options_);
    std::shared_ptr<const NTupleInput> next = std::move(found.input);
    merge.append([&] { return std::exchange(next, nullptr); }, [](std::uint64_t) {});
    merge.finish();
    summary_.entries.push_back(std::move(entries));
    return merge.content_hash();
  }

  // Trees have no checksums, so that what is decompressed need not be what its branch says. It is kept.
  void try_to_decode(const std::string& output) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(output, ignored)) return;
    for (RecoveredEntries& entries : summary_.entries) {
      if (!entries.is_tree) continue;
      const std::vector<std::string> problems = undecodable(output, entries.path, stop_);
      const std::size_t num_named = std::min(problems.size(), kNamedProblems);
      for (std::size_t i = 0; i < num_named; ++i)
        entries.losses.push_back("kept as it is, though it is damaged: " + problems[i]);
      if (num_named < problems.size())
        entries.losses.push_back("the same of " + decimal(problems.size() - num_named) + " more");
    }
  }

  FoundFile found_;
  const StopFlag& stop_;
  MergeOptions options_;
  std::vector<FoundTree> trees_;
  std::vector<RecoveredNTuple> ntuples_;
  std::map<std::string, std::vector<const RootKey*>> cycles_;  // by path
  std::vector<const RootKey*> objects_;
  RecoverySummary summary_;
};

}  // namespace

bool RecoverySummary::is_complete() const {
  return losses.empty() && std::all_of(entries.begin(), entries.end(),
                                       [](const RecoveredEntries& each) { return each.losses.empty(); });
}

RecoverySummary recover_file(const std::string& input, const std::string& output,
                             const std::function<void()>& before_naming, const StopFlag& stop) {
  return Recovery(input, stop).write(output, before_naming);
}

}  // namespace skimline::io
