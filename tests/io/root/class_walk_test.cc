// SPDX-License-Identifier: BSD-3-Clause
#include "root/class_walk.h"

#include "root/streamed_bytes.h"
#include "storage/byte_writer.h"

#include "skimline/io/class_layouts.h"

#include <vector>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

using Positions = std::vector<std::int64_t>;

ClassLayouts branches_of_version(int version) {
  ClassMember count, seek;
  count.name = "fMaxBaskets";
  count.element_class = "TStreamerBasicType";
  count.type = 6;
  seek.name = "fBasketSeek";
  seek.type_name = "Long64_t*";
  seek.element_class = "TStreamerBasicPointer";
  seek.type = 40 + 16;
  seek.count_name = count.name;
  ClassLayouts layouts;
  layouts.add({"TBranch", version, 1, {count, seek}});
  return layouts;
}

template <typename Position>
Positions positions_in(std::uint16_t version, std::uint8_t flag, const std::vector<Position>& stored) {
  ByteWriter object;
  object.big<std::uint16_t>(version);
  object.big<std::uint32_t>(static_cast<std::uint32_t>(stored.size()));
  object.big<std::uint8_t>(flag);
  for (const Position position : stored) object.big<Position>(position);
  ByteWriter out;
  out.big<std::uint32_t>(0x40000000u | static_cast<std::uint32_t>(object.bytes().size()));
  out.raw(object.bytes());
  const ClassLayouts layouts = branches_of_version(version), none;
  StreamedBytes reader(out.bytes(), 0);
  MemberPlaces places;
  EXPECT_TRUE(ClassWalk(layouts, none).walk("TBranch", reader.object(), places));
  const MemberValues values(places, reader);
  Positions positions;
  for (std::size_t i = 0; i < values.array_size(Member::kBasketSeek); ++i)
    positions.push_back(values.array_item(Member::kBasketSeek, i));
  return positions;
}

// ROOT 4 describes the member with 8 bytes, and writes 4 where the file has less than 2 GiB.
TEST(ClassWalk, TakesTheWidthOfPositionsFromTheirFlag) {
  const Positions small{100, 70000, 0x7FFFFFFF}, large{100, std::int64_t{1} << 40};
  EXPECT_EQ((positions_in<std::int32_t>(9, 1, {100, 70000, 0x7FFFFFFF})), small);
  EXPECT_EQ(positions_in(9, 2, large), large);
  EXPECT_EQ(positions_in(10, 1, large), large);
  EXPECT_EQ(positions_in(13, 1, large), large);
  EXPECT_TRUE(positions_in(9, 0, Positions{}).empty());
}

}  // namespace
}  // namespace skimline::io
