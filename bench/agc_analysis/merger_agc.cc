// SPDX-License-Identifier: BSD-3-Clause
// The skim of the AGC by threads that each write a TTree of their own into memory, merged by ROOT's
// TBufferMerger:
//
//   merger_agc THREADS SAMPLES FOLDER
//
// A task is a cluster of an input RNTuple, read column by column with views, jets only where there is a
// lepton. Writes a file for each sample and prints the seconds from the opening of the files to the last
// synchronised one.
#include "agc_skim.h"
#include "sample_list.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <ROOT/RNTupleDescriptor.hxx>
#include <ROOT/RNTupleReader.hxx>
#include <ROOT/RNTupleView.hxx>
#include <ROOT/TBufferMerger.hxx>
#include <TROOT.h>
#include <TTree.h>

namespace {

using Clock = std::chrono::steady_clock;

struct Range {
  std::uint64_t first, last;
};

struct Task {
  const Sample* sample;
  ROOT::TBufferMerger* merger;
  Range entries;
};

// A column of the input, and what is kept of it for the output.
template <typename Value>
struct Kept {
  Kept(ROOT::RNTupleReader& reader, TTree& tree, const Column& column)
      : collection(column.collection), view(reader.GetView<std::vector<Value>>(column.name)) {
    tree.Branch(column.name, &values);
  }
  Kept(const Kept&) = delete;

  void choose(std::uint64_t entry, const std::vector<int>& kept) {
    const std::vector<Value>& all = view(entry);
    values.clear();
    for (const int index : kept) values.push_back(all[static_cast<std::size_t>(index)]);
  }

  std::string collection;
  ROOT::RNTupleView<std::vector<Value>> view;
  std::vector<Value> values;
};

template <typename Value>
using KeptColumns = std::vector<std::unique_ptr<Kept<Value>>>;

template <typename Value>
KeptColumns<Value> keep(ROOT::RNTupleReader& reader, TTree& tree, const std::vector<Column>& columns) {
  KeptColumns<Value> kept;
  for (const Column& column : columns) kept.push_back(std::make_unique<Kept<Value>>(reader, tree, column));
  return kept;
}

// Finds the objects of a collection that stay.
class Chooser {
 public:
  Chooser(ROOT::RNTupleReader& reader, const std::string& collection)
      : pt_(reader.GetView<std::vector<float>>(collection + "_pt")) {}

  const std::vector<int>& choose(std::uint64_t entry) {
    const std::vector<float>& pt = pt_(entry);
    kept_.clear();
    for (std::size_t i = 0; i < pt.size(); ++i)
      if (pt[i] >= kLowestPt) kept_.push_back(static_cast<int>(i));
    return kept_;
  }
  const std::vector<int>& kept() const { return kept_; }

 private:
  ROOT::RNTupleView<std::vector<float>> pt_;
  std::vector<int> kept_;
};

class Skimmer {
 public:
  Skimmer(ROOT::RNTupleReader& reader, TTree& tree)
      : electrons_(reader, "Electron"),
        muons_(reader, "Muon"),
        jets_(reader, "Jet"),
        floats_(keep<float>(reader, tree, float_columns())),
        integers_(keep<std::int32_t>(reader, tree, integer_columns())),
        booleans_(keep<bool>(reader, tree, {kBooleanColumn})) {}

  bool passes(std::uint64_t entry) {
    const bool has_electron = !electrons_.choose(entry).empty();
    const bool has_muon = !muons_.choose(entry).empty();
    return (has_electron || has_muon) && jets_.choose(entry).size() >= kFewestJets;
  }

  void load(std::uint64_t entry) {
    const auto choose = [&](auto& columns) {
      for (auto& column : columns) column->choose(entry, kept_of(column->collection));
    };
    choose(floats_);
    choose(integers_);
    choose(booleans_);
  }

 private:
  const std::vector<int>& kept_of(const std::string& collection) const {
    return (collection == "Electron" ? electrons_ : collection == "Muon" ? muons_ : jets_).kept();
  }

  Chooser electrons_, muons_, jets_;
  KeptColumns<float> floats_;
  KeptColumns<std::int32_t> integers_;
  KeptColumns<bool> booleans_;
};

void work(const Task& task) {
  auto reader = ROOT::RNTupleReader::Open("Events", task.sample->path);
  auto file = task.merger->GetFile();
  auto tree = std::make_unique<TTree>("Events", "", 99, file.get());
  tree->ResetBit(kMustCleanup);
  Skimmer skimmer(*reader, *tree);
  for (std::uint64_t entry = task.entries.first; entry < task.entries.last; ++entry) {
    if (!skimmer.passes(entry)) continue;
    skimmer.load(entry);
    tree->Fill();
  }
  file->Write();
  tree.reset();
}

std::vector<Range> clusters_of(const Sample& sample) {
  auto reader = ROOT::RNTupleReader::Open("Events", sample.path);
  std::vector<Range> ranges;
  for (const auto& cluster : reader->GetDescriptor().GetClusterIterable())
    ranges.push_back({cluster.GetFirstEntryIndex(), cluster.GetFirstEntryIndex() + cluster.GetNEntries()});
  return ranges;
}

void run_all(const std::vector<Task>& tasks, int num_threads) {
  std::atomic<std::size_t> next = 0;
  const auto loop = [&] {
    for (std::size_t index = next++; index < tasks.size(); index = next++) work(tasks[index]);
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < num_threads; ++thread) others.emplace_back(loop);
  loop();
  for (std::thread& other : others) other.join();
}

void run(int num_threads, const std::string& list, const std::string& folder) {
  const auto start = Clock::now();
  const std::vector<Sample> samples = read_samples(list);
  std::vector<std::unique_ptr<ROOT::TBufferMerger>> mergers;
  std::vector<Task> tasks;
  for (const Sample& sample : samples) {
    const std::string path = output_path(folder, sample.name());
    mergers.push_back(std::make_unique<ROOT::TBufferMerger>(path.c_str(), "RECREATE", kCompression));
    for (const Range& entries : clusters_of(sample))
      tasks.push_back({&sample, mergers.back().get(), entries});
  }
  run_all(tasks, num_threads);
  mergers.clear();
  for (const Sample& sample : samples) synchronise(output_path(folder, sample.name()));
  std::cout << std::chrono::duration<double>(Clock::now() - start).count() << '\n';
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: merger_agc THREADS SAMPLES FOLDER\n";
    return 2;
  }
  try {
    ROOT::EnableThreadSafety();
    run(std::atoi(arguments[1]), arguments[2], arguments[3]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
