// SPDX-License-Identifier: BSD-3-Clause
// The inputs of a sample as one source.
#pragma once

#include "skimline/skims/config.h"

#include <memory>
#include <string>
#include <vector>

namespace skimline::skims {

/// What a config says of how any input is read.
io::InputOptions input_options(const Config& config);

/// Opens the inputs of all samples at once, as each takes a while to answer. What cannot be opened is left to
/// open_source() to say.
void open_ahead(const Config& config);

/// Opens inputs of one sample, and its friends. Throws FileError, SchemaError if the files differ in a
/// column, and ConfigError where the defaults of columns do not fit the files.
std::unique_ptr<io::InputSource> open_source(const Config& config, const Sample& sample,
                                             const std::vector<Input>& inputs);

/// Warns of defaults of columns that no file of any sample has, which may be mistyped.
std::vector<std::string> warnings_of_defaults(const Config& config,
                                              const std::vector<const io::InputSource*>& sources);

}  // namespace skimline::skims
