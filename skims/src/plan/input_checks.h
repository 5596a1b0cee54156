// SPDX-License-Identifier: BSD-3-Clause
// What is to be said of the files of samples once they are open.
#pragma once

#include "skimline/skims/config.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// The inputs of one sample, as a source has opened them.
struct OpenedSample {
  const Sample& sample;
  const std::vector<Input>& inputs;
  const io::InputSource& source;
};

/// Throws ConfigError if inputs of a sample are copies of each other, whose events would be counted twice,
/// and the config does not allow that.
void check_copies(const Config& config, const OpenedSample& opened);

/// Throws ConfigError if a file that the run writes is one of a friend that the sample's files name.
void check_friends_are_kept(const Config& config, const OpenedSample& opened);

/// Warns of copies in several samples, of pages without checksums, of files that stand for far more than they
/// hold, and of friends that cannot be read: once each, with numbers.
std::vector<std::string> warnings_of_inputs(const Config& config, const std::vector<OpenedSample>& samples);

}  // namespace skimline::skims
