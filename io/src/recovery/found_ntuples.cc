// SPDX-License-Identifier: BSD-3-Clause
#include "recovery/found_ntuples.h"

#include "rntuple/envelope.h"
#include "rntuple/stored_page.h"
#include "rntuple/uncommitted_ntuple.h"

#include "skimline/framework/error.h"
#include "skimline/io/format_error.h"
#include "skimline/io/rntuple_metadata.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <oneapi/tbb/parallel_for.h>

namespace skimline::io {
namespace {

// Headers and page lists have no more, decompressed.
constexpr std::uint64_t kLargestEnvelope = 256 * 1024 * 1024;
constexpr std::size_t kMostAttempts = 16;

std::string number_of(std::uint64_t count, const char* one, const char* many) {
  return decimal(count) + " " + (count == 1 ? one : many);
}

struct FoundEnvelope {
  EnvelopeLink link;
  std::uint64_t header_checksum = 0;  // its own, or that of the header it belongs to
};

// Metadata are compressed, or say what they are; pages of a cluster lie raw in their record.
std::optional<FoundEnvelope> envelope_in(const InputFile& file, const StoredKey& key, EnvelopeType type) {
  const EnvelopeLink link{key.object_size, {key.offset + key.key_size, key.record_size - key.key_size}};
  if (link.raw_size > kLargestEnvelope || link.locator.size < sizeof(std::uint64_t)) return {};
  if (link.raw_size == link.locator.size) {
    std::vector<std::byte> preamble(sizeof(std::uint64_t));
    file.read(link.locator.offset, preamble);
    const auto stated = ByteReader(preamble).little<std::uint64_t>();
    if ((stated & 0xFFFF) != static_cast<std::uint64_t>(type) || stated >> 16 != link.raw_size) return {};
  }
  try {
    const Envelope envelope = read_envelope(file, link, type);
    const bool is_header = type == EnvelopeType::kHeader;
    return FoundEnvelope{link, is_header ? envelope.checksum : envelope.payload().little<std::uint64_t>()};
  } catch (const FormatError&) {
    return {};
  }
}

bool is_whole(const InputFile& file, const RNTupleDescriptor& descriptor, const ClusterDescriptor& cluster) {
  try {
    for (std::size_t column = 0; column < cluster.columns.size(); ++column)
      for (const PageInfo& page : cluster.columns[column].pages) {
        std::vector<std::byte> stored(stored_size(page));
        file.read(page.locator.offset, stored);
        verify_block(verified_block(page, stored), descriptor.columns[column], page.num_elements);
      }
    return true;
  } catch (const FormatError&) {
    return false;
  } catch (const FileError& error) {
    if (error.fault() != FileFault::kDamaged) throw;
    return false;
  }
}

class NTupleSearch {
 public:
  NTupleSearch(const FoundFile& found, const StopFlag& stop) : found_(found), stop_(stop) {}

  RecoveredNTuples find() {
    for (const std::string& name : ntuple_names(*found_.file)) add_anchored(name);
    // Older ones of a name are none that were never committed.
    for (const RootKey& key : found_.file->keys())
      if (key.class_name == kAnchorClass) note_anchor(key);
    add_uncommitted();
    return std::move(recovered_);
  }

 private:
  const InputFile& input() const { return found_.file->input(); }

  void note_anchor(const RootKey& key) {
    const std::string name = key.path.substr(key.path.rfind('/') + 1);
    names_.insert(name);
    std::uint64_t& last = last_anchors_[name];
    last = std::max(last, key.offset);
  }

  void add_anchored(const std::string& path) {
    try {
      RNTupleDescriptor descriptor = read_descriptor(*found_.file, path);
      names_.insert(descriptor.name);
      add(path, std::move(descriptor), {});
    } catch (const FileError& error) {
      if (error.fault() != FileFault::kDamaged) throw;
      recovered_.losses.push_back("RNTuple \"" + path + "\": " + error.what());
    }
  }

  // Headers in the order of the file; an RNTuple that has an anchor is known already.
  void add_uncommitted() {
    std::vector<FoundEnvelope> headers;
    std::map<std::uint64_t, std::vector<EnvelopeLink>> lists;  // by the checksum of their header
    for (const StoredKey& blob : found_.records.blobs) {
      stop_.throw_if_set();
      if (const auto header = envelope_in(input(), blob, EnvelopeType::kHeader))
        headers.push_back(*header);
      else if (const auto list = envelope_in(input(), blob, EnvelopeType::kPageList))
        lists[list->header_checksum].push_back(list->link);
    }
    std::set<std::uint64_t> known;
    for (const FoundEnvelope& header : headers)
      if (known.insert(header.header_checksum).second)
        add_uncommitted(header.link, lists[header.header_checksum]);
      else
        say_if_newest(header.link);
  }

  // One in another directory, or with the header of one that was committed.
  void say_if_newest(const EnvelopeLink& header) {
    try {
      say_if_newest(read_uncommitted(input(), header, {}).name, header);
    } catch (const FormatError&) {  // as it was said of the first with this header
    }
  }

  // Headers lie in front of their anchors.
  void say_if_newest(const std::string& name, const EnvelopeLink& header) {
    const auto last = last_anchors_.find(name);
    if (last == last_anchors_.end() || header.locator.offset < last->second) return;
    recovered_.losses.push_back("another RNTuple \"" + name + "\", whose header is at byte " +
                                decimal(header.locator.offset) + ": it was never committed");
  }

  // What lies behind a list that cannot be read is left out.
  void add_uncommitted(const EnvelopeLink& header, const std::vector<EnvelopeLink>& lists) {
    std::string problem;
    for (std::size_t left_out = 0; left_out <= std::min(lists.size(), kMostAttempts); ++left_out) {
      try {
        RNTupleDescriptor descriptor =
            read_uncommitted(input(), header, std::span(lists).first(lists.size() - left_out));
        const std::string name = descriptor.name;
        if (!names_.insert(name).second) return say_if_newest(name, header);
        std::vector<std::string> losses{"what was written behind its last page list: it was never committed"};
        if (!problem.empty()) losses.push_back(problem);
        if (descriptor.clusters.empty())
          recovered_.losses.push_back("RNTuple \"" + name + "\": it was never committed, and " +
                                      (problem.empty() ? "no list of its pages was written" : problem));
        else
          add(name, std::move(descriptor), std::move(losses));
        return;
      } catch (const FormatError& error) {
        if (problem.empty()) problem = error.what();
      }
    }
    recovered_.losses.push_back("an RNTuple whose header is at byte " + decimal(header.locator.offset) +
                                ": " + problem);
  }

  void add(const std::string& path, RNTupleDescriptor descriptor, std::vector<std::string> losses) {
    std::vector<char> are_whole(descriptor.clusters.size());
    oneapi::tbb::parallel_for(std::size_t{0}, are_whole.size(), [&](std::size_t i) {
      stop_.throw_if_set();
      are_whole[i] = is_whole(input(), descriptor, descriptor.clusters[i]) ? 1 : 0;
    });
    const auto first = std::find(are_whole.begin(), are_whole.end(), 0);
    const auto num_whole = static_cast<std::size_t>(first - are_whole.begin());
    const std::uint64_t num_entries = descriptor.num_entries();
    descriptor.clusters.resize(num_whole);
    if (const std::size_t lost = are_whole.size() - num_whole; lost > 0)
      losses.push_back(number_of(lost, "cluster", "clusters") + " from entry " +
                       decimal(descriptor.num_entries()) + " to " + decimal(num_entries - 1) +
                       ", of which the first has a damaged page");
    for (const std::string& set : descriptor.attribute_sets)
      losses.push_back("the attributes \"" + set + "\" of its entries");
    descriptor.attribute_sets.clear();
    auto ntuple = std::make_shared<NTupleInput>();
    ntuple->file = std::make_unique<InputFile>(found_.file->path());
    ntuple->descriptor = std::move(descriptor);
    recovered_.ntuples.push_back({path, std::move(ntuple), std::move(losses)});
  }

  const FoundFile& found_;
  const StopFlag& stop_;
  std::set<std::string> names_;
  std::map<std::string, std::uint64_t> last_anchors_;  // of all of a name: where the last one lies
  RecoveredNTuples recovered_;
};

}  // namespace

RecoveredNTuples recover_ntuples(const FoundFile& found, const StopFlag& stop) {
  return NTupleSearch(found, stop).find();
}

}  // namespace skimline::io
