// SPDX-License-Identifier: BSD-3-Clause
// Merges files one after the other, each as soon as its name comes in: OUTPUT, and paths on the standard
// input, one in each line.
#include "skimline/framework/error.h"
#include "skimline/io/file_merge.h"
#include "skimline/skims/merged_record.h"
#include "skimline/skims/record_objects.h"

#include <cstdio>
#include <iostream>
#include <string>

namespace skimline::skims {
namespace {

void merge(const char* output) {
  io::MergeOptions options;
  options.output = output;
  options.record_directory = kRecordDirectory;
  options.combine_texts = [](const io::TextsOfInputs& texts) { return merged_record_text(texts); };
  io::FileMerge merge(options);
  for (std::string path; std::getline(std::cin, path);) {
    merge.add(path);
    std::puts("added");
    std::fflush(stdout);
  }
  const io::MergeSummary summary = merge.finish();
  std::printf("%llu entries\n", static_cast<unsigned long long>(summary.ntuples.front().num_entries));
}

}  // namespace
}  // namespace skimline::skims

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: skims_merge_parts OUTPUT\n", stderr);
    return 2;
  }
  try {
    skimline::skims::merge(argv[1]);
    return 0;
  } catch (const skimline::Error& error) {
    std::fprintf(stderr, "skims_merge_parts: %s\n", error.what());
    return 1;
  }
}
