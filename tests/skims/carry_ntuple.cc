// SPDX-License-Identifier: BSD-3-Clause
// Prints the sums of "Runs" of files (sums FILES...), or copies an RNTuple that lies beside "Events" of files
// into a new file with a histogram and a text (carry THREADS OUTPUT NAME FILES...), printing the warnings.
#include "plan/nano_runs.h"
#include "run/carried_ntuples.h"

#include "skimline/framework/error.h"
#include "skimline/io/histogram_writer.h"
#include "skimline/io/text_object.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

using namespace skimline;

namespace {

int print_sums(const std::vector<std::string>& files) {
  skims::RunsSums total;
  for (const std::string& file : files) {
    const std::optional<skims::RunsSums> sums = skims::sums_of_runs({file, "Events"});
    if (!sums) {
      std::cout << "none\n";
      return 0;
    }
    total.add(*sums);
  }
  std::printf("%llu %.17g %.17g\n", static_cast<unsigned long long>(total.num_events),
              total.sum_weights.value(), total.sum_of_squares.value());
  return 0;
}

int carry(int threads, const std::string& output, const std::string& name,
          const std::vector<std::string>& files) {
  std::vector<io::InputLocation> inputs;
  for (const std::string& file : files) inputs.push_back({file, "Events"});
  io::RootFileWriter writer(output, {"ROOT::RNTuple", "TH1D", io::kTextClass});
  skims::WriteOptions options;
  options.threads = threads;
  const std::optional<skims::WrittenEntries> carried = skims::carry_ntuple(inputs, name, writer, options);
  writer.add_object(io::text_object("skimline/record", "a text"));
  writer.add_object(io::root_object(
      histograms::empty_histogram("h", "", {histograms::Axis::categories(std::vector<std::string>{"a", "b"})},
                                  histograms::Storage::kCount)));
  writer.commit(carried ? carried->content_hash : 0);
  if (!carried) std::cout << "none\n";
  if (carried)
    for (const std::string& warning : carried->warnings) std::cout << warning << "\n";
  return 0;
}

}  // namespace

int main(int num_arguments, char** arguments) {
  const std::vector<std::string> all(arguments + 1, arguments + num_arguments);
  if (all.size() < 2) return 2;
  try {
    if (all[0] == "sums") return print_sums({all.begin() + 1, all.end()});
    return carry(std::atoi(all.at(1).c_str()), all.at(2), all.at(3), {all.begin() + 4, all.end()});
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
