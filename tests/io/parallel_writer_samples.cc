// SPDX-License-Identifier: BSD-3-Clause
// Writes an RNTuple with fields of every kind from several threads.
//
//   parallel_writer_samples PATH COMPRESSION rows|spans|mixed THREADS ENTRIES CLUSTER_BYTES PAGE_BYTES
//
// All values follow from the number of the entry, as test_parallel_writer.py computes them too. With "mixed"
// the file has more: an RNTuple "deep/down/Other" with other fields, and a histogram "deep/h".
#include "filled_histogram.h"

#include "skimline/io/histogram_writer.h"
#include "skimline/io/parallel_writer.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <vector>

using namespace skimline;
using io::FieldType;

namespace {

constexpr std::uint64_t kEntriesOfTicket = 97;

std::uint64_t scrambled(std::uint64_t number) { return number * 0x9E3779B97F4A7C15u; }

template <typename T>
T scalar_of(std::uint64_t number) {
  if constexpr (std::is_same_v<T, bool>)
    return (scrambled(number) >> 63) != 0;
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(static_cast<std::int32_t>(scrambled(number) >> 40)) / 8;
  else
    return static_cast<T>(scrambled(number) >> (64 - 8 * sizeof(T)));
}

// From -1 to 1 in steps of 1/1024.
double fraction_of(std::uint64_t number) { return static_cast<double>(scrambled(number) >> 53) / 1024 - 1; }

std::uint32_t size_of_list(std::uint64_t number) {
  return static_cast<std::uint32_t>(scrambled(number) >> 60) % 4;
}

FieldType record(int depth) {
  std::vector<io::OutputField> members{
      {"pt", FieldType::of<float>(), "transverse momentum"},
      {"charge", FieldType::of<std::int16_t>().compressed(io::parse_compression("lz4"))},
      {"hits", FieldType::vector(FieldType::of<double>())},
      {"label", FieldType::string()}};
  if (depth > 0) members.push_back({"inner", record(depth - 1)});
  return FieldType::record(std::move(members));
}

std::vector<io::OutputField> fields() {
  std::vector<io::OutputField> all;
  for (std::size_t i = 0; is_number(static_cast<ScalarType>(i)); ++i) {
    const FieldType type = FieldType::scalar(static_cast<ScalarType>(i));
    all.push_back({"flat" + std::to_string(i), type, "flat number " + std::to_string(i)});
    all.push_back({"jagged" + std::to_string(i), FieldType::vector(type)});
  }
  all.push_back({"twice", FieldType::vector(FieldType::vector(FieldType::of<std::int32_t>()))});
  all.push_back({"name", FieldType::string()});
  all.push_back({"names", FieldType::vector(FieldType::string())});
  all.push_back({"vertex", record(1)});
  all.push_back({"Muon", FieldType::vector(record(1))});
  all.push_back({"jets", FieldType::vector(FieldType::vector(record(0)))});
  all.push_back({"half", FieldType::of<float>().half_precision()});
  all.push_back({"truncated", FieldType::of<float>().truncated(20)});
  all.push_back({"quantized", FieldType::of<float>().quantized(12, -1, 1)});
  all.push_back({"half_double", FieldType::of<double>().half_precision()});
  all.push_back({"truncated_double", FieldType::of<double>().truncated(11)});
  all.push_back({"quantized_list", FieldType::vector(FieldType::of<double>().quantized(20, -1, 1))});
  for (const std::string algorithm : {"none", "zstd", "zlib", "lzma", "lz4"})
    all.push_back({"as_" + algorithm,
                   FieldType::vector(FieldType::of<float>()).compressed(io::parse_compression(algorithm))});
  return all;
}

// One column after the other for a number of entries: as spans, or value by value.
class Filler {
 public:
  Filler(io::FillContext& context, bool is_by_spans, std::uint64_t first, std::uint64_t count)
      : context_(context), is_by_spans_(is_by_spans) {
    for (std::uint64_t entry = first; entry < first + count; ++entry) entries_.push_back(entry);
  }

  void fill() {
    for (std::size_t i = 0; is_number(static_cast<ScalarType>(i)); ++i)
      visit_scalar(static_cast<ScalarType>(i), [&](auto tag) {
        using T = typename decltype(tag)::type;
        values<T>("flat" + std::to_string(i), entries_, scalar_of<T>);
        values<T>("jagged" + std::to_string(i), list("jagged" + std::to_string(i), entries_), scalar_of<T>);
      });
    values<std::int32_t>("twice", list("twice._0", list("twice", entries_)), scalar_of<std::int32_t>);
    strings("name", entries_);
    strings("names", list("names", entries_));
    fill_record("vertex", entries_, 1);
    fill_record("Muon", list("Muon", entries_), 1);
    fill_record("jets", list("jets._0", list("jets", entries_)), 0);
    const auto as_float = [](std::uint64_t number) { return static_cast<float>(fraction_of(number)); };
    for (const char* name : {"half", "truncated", "quantized"}) values<float>(name, entries_, as_float);
    for (const char* name : {"half_double", "truncated_double"}) values<double>(name, entries_, fraction_of);
    values<double>("quantized_list", list("quantized_list", entries_), fraction_of);
    for (const char* name : {"as_none", "as_zstd", "as_zlib", "as_lzma", "as_lz4"})
      values<float>(name, list(name, entries_), scalar_of<float>);
    context_.commit_entries(entries_.size());
  }

 private:
  using Numbers = std::vector<std::uint64_t>;

  void fill_record(const std::string& name, const Numbers& numbers, int depth) {
    values<float>(name + ".pt", numbers, scalar_of<float>);
    values<std::int16_t>(name + ".charge", numbers, scalar_of<std::int16_t>);
    values<double>(name + ".hits", list(name + ".hits", numbers), scalar_of<double>);
    strings(name + ".label", numbers);
    if (depth > 0) fill_record(name + ".inner", numbers, depth - 1);
  }

  template <typename T, typename Make>
  void values(const std::string& name, const Numbers& numbers, Make make) {
    io::ValueFiller<T>& filler = context_.values<T>(name);
    if (!is_by_spans_) {
      for (const std::uint64_t number : numbers) filler.push(make(number));
      return;
    }
    const auto all = std::make_unique<T[]>(numbers.size());
    std::transform(numbers.begin(), numbers.end(), all.get(), make);
    filler.append({all.get(), numbers.size()});
  }

  // Returns the numbers of the items.
  Numbers list(const std::string& name, const Numbers& numbers) {
    Numbers items;
    std::vector<std::uint32_t> sizes;
    for (const std::uint64_t number : numbers) {
      sizes.push_back(size_of_list(number));
      for (std::uint64_t i = 0; i < sizes.back(); ++i) items.push_back(number * 4 + i + 1);
    }
    io::ListFiller& filler = context_.list(name);
    if (is_by_spans_)
      filler.append(sizes);
    else
      for (const std::uint32_t size : sizes) filler.push(size);
    return items;
  }

  void strings(const std::string& name, const Numbers& numbers) {
    io::StringFiller filler = context_.strings(name);
    for (const std::uint64_t number : numbers)
      filler.push(std::string(size_of_list(number), 'a') + std::to_string(number));
  }

  io::FillContext& context_;
  bool is_by_spans_;
  Numbers entries_;
};

struct Sample {
  std::string mode;
  unsigned num_threads = 1;
  std::uint64_t num_entries = 0;

  void write_ticket(io::FillContext& context, std::uint64_t ticket) const {
    const std::uint64_t end = std::min(num_entries, (ticket + 1) * kEntriesOfTicket);
    for (std::uint64_t first = ticket * kEntriesOfTicket; first < end;) {
      const bool is_by_spans = mode == "spans" || (mode == "mixed" && scrambled(first) % 2 == 0);
      const std::uint64_t step = is_by_spans ? std::min<std::uint64_t>(20, end - first) : 1;
      Filler(context, is_by_spans, first, step).fill();
      first += step;
    }
  }

  void write(io::ParallelWriter& writer) const {
    std::atomic<std::uint64_t> next{0};
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < num_threads; ++i)
      threads.emplace_back([&] {
        for (std::uint64_t ticket; (ticket = next++) * kEntriesOfTicket < num_entries;) {
          const auto context = writer.make_context(ticket);
          write_ticket(*context, ticket);
          context->close();
        }
      });
    for (std::thread& thread : threads) thread.join();
  }
};

std::uint64_t write_other(io::RootFileWriter& file, io::ParallelWriterOptions options) {
  options.ntuple_name = "deep/down/Other";
  io::ParallelWriter writer(file, {{"x", FieldType::of<std::int32_t>()}}, options);
  const auto context = writer.make_context();
  auto& x = context->values<std::int32_t>("x");
  for (std::int32_t i = 0; i < 1000; ++i) {
    x.push(i);
    context->commit_entries();
  }
  context->close();
  return writer.finish();
}

void write_histogram(io::RootFileWriter& file) {
  histograms::Histogram histogram = io::filled_histogram(
      {histograms::Axis::regular(10, 0, 1)}, histograms::Storage::kCount, {std::vector<double>(7, 0.05)});
  histogram.name = "deep/h";
  histogram.title = "a title";
  file.add_object(io::root_object(histogram));
}

void run(char** arguments) {
  io::ParallelWriterOptions options;
  options.description = "a sample";
  options.settings.compression = io::parse_compression(arguments[2]);
  const Sample sample{arguments[3], static_cast<unsigned>(std::stoul(arguments[4])),
                      std::stoull(arguments[5])};
  options.settings.cluster_bytes = std::stoull(arguments[6]);
  options.settings.page_bytes = std::stoull(arguments[7]);
  if (sample.mode != "mixed") {
    io::ParallelWriter writer(arguments[1], fields(), options);
    sample.write(writer);
    writer.finish();
    return;
  }
  io::RootFileWriter file(arguments[1], {"ROOT::RNTuple", "TH1D"});
  io::ParallelWriter writer(file, fields(), options);
  sample.write(writer);
  write_histogram(file);
  const std::uint64_t hash = write_other(file, options);
  file.commit(hash ^ writer.finish());
}

}  // namespace

int main(int num_arguments, char** arguments) {
  if (num_arguments != 8) return 2;
  try {
    run(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
