// SPDX-License-Identifier: BSD-3-Clause
// Writes all entries of some columns to a new RNTuple with RDataFrame's Snapshot, zstd 5:
//
//   rdataframe_slim THREADS INPUT OUTPUT COLUMN,COLUMN,...
//
// COLUMN is a name or *, which is all. Prints the seconds of the event loop. One thread means no implicit
// threading.
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <ROOT/RDataFrame.hxx>
#include <ROOT/RSnapshotOptions.hxx>
#include <TROOT.h>

namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

void run(const std::string& input, const std::string& output, const std::string& columns) {
  ROOT::RDF::RSnapshotOptions options;
  options.fMode = "RECREATE";
  options.fOutputFormat = ROOT::RDF::ESnapshotOutputFormat::kRNTuple;
  options.fCompressionAlgorithm = ROOT::RCompressionSetting::EAlgorithm::kZSTD;
  options.fCompressionLevel = 5;
  options.fVector2RVec = false;
  const auto start = std::chrono::steady_clock::now();
  ROOT::RDataFrame frame("Events", input);
  if (columns == "*")
    frame.Snapshot("Events", output, "", options);
  else
    frame.Snapshot("Events", output, split(columns), options);
  std::cout << std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() << '\n';
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::cerr << "usage: rdataframe_slim THREADS INPUT OUTPUT COLUMN,COLUMN,...\n";
    return 2;
  }
  try {
    const int threads = std::atoi(arguments[1]);
    if (threads > 1) ROOT::EnableImplicitMT(static_cast<unsigned>(threads));
    run(arguments[2], arguments[3], arguments[4]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
