// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/tree_source.h"

#include "columns/read_ahead.h"
#include "storage/buffer_pool.h"
#include "ttree/branch_baskets.h"
#include "ttree/examined_tree.h"
#include "ttree/kept_baskets.h"
#include "ttree/tree_baskets.h"
#include "ttree/tree_chain.h"
#include "ttree/tree_columns.h"
#include "ttree/tree_facts.h"
#include "ttree/tree_slice_reader.h"
#include "ttree/tree_slices.h"

#include "skimline/io/format_error.h"
#include "skimline/io/input_file.h"
#include "skimline/io/opened_files.h"
#include "skimline/io/tree_metadata.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

namespace skimline::io {
namespace {

bool has(const std::vector<std::uint32_t>& ascending, std::uint32_t number) {
  return std::binary_search(ascending.begin(), ascending.end(), number);
}

void insert(std::uint32_t number, std::vector<std::uint32_t>& ascending) {
  const auto place = std::lower_bound(ascending.begin(), ascending.end(), number);
  if (place == ascending.end() || *place != number) ascending.insert(place, number);
}

// What else a branch takes in memory of each file, with what the allocator does: measured.
constexpr std::size_t kMoreOfBranch = 80;

}  // namespace

class TreeSource::Implementation {
 public:
  Implementation(const InputLocation& location, InputOptions options, TreeChain& chain, ReadTree* read,
                 bool is_part)
      : options_(std::move(options)),
        pool_(chain.pool ? chain.pool : std::make_shared<BufferPool>(options_.max_idle_bytes)),
        opened_(read != nullptr ? read->file : open_file(options_.files.get(), location.path)),
        root_(*opened_.root),
        checksums_(ChecksumFile::find(root_, options_.checksum_folder)),
        tree_(read != nullptr ? std::move(read->tree) : read_tree(root_, location.name)),
        is_part_(is_part) {
    if (options_.slice_entries == 0 || options_.slice_bytes == 0)
      throw ConfigError("slices must have at least one entry");
    if (checksums_) verify_object();
    if (options_.requires_checksums && !tree_.is_object_verified)
      throw FileError(
          root_.path(),
          "the record of the TTree \"" + tree_.path + "\" has no checksum, and what is read must have one",
          FileFault::kUnverified);
    find_columns(chain);
    share_loads(chain);
    forget_object(tree_);
    cut_slices();
    facts_.push_back({location.path, tree_.path, DataFormat::kTTree, num_entries_,
                      tree_.cluster_begins.size(), root_.uuid(), size_of_metadata()});
    facts_.back().file_bytes = root_.input().size();
    facts_.back().version = root_.input().version();
    facts_.back().remote_bytes = root_.input().remote_bytes();
    facts_.back().has_checksum_file = checksums_ != nullptr;
    facts_.back().was_never_closed = root_.was_never_closed();
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
        TreeContext{fetcher(), name_of_file(options_, root_.path()), *baskets_, columns_->found.columns,
                    columns_->places, is_loaded_.get(), loaded_columns_.get()},
        entries, [this, slice] { close_slice(slice); });
  }

  void fetch_ahead() { read_ahead_->fetch(); }

  void read_ahead(std::span<const std::size_t> columns, std::size_t first_slice) {
    columns_of_all_.assign(columns.begin(), columns.end());
    read_ahead_->begin(first_slice);
  }

  std::uint64_t stored_bytes(std::size_t column) const {
    return static_cast<std::uint64_t>(kept_baskets_.size_of(branch_number(column)).stored);
  }

  FieldSize field_size(const std::string& name) const {
    const std::optional<std::size_t> column = schema().find(name);
    return column ? kept_baskets_.size_of(branch_number(*column)) : FieldSize{};
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
      const std::optional<std::size_t> column = schema().find(name);
      if (!column) throw SchemaError("there is no column \"" + name + "\"");
      add(*column, reading_.kept);
    }
    cut_slices();
    return {nullptr, names};
  }

  void expect(const ExpectedReading& reading) {
    for (const std::size_t column : reading.columns) add(column, reading_.read);
    reading_.kept_bytes_per_entry = reading.kept_bytes_per_entry;
    cut_slices();
    if (is_part_) keep_needed_baskets();
  }

  const Schema& schema() const { return columns_->schema; }
  std::uint64_t num_entries() const { return restriction_ ? restriction_->count : num_entries_; }
  const std::vector<EntryRange>& slices() const { return slices_; }
  std::size_t cluster_of(std::size_t slice) const {
    const auto& begins = tree_.cluster_begins;
    return static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), slices_[slice].first) -
                                    begins.begin());
  }
  const std::vector<InputFacts>& files() const { return facts_; }
  void check_unchanged() const { root_.input().check_unchanged(); }
  const ReadColumns& columns() const { return *columns_; }
  std::uint32_t branch_number(std::size_t column) const { return columns_->found.columns.at(column).branch; }
  const std::vector<std::string>& differences() const { return differences_; }
  const TreeDescriptor& tree() const { return tree_; }
  std::uint64_t num_unverified() const { return baskets_->used().num_unverified; }

 private:
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

  void find_columns(TreeChain& chain) {
    FetchCounts counts;  // what is read counts as metadata
    const BasketFetcher fetcher{root_.input(), tree_, options_.coalesce_gap, *pool_, counts};
    ExaminedTree examined = examine(tree_, root_, fetcher, chain);
    num_entries_ = examined.num_entries;
    columns_ = std::move(examined.columns);
    bytes_of_kind_ = examined.bytes_of_kind;
    differences_ = std::move(examined.differences);
    is_loaded_ = std::make_unique<std::atomic<bool>[]>(schema().size());
    baskets_ = std::make_unique<TreeBaskets>(tree_, columns_->num_columns,
                                             [this](std::uint32_t branch) { kept_baskets_.need(branch); });
  }

  double size_of_metadata() const {
    double bytes = bytes_of_kind_ + static_cast<double>(tree_.object.size());
    for (const BranchData& branch : tree_.branch_data)
      bytes += static_cast<double>(sizeof branch + sizeof(FieldSize) + kMoreOfBranch +
                                   sizeof(TreeBasket) * branch.baskets.size());
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
      chain.columns = columns_;
    } else if (chain.columns == columns_ || chain.columns->schema.names() == schema().names()) {
      loaded_columns_ = chain.loaded;
    }
  }

  // The columns that are loaded of every slice, and those that were loaded of most so far: before that is
  // known, all that may be.
  std::uint64_t fetch_ahead(std::size_t slice, ReaderThreads& threads) {
    std::vector<bool> is_likely(schema().size());
    for (const std::size_t column : columns_of_all_) is_likely[column] = true;
    if (!loaded_columns_->add_likely(is_likely))
      for (std::size_t column = 0; column < is_likely.size(); ++column)
        if (has(reading_.read, branch_number(column))) is_likely[column] = true;
    std::vector<BasketClaim> claims;
    for (std::size_t column = 0; column < is_likely.size(); ++column)
      if (is_likely[column]) baskets_->acquire(branch_number(column), slices_[slice], claims);
    const BasketFetcher from = fetcher();
    std::uint64_t bytes = 0;
    for (const BasketClaim& claim : claims) bytes += from.basket(claim.which).size;
    for (std::vector<BasketClaim>& together : from.groups(std::move(claims)))
      threads.submit([from, together = std::move(together)] { from.fetch_or_fail(together); });
    return bytes;
  }

  std::vector<std::uint32_t> used_branches() const {
    std::vector<std::uint32_t> branches;
    for (std::size_t column = 0; column < schema().size(); ++column)
      if (is_loaded_[column]) branches.push_back(branch_number(column));
    std::sort(branches.begin(), branches.end());
    branches.erase(std::unique(branches.begin(), branches.end()), branches.end());
    return branches;
  }

  // Slices are cut by where the baskets lie.
  void add(std::size_t column, std::vector<std::uint32_t>& branches) {
    kept_baskets_.need(branch_number(column));
    insert(branch_number(column), branches);
  }

  // Those of branches that are read, and of what counts their elements.
  void keep_needed_baskets() {
    std::vector<bool> is_needed(tree_.branches.size());
    for (const TreeColumn& column : columns_->found.columns) {
      if (!has(reading_.read, column.branch) && !has(reading_.kept, column.branch)) continue;
      is_needed[column.branch] = true;
      if (column.counter) is_needed[tree_.leaves[*column.counter].branch] = true;
    }
    kept_baskets_.keep_only(is_needed);
  }

  TreeDescriptor read_again() const {
    TreeDescriptor again = read_tree(root_, tree_.path);
    forget_object(again);
    if (again.branch_data.size() != tree_.branch_data.size())
      throw FileError(root_.path(), "changed while it was being read", FileFault::kUnavailable);
    return again;
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
  KeptBaskets kept_baskets_{tree_, [this] { return read_again(); }};
  std::shared_ptr<const ReadColumns> columns_;
  double bytes_of_kind_ = 0;  // if it is the first of its kind
  FetchCounts counts_;
  ReadCounts metadata_;
  std::vector<std::string> differences_;
  std::vector<InputFacts> facts_;
  std::unique_ptr<std::atomic<bool>[]> is_loaded_;  // by column
  std::uint64_t num_entries_ = 0;                   // of the tree
  std::optional<EntryRange> restriction_;
  TreeReading reading_;
  std::vector<EntryRange> slices_;
  std::unique_ptr<TreeBaskets> baskets_;
  bool is_part_;  // of a chain
  std::mutex mutex_;
  std::size_t num_readers_ = 0, num_closed_ = 0;  // slices
  std::vector<std::size_t> columns_of_all_;       // that are loaded of every slice
  std::shared_ptr<LoadedStreams> loaded_columns_ = std::make_shared<LoadedStreams>();
  std::unique_ptr<AheadSource> read_ahead_;  // uses all of these
};

TreeSource::TreeSource(const InputLocation& location, InputOptions options, TreeChain* chain,
                       const std::shared_ptr<ReadTree>& read) {
  TreeChain own;
  implementation_ = std::make_unique<Implementation>(location, std::move(options), chain ? *chain : own,
                                                     read.get(), chain != nullptr);
}

TreeSource::~TreeSource() = default;

const Schema& TreeSource::schema() const { return implementation_->schema(); }
std::uint64_t TreeSource::num_entries() const { return implementation_->num_entries(); }
const std::vector<EntryRange>& TreeSource::slices() const { return implementation_->slices(); }
void TreeSource::read_ahead(std::span<const std::size_t> columns, std::size_t first_slice) {
  implementation_->read_ahead(columns, first_slice);
}
void TreeSource::fetch_ahead() { implementation_->fetch_ahead(); }
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
const std::vector<std::string>& TreeSource::field_type_names() const {
  return implementation_->columns().type_names;
}
const std::vector<UnsupportedField>& TreeSource::unsupported_fields() const {
  return implementation_->columns().found.unsupported;
}
const std::vector<Collection>& TreeSource::collections() const {
  return implementation_->columns().found.collections;
}
std::vector<Collection> TreeSource::lists_of_equal_sizes() const {
  return implementation_->columns().found.equal_sizes;
}
const std::vector<std::string>& TreeSource::columns_nowhere() const {
  static const std::vector<std::string> kNone;
  return kNone;
}
const void* TreeSource::identity_of_columns() const { return &implementation_->columns(); }
const std::vector<std::string>& TreeSource::differences() const { return implementation_->differences(); }
FieldSize TreeSource::field_size(const std::string& name) const { return implementation_->field_size(name); }
void TreeSource::restrict_to(EntryRange entries) { implementation_->restrict_to(entries); }
Carrying TreeSource::carry(const std::vector<std::string>& names) { return implementation_->carry(names); }
void TreeSource::expect(const ExpectedReading& reading) { implementation_->expect(reading); }
std::uint64_t TreeSource::num_unverified_baskets() const { return implementation_->num_unverified(); }
const TreeDescriptor& TreeSource::descriptor() const { return implementation_->tree(); }
std::uint32_t TreeSource::branch_of(std::size_t column) const {
  return implementation_->branch_number(column);
}

}  // namespace skimline::io
