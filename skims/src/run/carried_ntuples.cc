// SPDX-License-Identifier: BSD-3-Clause
#include "run/carried_ntuples.h"

#include "base/text_table.h"
#include "plan/nano_runs.h"

#include "skimline/io/input_source.h"
#include "skimline/io/open_inputs.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace skimline::skims {

std::optional<WrittenEntries> carry_ntuple(const std::vector<io::InputLocation>& inputs,
                                           const std::string& name, io::RootFileWriter& output,
                                           const WriteOptions& options, io::InputOptions input_options) {
  std::vector<io::InputLocation> locations;
  std::vector<std::string> without;
  for (const io::InputLocation& input : inputs) {
    if (const std::optional<io::InputLocation> location = beside(input, name, input_options.files.get()))
      locations.push_back(*location);
    else
      without.push_back(input.path);
  }
  if (locations.empty()) return std::nullopt;
  const std::unique_ptr<io::InputSource> source = io::open_inputs(locations, std::move(input_options));
  WrittenEntries carried = write_entries(*source, name, output, options);
  if (!without.empty())
    carried.warnings.push_back(std::string("warning: the ") + io::name_of(source->files().front().format) +
                               " \"" + name + "\" is missing in " + first_few(without) +
                               ", and not in other inputs");
  return carried;
}

bool has_beside(const std::vector<io::InputLocation>& inputs, const std::string& name,
                const io::InputOptions& input_options) {
  return std::any_of(inputs.begin(), inputs.end(), [&](const io::InputLocation& input) {
    const std::optional<io::InputLocation> location = beside(input, name, input_options.files.get());
    return location && location->name != input.name;
  });
}

}  // namespace skimline::skims
