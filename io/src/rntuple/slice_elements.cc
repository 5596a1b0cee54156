// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/slice_elements.h"

#include <algorithm>
#include <cstring>
#include <exception>

namespace skimline::io {
namespace {

// What is wanted of one stream if both are.
ElementRange both(const ElementRange& a, const ElementRange& b) {
  if (a.size() == 0) return b;
  if (b.size() == 0) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

// Calls `work`, and fails what was claimed until then if it throws.
template <typename Work>
void fail_claims_unless_done(const std::vector<Claim>& claims, Work work) {
  try {
    work();
  } catch (...) {
    for (const Claim& claim : claims) claim.target->fail(std::current_exception());
    throw;
  }
}

}  // namespace

SliceElements::SliceElements(PageFetcher fetcher, std::size_t file, std::shared_ptr<ClusterPages> pages,
                             std::size_t slice)
    : fetcher_(fetcher),
      file_(file),
      pages_(std::move(pages)),
      slice_(slice),
      loaded_(fetcher.streams.size()) {}

std::uint64_t SliceElements::entries_in_cluster() const {
  return fetcher_.descriptor.clusters[pages_->cluster()].num_entries;
}

FileError SliceElements::error(std::size_t stream, const std::string& problem) const {
  return fetcher_.error(stream, pages_->cluster(), problem);
}

std::vector<bool> SliceElements::loaded_streams() const {
  std::vector<bool> is_loaded;
  for (const std::optional<Loaded>& each : loaded_) is_loaded.push_back(each.has_value());
  return is_loaded;
}

// Once for each stream, with what is loaded of it: different parts of a stream can be in use at once.
std::vector<ElementsWanted> SliceElements::with_loaded(std::span<const ElementsWanted> wanted) const {
  std::vector<ElementsWanted> sorted(wanted.begin(), wanted.end()), all;
  std::sort(sorted.begin(), sorted.end(),
            [](const ElementsWanted& a, const ElementsWanted& b) { return a.stream < b.stream; });
  all.reserve(sorted.size());
  for (const auto& [stream, elements] : sorted) {
    if (!all.empty() && all.back().stream == stream)
      all.back().elements = both(all.back().elements, elements);
    else
      all.push_back({stream, is_loaded(stream) ? both(elements, elements_of(stream).elements) : elements});
  }
  return all;
}

bool SliceElements::has(const ElementsWanted& wanted) const {
  if (!is_loaded(wanted.stream)) return false;
  const ElementRange& known = elements_of(wanted.stream).elements;
  return known.begin <= wanted.elements.begin && known.end >= wanted.elements.end;
}

void SliceElements::check_available(const ElementsWanted& wanted) const {
  const auto& [begin, end] = wanted.elements;
  const std::uint64_t available = num_elements(wanted.stream);
  if (begin > end || end > available)
    throw error(wanted.stream, "elements " + std::to_string(begin) + " to " + std::to_string(end) +
                                   " are needed of " + std::to_string(available));
}

void SliceElements::load(std::span<const ElementsWanted> wanted, bool decodes) {
  std::vector<ElementsWanted> undecoded;
  Acquired acquired;
  std::vector<Claim> claims;
  fail_claims_unless_done(claims, [&] {
    for (const ElementsWanted& each : with_loaded(wanted)) {
      if (has(each)) {
        if (decodes && !loaded_[each.stream]->is_decoded)
          undecoded.push_back({each.stream, elements_of(each.stream).elements});
        continue;
      }
      check_available(each);
      acquired.emplace_back(each.stream, pages_->acquire(slice_, each.stream, each.elements, claims));
    }
  });
  fetch(std::move(acquired), std::move(claims), decodes ? Decodes::kEverything : Decodes::kNothing);
  decode(undecoded);
  for (const ElementsWanted& each : undecoded) loaded_[each.stream]->is_decoded = true;
}

// Where the first list begins is said by the element before.
ElementRange SliceElements::with_end_before(const ElementsWanted& lists) const {
  const auto& [begin, end] = lists.elements;
  const std::uint64_t available = num_elements(lists.stream);
  if (end > available)
    throw error(lists.stream, "the lists end at value " + std::to_string(end) + " of " +
                                  std::to_string(available) + ", after " + std::to_string(begin));
  const bool needs_one_before = fetcher_.streams[lists.stream].is_index && begin > 0;
  return {begin - (needs_one_before ? 1 : 0), end};
}

void SliceElements::load_lists(std::span<const ElementsWanted> wanted) {
  Acquired acquired;
  std::vector<Claim> claims;
  fail_claims_unless_done(claims, [&] {
    for (const ElementsWanted& each : wanted)
      acquired.emplace_back(each.stream, pages_->acquire(slice_, each.stream, with_end_before(each), claims));
  });
  fetch(std::move(acquired), std::move(claims), Decodes::kIndexes);
}

void SliceElements::fetch(Acquired&& acquired, std::vector<Claim> claims, Decodes decodes) {
  // Own pages first: two readers that wait for each other's would wait for ever.
  fetcher_.fetch(pages_->cluster(), std::move(claims));
  const auto is_decoded = [&](std::size_t stream) {
    return decodes == Decodes::kEverything ||
           (decodes == Decodes::kIndexes && fetcher_.streams[stream].is_index);
  };
  std::vector<Claim> pages;
  for (const auto& [stream, each] : acquired)
    if (is_decoded(stream)) add_pages(stream, each, each.elements, pages);
  decode_pages(pages);
  for (auto& [stream, each] : acquired) {
    for (const std::shared_ptr<Page>& page : each.pages) fetcher_.wait_for(*page);
    loaded_[stream] = Loaded{std::move(each), is_decoded(stream)};
  }
}

// Adds those pages of a run that are not decoded yet.
void SliceElements::add_pages(std::size_t stream, const ElementPages& from, ElementRange run,
                              std::vector<Claim>& pages) {
  const std::vector<std::uint64_t>& begins = from.layout->begins;
  for (std::size_t i = 0; i < from.pages.size() && begins[from.first_page + i] < run.end; ++i)
    if (begins[from.first_page + i + 1] > run.begin && !from.pages[i]->is_decoded())
      pages.push_back({stream, from.layout, from.first_page + i, from.pages[i]});
}

// Each thread takes those that nobody has started. Of several that are damaged the first one in this order is
// said, whoever has found which.
void SliceElements::decode_pages(std::span<const Claim> pages) const {
  const auto decode_if_available = [&](const Claim& page) {
    if (page.target->try_start_decoding()) fetcher_.decode(pages_->cluster(), page);
  };
  for (const Claim& page : pages) decode_if_available(page);
  for (const Claim& page : pages) {
    fetcher_.settle(*page.target);
    decode_if_available(page);
  }
  for (const Claim& page : pages) page.target->wait_until_decoded();
}

void SliceElements::decode(std::span<const ElementsWanted> wanted) const {
  std::vector<Claim> pages;
  for (const auto& [stream, elements] : wanted) add_pages(stream, elements_of(stream), elements, pages);
  decode_pages(pages);
}

const std::byte* SliceElements::in_one_page(std::size_t stream, ElementRange run) const {
  const ElementPages& from = elements_of(stream);
  const std::vector<std::uint64_t>& begins = from.layout->begins;
  if (run.size() == 0 || run.begin < begins.front()) return nullptr;
  const auto first = begins.begin() + static_cast<std::ptrdiff_t>(from.first_page);
  const auto after = std::upper_bound(first, begins.end(), run.begin);
  if (run.end > *after) return nullptr;
  const auto page = static_cast<std::size_t>(after - begins.begin()) - 1;
  return decoded_page(stream, from, page) +
         (run.begin - begins[page]) * fetcher_.streams[stream].element_size;
}

void SliceElements::copy(std::size_t stream, ElementRange run, std::byte* to) const {
  const ElementPages& from = elements_of(stream);
  std::vector<Claim> pages;
  if (run.size() != 0) add_pages(stream, from, run, pages);
  decode_pages(pages);
  copy_decoded(fetcher_.streams[stream].element_size, from, run, to);
}

const void* SliceElements::together(std::size_t stream, ElementRange run, Buffer& scratch) const {
  if (const std::byte* elements = in_one_page(stream, run)) return elements;
  void* copied = scratch.reserve_bytes(run.size() * fetcher_.streams[stream].element_size);
  copy(stream, run, static_cast<std::byte*>(copied));
  return copied;
}

void SliceElements::copy_decoded(std::size_t size, const ElementPages& from, ElementRange run,
                                 std::byte* to) {
  const std::vector<std::uint64_t>& begins = from.layout->begins;
  auto [begin, end] = run;
  if (begin < begins.front()) {
    const std::uint64_t zeros = std::min(end, begins.front()) - begin;
    std::memset(to, 0, zeros * size);
    to += zeros * size;
    begin += zeros;
  }
  for (std::size_t i = 0; begin < end; ++i) {
    const std::size_t page = from.first_page + i;
    if (begins[page + 1] <= begin) continue;
    const std::uint64_t copied = std::min(end, begins[page + 1]) - begin;
    std::memcpy(to, from.pages[i]->elements() + (begin - begins[page]) * size, copied * size);
    to += copied * size;
    begin += copied;
  }
}

std::uint64_t SliceElements::end_before(const ElementPages& index, std::uint64_t element) {
  if (element == 0 || element <= index.layout->first_stored()) return 0;
  std::uint64_t end = 0;
  copy_decoded(sizeof(end), index, {element - 1, element}, reinterpret_cast<std::byte*>(&end));
  return end;
}

const std::byte* SliceElements::decoded_page(std::size_t stream, const ElementPages& from,
                                             std::size_t page) const {
  const std::shared_ptr<Page>& target = from.pages[page - from.first_page];
  if (target->is_decoded()) return target->elements();
  if (target->try_start_decoding()) fetcher_.decode(pages_->cluster(), {stream, from.layout, page, target});
  target->wait_until_decoded();
  return target->elements();
}

std::shared_ptr<const SourcePage> SliceElements::source_page(std::size_t stream, const ElementPages& from,
                                                             std::size_t page) const {
  const std::shared_ptr<Page>& target = from.pages[page - from.first_page];
  target->use();
  return std::make_shared<const SourcePage>(fetcher_, pages_, Claim{stream, from.layout, page, target});
}

}  // namespace skimline::io
