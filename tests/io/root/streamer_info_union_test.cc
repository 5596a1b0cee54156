// SPDX-License-Identifier: BSD-3-Clause
#include "root/streamer_info_union.h"

#include "root/streamer_info.h"
#include "root/streamer_info_reader.h"

#include "skimline/io/class_layouts.h"

#include <algorithm>
#include <string_view>

#include <gtest/gtest.h>

using namespace skimline::io;

namespace {

constexpr std::size_t kKeySize = 64;

std::vector<std::byte> info_of(const std::vector<std::string>& classes, std::size_t key_size = kKeySize) {
  return streamer_info_list(classes, key_size);
}

bool has_class(const ClassLayouts& layouts, std::string_view name) {
  return std::any_of(layouts.all().begin(), layouts.all().end(),
                     [&](const ClassLayout& each) { return each.name == name; });
}

}  // namespace

TEST(StreamerInfoUnion, HasTheClassesOfAll) {
  StreamerInfoUnion all;
  EXPECT_TRUE(all.empty());
  all.add(info_of({"TH1D"}), kKeySize);
  all.add(info_of({"TProfile2D"}, 71), 71);
  const ClassLayouts layouts = read_class_layouts(all.list(kKeySize), kKeySize);
  for (const char* name : {"TH1D", "TH1", "TProfile2D", "TH2D", "TAxis"})
    EXPECT_TRUE(has_class(layouts, name)) << name;
  EXPECT_FALSE(has_class(layouts, "TTree"));
}

TEST(StreamerInfoUnion, OfOneIsThatOne) {
  StreamerInfoUnion all;
  const std::vector<std::byte> info = info_of({"TH3F", "TTree"});
  for (int i = 0; i < 2; ++i) all.add(info, kKeySize);
  EXPECT_EQ(all.list(kKeySize), info);
}

TEST(StreamerInfoUnion, GroupsDoNotMatter) {
  const std::vector<std::vector<std::byte>> parts = {info_of({"TH1D"}), info_of({"TTree"}),
                                                     info_of({"TH2D"})};
  StreamerInfoUnion all, front, grouped;
  for (const auto& part : parts) all.add(part, kKeySize);
  front.add(parts[1], kKeySize);
  front.add(parts[2], kKeySize);
  grouped.add(parts[0], kKeySize);
  grouped.add(front.list(kKeySize), kKeySize);
  EXPECT_EQ(grouped.list(kKeySize), all.list(kKeySize));
}

TEST(StreamerInfoUnion, DamagedOnesAddNothing) {
  const std::vector<std::byte> sound = info_of({"TTree"});
  for (std::size_t size = 0; size < sound.size(); size += 37) {
    StreamerInfoUnion all;
    all.add(std::span(sound).first(size), kKeySize);
    EXPECT_TRUE(all.empty()) << size;
  }
}
