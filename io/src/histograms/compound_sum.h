// SPDX-License-Identifier: BSD-3-Clause
// Adds graphs, efficiencies and lists as ROOT's merger does, part by part.
#pragma once

#include "histograms/object_sum.h"

#include <memory>
#include <string>

namespace skimline::io {

/// Begins with an object of a class that read_compound() takes. Histograms are added, points of graphs
/// appended; weights of efficiencies become as if each were a sample of its own; everything else must be the
/// same in all, and lists must hold the same objects in the same order. Throws as ObjectSum::add.
std::unique_ptr<ObjectSum> begin_compound(const std::string& class_name, StoredObject& first);

}  // namespace skimline::io
