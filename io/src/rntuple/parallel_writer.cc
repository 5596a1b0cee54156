// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/parallel_writer.h"

#include "rntuple/cluster_filler.h"
#include "rntuple/rntuple_output.h"
#include "rntuple/writable_columns.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>

namespace skimline::io {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

RNTupleOutputOptions output_options(const ParallelWriterOptions& options) {
  RNTupleOutputOptions output;
  output.ntuple_name = options.ntuple_name;
  output.description = options.description;
  output.metadata_compression = options.settings.compression.value_or(CompressionSetting{});
  return output;
}

}  // namespace

class ParallelWriter::Implementation : public ClusterTarget {
 public:
  Implementation(std::unique_ptr<RootFileWriter> own_file, RootFileWriter* file,
                 const std::vector<OutputField>& fields, ParallelWriterOptions options)
      : options_(checked(std::move(options))),
        sizes_(options_.settings.sizes(kRNTupleSizes)),
        columns_(fields, options_.settings.compression),
        pool_(0),
        own_file_(std::move(own_file)),
        output_(own_file_ ? *own_file_ : *file, columns_.schema(), output_options(options_)) {}

  std::unique_ptr<FillContext> make_context(std::optional<std::uint64_t> ticket) {
    register_context(ticket);
    return std::make_unique<FillContext>(
        std::make_unique<ClusterFiller>(columns_, sizes_, pool_, *this, ticket.value_or(0)));
  }

  void register_context(std::optional<std::uint64_t> ticket) {
    const std::lock_guard lock(mutex_);
    check_unfinished();
    if (has_contexts_ && has_tickets_ != ticket.has_value())
      throw ConfigError("contexts with and without tickets in one writer");
    if (ticket && (*ticket < next_ticket_ || !tickets_.insert(*ticket).second))
      throw ConfigError("ticket " + std::to_string(*ticket) + " was used before");
    has_contexts_ = true;
    has_tickets_ = ticket.has_value();
    ++num_open_;
    // What the contexts hold may lie idle once more: never more than twice the clusters they work on.
    pool_.set_max_idle_bytes(num_open_ * sizes_.cluster_bytes);
  }

  void take(std::uint64_t ticket, SealedCluster cluster, double seconds_sealing) override {
    const Clock::time_point start = Clock::now();
    std::vector<WriteJob> jobs;
    {
      const std::lock_guard lock(mutex_);
      const Clock::time_point locked = Clock::now();
      statistics_.seconds_sealing += seconds_sealing;
      statistics_.seconds_waiting += seconds_between(start, locked);
      check_complete();
      if (has_tickets_ && ticket != next_ticket_)
        waiting_[ticket].push_back(std::move(cluster));
      else
        commit(std::move(cluster), jobs);
      note_lock(locked);
    }
    write(jobs);
  }

  void close(std::uint64_t ticket) override {
    std::vector<WriteJob> jobs;
    {
      const std::lock_guard lock(mutex_);
      const Clock::time_point locked = Clock::now();
      check_complete();
      if (has_tickets_) {
        closed_.insert(ticket);
        advance(jobs);
      }
      note_lock(locked);
    }
    write(jobs);
    const std::lock_guard lock(mutex_);
    --num_open_;
  }

  void abandon() override {
    const std::lock_guard lock(mutex_);
    --num_open_;
    is_incomplete_ = true;
    waiting_.clear();
  }

  std::uint64_t finish() {
    const std::lock_guard lock(mutex_);
    check_unfinished();
    check_complete();
    if (num_open_ > 0)
      throw Error("fill contexts that are not closed: " + std::to_string(num_open_) +
                  "; their entries would be missing");
    if (has_tickets_ && !tickets_.empty())
      throw Error("ticket " + std::to_string(next_ticket_) + " was not used: later entries would be missing");
    is_finished_ = true;
    const std::uint64_t hash = output_.finish();
    if (own_file_) statistics_.file_bytes = own_file_->commit(hash);
    return hash;
  }

  ParallelWriterStatistics statistics() const {
    const std::lock_guard lock(mutex_);
    ParallelWriterStatistics statistics = statistics_;
    statistics.num_entries = output_.num_entries();
    statistics.num_clusters = output_.num_clusters();
    statistics.num_pages = output_.num_pages();
    statistics.peak_page_bytes = pool_.peak_bytes();
    return statistics;
  }

 private:
  void check_unfinished() const {
    if (is_finished_) throw Error("the writer is finished");
  }

  // Contexts that go on would work, and wait for a ticket that is never closed, in vain.
  void check_complete() const {
    if (is_incomplete_) throw Error("a fill context was not closed: its entries would be missing");
  }

  void commit(SealedCluster&& cluster, std::vector<WriteJob>& jobs) {
    for (std::size_t i = 0; i < columns_.size(); ++i)
      statistics_.bytes_in_memory += cluster.end().num_elements[i] * size_of(columns_[i].scalar);
    output_.commit(std::move(cluster), jobs);
  }

  // Commits what waited for a ticket that is closed now.
  void advance(std::vector<WriteJob>& jobs) {
    while (closed_.erase(next_ticket_) != 0) {
      tickets_.erase(next_ticket_++);
      const auto waiting = waiting_.find(next_ticket_);
      if (waiting == waiting_.end()) continue;
      for (SealedCluster& cluster : waiting->second) commit(std::move(cluster), jobs);
      waiting_.erase(waiting);
    }
  }

  void note_lock(Clock::time_point locked) {
    const double seconds = seconds_between(locked, Clock::now());
    statistics_.seconds_locked += seconds;
    statistics_.longest_seconds_locked = std::max(statistics_.longest_seconds_locked, seconds);
  }

  void write(const std::vector<WriteJob>& jobs) {
    const Clock::time_point start = Clock::now();
    for (const WriteJob& job : jobs) output_.write(job);
    const double seconds = seconds_between(start, Clock::now());
    const std::lock_guard lock(mutex_);
    statistics_.seconds_writing += seconds;
  }

  ParallelWriterOptions options_;
  WriterSizes sizes_;
  WritableColumns columns_;
  BufferPool pool_;
  std::unique_ptr<RootFileWriter> own_file_;
  mutable std::mutex mutex_;
  RNTupleOutput output_;
  ParallelWriterStatistics statistics_;
  std::size_t num_open_ = 0;
  bool is_incomplete_ = false;  // a context was destroyed before it was closed
  bool is_finished_ = false;
  bool has_contexts_ = false;
  bool has_tickets_ = false;
  std::uint64_t next_ticket_ = 0;    // the smallest whose context is not closed
  std::set<std::uint64_t> tickets_;  // used, from next_ticket_ on
  std::set<std::uint64_t> closed_;
  std::map<std::uint64_t, std::vector<SealedCluster>> waiting_;
};

ParallelWriter::ParallelWriter(std::string path, const std::vector<OutputField>& fields,
                               ParallelWriterOptions options)
    : implementation_(std::make_unique<Implementation>(
          std::make_unique<RootFileWriter>(std::move(path), std::vector<std::string>{"ROOT::RNTuple"}),
          nullptr, fields, std::move(options))) {}

ParallelWriter::ParallelWriter(RootFileWriter& file, const std::vector<OutputField>& fields,
                               ParallelWriterOptions options)
    : implementation_(std::make_unique<Implementation>(nullptr, &file, fields, std::move(options))) {}

ParallelWriter::~ParallelWriter() = default;

std::unique_ptr<FillContext> ParallelWriter::make_context() {
  return implementation_->make_context(std::nullopt);
}

std::unique_ptr<FillContext> ParallelWriter::make_context(std::uint64_t ticket) {
  return implementation_->make_context(ticket);
}

std::uint64_t ParallelWriter::finish() { return implementation_->finish(); }

ParallelWriterStatistics ParallelWriter::statistics() const { return implementation_->statistics(); }

}  // namespace skimline::io
