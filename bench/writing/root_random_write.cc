// SPDX-License-Identifier: BSD-3-Clause
// The synthetic writing benchmark with ROOT's RNTupleParallelWriter, default options but for the compression.
//
//   root_random_write TARGET THREADS ENTRIES COMPRESSION
//
// COMPRESSION is ROOT's number: 0, 505.

#include "random_tables.h"
#include "stopwatch.h"

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include <ROOT/RNTupleFillContext.hxx>
#include <ROOT/RNTupleModel.hxx>
#include <ROOT/RNTupleParallelWriter.hxx>
#include <ROOT/RNTupleWriteOptions.hxx>
#include <TROOT.h>
#include <fcntl.h>
#include <unistd.h>

using skimline::bench::kTableSize;
using skimline::bench::RandomTables;

static void fill(ROOT::RNTupleParallelWriter& writer, const RandomTables& tables, std::uint64_t num_entries) {
  auto context = writer.CreateFillContext();
  auto entry = context->CreateEntry();
  auto id = entry->GetPtr<std::uint64_t>("eventId");
  auto particles = entry->GetPtr<std::vector<float>>("particles");
  std::size_t value = 0;
  for (std::uint64_t i = 0; i < num_entries; ++i) {
    *id = i;
    particles->resize(tables.sizes[i % kTableSize]);
    for (float& particle : *particles) {
      particle = tables.values[value];
      if (++value == kTableSize) value = 0;
    }
    context->Fill(*entry);
  }
}

static void synchronise(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY);
  if (file >= 0) {
    ::fsync(file);
    ::close(file);
  }
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const std::string path = argv[1];
  const unsigned num_threads = std::stoul(argv[2]);
  const std::uint64_t num_entries = std::stoull(argv[3]);
  ROOT::EnableThreadSafety();
  std::vector<RandomTables> tables;
  for (unsigned i = 0; i < num_threads; ++i) tables.emplace_back(i + 1);

  const skimline::bench::Stopwatch stopwatch;
  {
    auto model = ROOT::RNTupleModel::CreateBare();
    model->MakeField<std::uint64_t>("eventId");
    model->MakeField<std::vector<float>>("particles");
    ROOT::RNTupleWriteOptions options;
    options.SetCompression(std::stoi(argv[4]));
    auto writer = ROOT::RNTupleParallelWriter::Recreate(std::move(model), "Events", path, options);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < num_threads; ++i)
      threads.emplace_back([&, i] { fill(*writer, tables[i], num_entries); });
    for (std::thread& thread : threads) thread.join();
  }
  synchronise(path);
  std::printf("{\"seconds\": %.6f, \"processor_seconds\": %.6f, \"entries\": %llu}\n", stopwatch.seconds(),
              stopwatch.processor_seconds(), static_cast<unsigned long long>(num_threads * num_entries));
}
