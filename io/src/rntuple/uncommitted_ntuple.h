// SPDX-License-Identifier: BSD-3-Clause
// RNTuples whose writer did not come to write a footer.
#pragma once

#include "rntuple/envelope.h"

#include "skimline/io/input_file.h"
#include "skimline/io/rntuple_descriptor.h"

#include <span>

namespace skimline::io {

/// Reads the metadata by a header and those of the page lists that belong to it. What is returned can be
/// trusted as that of read_descriptor(). Throws FormatError if the metadata are damaged, or describe other
/// columns than the header.
RNTupleDescriptor read_uncommitted(const InputFile& file, const EnvelopeLink& header,
                                   std::span<const EnvelopeLink> page_lists);

}  // namespace skimline::io
