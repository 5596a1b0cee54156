// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/tree_source.h"

#include "columns/read_ahead.h"
#include "storage/buffer_pool.h"
#include "ttree/class_trial.h"
#include "ttree/clones_classes.h"
#include "ttree/column_search.h"
#include "ttree/tree_baskets.h"
#include "ttree/tree_chain.h"
#include "ttree/tree_columns.h"
#include "ttree/tree_facts.h"
#include "ttree/tree_slice_reader.h"
#include "ttree/tree_slices.h"
#include "ttree/unread_branches.h"

#include "skimline/io/compression.h"
#include "skimline/io/format_error.h"
#include "skimline/io/input_file.h"
#include "skimline/io/opened_files.h"
#include "skimline/io/tree_metadata.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

namespace skimline::io {
namespace {

// Entries that a byte of a file can stand for, at most: each has a byte or more, of its own or of its
// offset.
constexpr std::uint64_t kMaxEntriesPerByte = kMaxExpansion;
// A tree of which no branch can be read may have any number of entries; more could not be looped over.
constexpr std::uint64_t kMaxUncheckedEntries = std::uint64_t{1} << 32;

// Baskets may lie in the same bytes, so that all of them together are compared with the file.
std::string impossible_size(const TreeBranch& branch, std::uint64_t file_bytes) {
  const auto refuse = [](const std::string& what, std::uint64_t num_entries) {
    return what + " cannot hold the " + std::to_string(num_entries) + " entries that the tree says";
  };
  for (std::size_t i = 0; i < branch.baskets.size(); ++i)
    if (branch.baskets[i].num_entries / kMaxEntriesPerByte > branch.baskets[i].size)
      return refuse("its basket " + std::to_string(i), branch.baskets[i].num_entries);
  if (branch.num_entries / kMaxEntriesPerByte > file_bytes) return refuse("the file", branch.num_entries);
  return {};
}

}  // namespace

class TreeSource::Implementation {
 public:
  Implementation(const InputLocation& location, InputOptions options, TreeChain& chain, ReadTree* read)
      : options_(std::move(options)),
        pool_(chain.pool ? chain.pool : std::make_shared<BufferPool>(options_.max_idle_bytes)),
        opened_(read != nullptr ? read->file : open_file(options_.files.get(), location.path)),
        root_(*opened_.root),
        checksums_(ChecksumFile::find(root_, options_.checksum_folder)),
        tree_(read != nullptr ? std::move(read->tree) : read_tree(root_, location.name)) {
    if (options_.slice_entries == 0 || options_.slice_bytes == 0)
      throw ConfigError("slices must have at least one entry");
    if (checksums_) verify_object();
    if (options_.requires_checksums && !tree_.is_object_verified)
      throw FileError(
          root_.path(),
          "the record of the TTree \"" + tree_.path + "\" has no checksum, and what is read must have one",
          FileFault::kUnverified);
    find_columns(chain.known);
    share_loads(chain);
    forget_object();
    cut_slices();
    facts_.push_back({location.path, tree_.path, DataFormat::kTTree, num_entries_,
                      tree_.cluster_begins.size(), root_.uuid(), size_of_metadata()});
    facts_.back().file_bytes = root_.input().size();
    facts_.back().version = root_.input().version();
    facts_.back().remote_bytes = root_.input().remote_bytes();
    facts_.back().has_checksum_file = checksums_ != nullptr;
    add_facts(tree_, facts_.back());
    metadata_ = opened_.reads();
    if (options_.max_open_files == 0) root_.input().release();
    read_ahead_ = std::make_unique<AheadSource>(
        chain.ahead ? chain.ahead : std::make_shared<ReadAhead>(options_.read_ahead_bytes),
        ReadAhead::Slices{
            [this] { return slices_.size(); }, [this](std::size_t) { return root_.input().cost(); },
            [this](std::size_t slice, ReaderThreads& threads) { return fetch_ahead(slice, threads); }});
  }

  std::unique_ptr<SliceReader> open_slice(std::size_t slice) {
    const EntryRange entries = slices_.at(slice);
    {
      const std::lock_guard lock(mutex_);
      ++num_readers_;
    }
    if (options_.read_ahead_bytes == 0 || !root_.input().is_kept_whole()) root_.input().drop_ends();
    root_.input().end_metadata();
    read_ahead_->note_opened(slice);
    return std::make_unique<TreeSliceReader>(
        TreeContext{fetcher(), *baskets_, columns_.columns, places_, is_loaded_.get(), loaded_columns_.get()},
        entries, [this, slice] { close_slice(slice); });
  }

  void read_ahead(std::span<const std::size_t> columns, std::size_t first_slice) {
    columns_of_all_.assign(columns.begin(), columns.end());
    read_ahead_->begin(first_slice);
  }

  std::uint64_t stored_bytes(std::size_t column) const {
    std::uint64_t bytes = 0;
    for (const TreeBasket& basket : branch_of(column).baskets) bytes += basket.size;
    return bytes;
  }

  // Keys of baskets count as values; they are a few per cent.
  FieldSize field_size(const std::string& name) const {
    FieldSize size;
    const std::optional<std::size_t> column = schema_.find(name);
    if (!column) return size;
    const TreeBranch& branch = branch_of(*column);
    size.stored = static_cast<double>(stored_bytes(*column));
    // Baskets inside the tree are not counted.
    size.in_memory = bytes_in_memory(branch);
    std::uint64_t largest = 0;
    for (const TreeBasket& basket : branch.baskets) largest = std::max(largest, basket.num_entries);
    if (branch.num_entries > 0)
      size.largest_page =
          size.in_memory * static_cast<double>(largest) / static_cast<double>(branch.num_entries);
    return size;
  }

  ReadStatistics statistics() const {
    read_ahead_->settle();
    ReadStatistics statistics;
    statistics.bytes_read = metadata_.bytes + counts_.bytes_read;
    statistics.read_calls = metadata_.calls + counts_.read_calls;
    statistics.seconds_waited = 1e-9 * static_cast<double>(counts_.nanoseconds_waited);
    statistics.pages_decoded = counts_.pages_decoded;
    statistics.bytes_decoded = counts_.bytes_decoded;
    const TreeBaskets::Used used = baskets_->used();
    statistics.bytes_verified = used.bytes_verified;
    statistics.bytes_unverified = used.bytes_unverified;
    if (slices_.empty()) return statistics;
    const EntryRange read{slices_.front().first, slices_.back().end() - slices_.front().first};
    for (const std::uint32_t branch : used_branches()) {
      const TreeBaskets::Unused unused = baskets_->unused(branch, read);
      statistics.pages_skipped += unused.count;
      statistics.bytes_skipped += unused.bytes;
    }
    return statistics;
  }

  void restrict_to(EntryRange entries) {
    const std::uint64_t first = std::min(entries.first, num_entries_);
    restriction_ = EntryRange{first, std::min(entries.count, num_entries_ - first)};
    cut_slices();
  }

  Carrying carry(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const std::optional<std::size_t> column = schema_.find(name);
      if (!column) throw SchemaError("there is no column \"" + name + "\"");
      reading_.kept.insert(columns_.columns[*column].branch);
    }
    cut_slices();
    return {nullptr, names};
  }

  void expect(const ExpectedReading& reading) {
    for (const std::size_t column : reading.columns) reading_.read.insert(columns_.columns.at(column).branch);
    reading_.kept_bytes_per_entry = reading.kept_bytes_per_entry;
    cut_slices();
  }

  const Schema& schema() const { return schema_; }
  std::uint64_t num_entries() const { return restriction_ ? restriction_->count : num_entries_; }
  const std::vector<EntryRange>& slices() const { return slices_; }
  std::size_t cluster_of(std::size_t slice) const {
    const auto& begins = tree_.cluster_begins;
    return static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), slices_[slice].first) -
                                    begins.begin());
  }
  const std::vector<InputFacts>& files() const { return facts_; }
  void check_unchanged() const { root_.input().check_unchanged(); }
  const std::vector<std::string>& type_names() const { return type_names_; }
  const TreeColumns& columns() const { return columns_; }
  const std::vector<std::string>& differences() const { return differences_; }
  const TreeDescriptor& tree() const { return tree_; }
  std::uint64_t num_unverified() const { return baskets_->used().num_unverified; }

 private:
  const TreeBranch& branch_of(std::size_t column) const {
    return tree_.branches[columns_.columns.at(column).branch];
  }

  void verify_object() {
    const RootKey& key = *root_.find(tree_.path);
    std::vector<std::byte> record(key.record_size);
    root_.input().read(key.offset, record);
    try {
      checksums_->verify(key.offset, record);
    } catch (const FormatError& problem) {
      throw FileError(root_.path(), "record of the TTree \"" + tree_.path + "\" at byte " +
                                        std::to_string(key.offset) + ": " + problem.what());
    }
    tree_.is_object_verified = true;
  }

  // Leaves out what has fewer entries than the tree, and what is not laid out as the file says.
  void find_columns(KnownClasses& known) {
    FetchCounts counts;  // what is read counts as metadata
    const BasketFetcher fetcher{root_.input(), tree_, options_.coalesce_gap, *pool_, counts};
    find_clones_classes(tree_, fetcher);
    columns_ = find_tree_columns(tree_);
    try_classes(fetcher, known);
    for (std::size_t column = 0; column < columns_.columns.size(); ++column)
      num_entries_ = std::max(num_entries_, branch_of(column).num_entries);
    num_entries_ = columns_.columns.empty() ? tree_.num_entries : std::min(num_entries_, tree_.num_entries);
    if (num_entries_ < tree_.num_entries)
      differences_.push_back("TTree \"" + tree_.path + "\" of " + root_.path() + " says that it has " +
                             std::to_string(tree_.num_entries) + " entries, but its branches have " +
                             std::to_string(num_entries_) + ": only those are read");
    std::vector<TreeColumn> kept;
    for (std::size_t column = 0; column < columns_.columns.size(); ++column) keep(column, kept);
    columns_.columns = std::move(kept);
    columns_.unsupported = unread_branches(tree_, columns_);
    if (columns_.columns.empty() && num_entries_ > kMaxUncheckedEntries)
      throw FileError(root_.path(), "TTree \"" + tree_.path + "\" has no branch that can be read");
    num_columns_.resize(tree_.branches.size());
    for (const TreeColumn& column : columns_.columns) {
      schema_.add({column.name, column.type, column.description});
      type_names_.push_back(column.type_name);
      places_.push_back(num_columns_[column.branch]++);
    }
    is_loaded_ = std::make_unique<std::atomic<bool>[]>(schema_.size());
    baskets_ = std::make_unique<TreeBaskets>(tree_, num_columns_);
    keep_collections(columns_.collections);
    keep_collections(columns_.equal_sizes);
  }

  void try_classes(const BasketFetcher& fetcher, KnownClasses& known) {
    for (const DoubtfulBranch& branch : columns_.doubtful)
      trials_.emplace(branch.branch, try_branch(branch, fetcher, known));
    columns_.doubtful.clear();
    for (TreeColumn& column : columns_.columns)
      if (const auto trial = trials_.find(column.branch); trial != trials_.end())
        column.is_proven = trial->second.is_proven;
  }

  void keep(std::size_t number, std::vector<TreeColumn>& kept) {
    TreeColumn& column = columns_.columns[number];
    const TreeBranch& branch = branch_of(number);
    std::string problem = impossible_size(branch, root_.input().size());
    if (const auto trial = trials_.find(column.branch); problem.empty() && trial != trials_.end())
      problem = trial->second.problem;
    if (problem.empty() && branch.num_entries < num_entries_)
      problem = "it has " + std::to_string(branch.num_entries) + " entries, the tree " +
                std::to_string(num_entries_);
    if (!problem.empty()) {
      columns_.unsupported.push_back({column.name, column.type_name, problem, column.branch});
      return;
    }
    if (branch.num_entries > num_entries_)
      differences_.push_back("branch \"" + branch.name + "\" of " + root_.path() + " has " +
                             std::to_string(branch.num_entries) + " entries: only those of the tree, " +
                             std::to_string(num_entries_) + ", are read");
    kept.push_back(std::move(column));
  }

  // Only of columns that are left.
  void keep_collections(std::vector<Collection>& collections) const {
    for (Collection& collection : collections) {
      std::erase_if(collection.columns, [this](const std::string& name) { return !schema_.find(name); });
      if (!collection.count.empty() && !schema_.find(collection.count)) collection.count.clear();
    }
    std::erase_if(collections, [](const Collection& collection) { return collection.columns.empty(); });
  }

  // Of thousands of files, the trees themselves would be too much to keep.
  void forget_object() {
    for (const TreeBranch& branch : tree_.branches)
      for (const TreeBasket& basket : branch.baskets)
        if (basket.is_embedded) return;
    tree_.object = {};
  }

  double size_of_metadata() const {
    double bytes = static_cast<double>(tree_.object.size());
    for (const TreeBranch& branch : tree_.branches)
      bytes += 800 + static_cast<double>(sizeof(TreeBasket) * branch.baskets.size());
    return bytes;
  }

  BasketFetcher fetcher() {
    return {root_.input(),
            tree_,
            options_.coalesce_gap,
            *pool_,
            counts_,
            options_.requires_checksums,
            checksums_.get(),
            read_ahead_->threads_for(root_.input().cost())};
  }

  // Chains of many small files would learn nothing from one tree alone.
  void share_loads(TreeChain& chain) {
    if (!chain.loaded) {
      chain.loaded = loaded_columns_;
      chain.columns = schema_.names();
    } else if (chain.columns == schema_.names()) {
      loaded_columns_ = chain.loaded;
    }
  }

  // The columns that are loaded of every slice, and those that were loaded of most so far: before that is
  // known, all that may be.
  std::uint64_t fetch_ahead(std::size_t slice, ReaderThreads& threads) {
    std::vector<bool> is_likely(schema_.size());
    for (const std::size_t column : columns_of_all_) is_likely[column] = true;
    if (!loaded_columns_->add_likely(is_likely))
      for (std::size_t column = 0; column < is_likely.size(); ++column)
        if (reading_.read.contains(columns_.columns[column].branch)) is_likely[column] = true;
    std::vector<BasketClaim> claims;
    for (std::size_t column = 0; column < is_likely.size(); ++column)
      if (is_likely[column]) baskets_->acquire(columns_.columns[column].branch, slices_[slice], claims);
    const BasketFetcher from = fetcher();
    std::uint64_t bytes = 0;
    for (const BasketClaim& claim : claims) bytes += from.basket(claim.which).size;
    for (std::vector<BasketClaim>& together : from.groups(std::move(claims)))
      threads.submit([from, together = std::move(together)] { from.fetch_or_fail(together); });
    return bytes;
  }

  std::vector<std::uint32_t> used_branches() const {
    std::vector<std::uint32_t> branches;
    for (std::size_t column = 0; column < schema_.size(); ++column)
      if (is_loaded_[column]) branches.push_back(columns_.columns[column].branch);
    std::sort(branches.begin(), branches.end());
    branches.erase(std::unique(branches.begin(), branches.end()), branches.end());
    return branches;
  }

  void cut_slices() {
    slices_ = tree_slices(tree_, reading_,
                          {options_.slice_entries, options_.slice_read_bytes, options_.slice_bytes},
                          restriction_.value_or(EntryRange{0, num_entries_}), num_entries_);
    baskets_->set_slices(slices_);
  }

  void close_slice(std::size_t slice) {
    baskets_->close(slice);
    const std::lock_guard lock(mutex_);
    if (++num_closed_ == slices_.size()) root_.input().drop_ends();
    if (--num_readers_ == 0 && options_.max_open_files == 0) root_.input().release();
  }

  InputOptions options_;
  std::shared_ptr<BufferPool> pool_;
  OpenedFile opened_;
  const RootFile& root_;
  std::shared_ptr<const ChecksumFile> checksums_;
  TreeDescriptor tree_;
  TreeColumns columns_;
  std::map<std::uint32_t, TrialResult> trials_;  // by branch
  FetchCounts counts_;
  ReadCounts metadata_;
  Schema schema_;
  std::vector<std::string> type_names_;
  std::vector<std::size_t> num_columns_;  // by branch
  std::vector<std::size_t> places_;       // by column: its number among those of its branch
  std::vector<std::string> differences_;
  std::vector<InputFacts> facts_;
  std::unique_ptr<std::atomic<bool>[]> is_loaded_;  // by column
  std::uint64_t num_entries_ = 0;                   // of the tree
  std::optional<EntryRange> restriction_;
  TreeReading reading_;
  std::vector<EntryRange> slices_;
  std::unique_ptr<TreeBaskets> baskets_;
  std::mutex mutex_;
  std::size_t num_readers_ = 0, num_closed_ = 0;  // slices
  std::vector<std::size_t> columns_of_all_;       // that are loaded of every slice
  std::shared_ptr<LoadedStreams> loaded_columns_ = std::make_shared<LoadedStreams>();
  std::unique_ptr<AheadSource> read_ahead_;  // uses all of these
};

TreeSource::TreeSource(const InputLocation& location, InputOptions options, TreeChain* chain,
                       const std::shared_ptr<ReadTree>& read) {
  TreeChain own;
  implementation_ =
      std::make_unique<Implementation>(location, std::move(options), chain ? *chain : own, read.get());
}

TreeSource::~TreeSource() = default;

const Schema& TreeSource::schema() const { return implementation_->schema(); }
std::uint64_t TreeSource::num_entries() const { return implementation_->num_entries(); }
const std::vector<EntryRange>& TreeSource::slices() const { return implementation_->slices(); }
void TreeSource::read_ahead(std::span<const std::size_t> columns, std::size_t first_slice) {
  implementation_->read_ahead(columns, first_slice);
}
std::size_t TreeSource::cluster_of(std::size_t slice) const { return implementation_->cluster_of(slice); }
std::unique_ptr<SliceReader> TreeSource::open_slice(std::size_t slice) {
  return implementation_->open_slice(slice);
}
std::uint64_t TreeSource::stored_bytes(std::size_t column) const {
  return implementation_->stored_bytes(column);
}
ReadStatistics TreeSource::statistics() const { return implementation_->statistics(); }
const std::vector<InputFacts>& TreeSource::files() const { return implementation_->files(); }
void TreeSource::check_unchanged() const { implementation_->check_unchanged(); }
const std::vector<std::string>& TreeSource::field_type_names() const { return implementation_->type_names(); }
const std::vector<UnsupportedField>& TreeSource::unsupported_fields() const {
  return implementation_->columns().unsupported;
}
const std::vector<Collection>& TreeSource::collections() const {
  return implementation_->columns().collections;
}
std::vector<Collection> TreeSource::lists_of_equal_sizes() const {
  return implementation_->columns().equal_sizes;
}
const std::vector<std::string>& TreeSource::columns_nowhere() const {
  static const std::vector<std::string> kNone;
  return kNone;
}
const std::vector<std::string>& TreeSource::differences() const { return implementation_->differences(); }
FieldSize TreeSource::field_size(const std::string& name) const { return implementation_->field_size(name); }
void TreeSource::restrict_to(EntryRange entries) { implementation_->restrict_to(entries); }
Carrying TreeSource::carry(const std::vector<std::string>& names) { return implementation_->carry(names); }
void TreeSource::expect(const ExpectedReading& reading) { implementation_->expect(reading); }
std::uint64_t TreeSource::num_unverified_baskets() const { return implementation_->num_unverified(); }
const TreeDescriptor& TreeSource::descriptor() const { return implementation_->tree(); }
std::uint32_t TreeSource::branch_of(std::size_t column) const {
  return implementation_->columns().columns.at(column).branch;
}

}  // namespace skimline::io
