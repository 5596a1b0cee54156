// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "temporary_folder.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace skimline {

/// Tests with files that look like those of a kernel with control groups; `Places` are ControlGroupPlaces.
template <typename Places>
class ControlGroupFiles : public ::testing::Test {
 protected:
  ControlGroupFiles() {
    places_.process_cgroups = folder_.path("proc_self_cgroup");
    places_.cgroup_root = folder_.path("cgroup");
  }

  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_.path(name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  const TemporaryFolder folder_;
  Places places_;
};

}  // namespace skimline
