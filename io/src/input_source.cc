// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/input_source.h"

#include "skimline/io/rntuple_metadata.h"
#include "skimline/io/rntuple_source.h"
#include "skimline/io/root_file.h"

#include <algorithm>

namespace skimline::io {
namespace {

std::string problems_of(const std::vector<DefaultError::Mistake>& mistakes) {
  std::string problems;
  for (const DefaultError::Mistake& mistake : mistakes)
    problems += (problems.empty() ? "" : "\n") + mistake.problem;
  return problems;
}

}  // namespace

DefaultError::DefaultError(std::vector<Mistake> mistakes)
    : SchemaError(problems_of(mistakes)), mistakes_(std::move(mistakes)) {}

InputLocation parse_location(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || text.find(".root", colon) != std::string::npos) return {text, ""};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

FieldSize& FieldSize::operator+=(const FieldSize& other) {
  stored += other.stored;
  in_memory += other.in_memory;
  largest_page = std::max(largest_page, other.largest_page);
  return *this;
}

const char* name_of(DataFormat format) { return format == DataFormat::kRNTuple ? "RNTuple" : "TTree"; }

std::vector<std::string> data_names(const RootFile& file) { return ntuple_names(file); }

std::unique_ptr<InputSource> open_inputs(const std::vector<InputLocation>& locations, InputOptions options) {
  return std::make_unique<RNTupleSource>(locations, std::move(options));
}

}  // namespace skimline::io
