// SPDX-License-Identifier: BSD-3-Clause
#include "root/process_ids.h"

#include "skimline/framework/error.h"
#include "skimline/io/format_error.h"

#include <random>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

using Identifiers = std::vector<std::string>;

Identifiers letters(const std::string& text) {
  Identifiers identifiers;
  for (const char letter : text) identifiers.emplace_back(1, letter);
  return identifiers;
}

ProcessTable table_of(const std::vector<Identifiers>& files) {
  ProcessTable table;
  for (const Identifiers& file : files) table.add(file);
  table.place();
  return table;
}

std::string all_of(const std::vector<std::string>& files) {
  std::vector<Identifiers> identifiers;
  for (const std::string& file : files) identifiers.push_back(letters(file));
  const ProcessTable table = table_of(identifiers);
  std::string all;
  for (const std::string& identifier : table.all()) all += identifier;
  return all;
}

TEST(ProcessIds, HaveNumbersInTheirNames) {
  EXPECT_EQ(process_number("ProcessID0"), 0);
  EXPECT_EQ(process_number("ProcessID65535"), 65535);
  for (const char* other :
       {"ProcessID", "ProcessID01", "ProcessID65536", "ProcessID-1", "ProcessID1 ", "x/ProcessID1"})
    EXPECT_FALSE(process_number(other)) << other;
}

TEST(ProcessIds, AreThereOnceIfOneNumberCanBeAdded) {
  EXPECT_EQ(all_of({"A", "", "A", "B", "A"}), "AB");
  EXPECT_EQ(all_of({"A", "AB", "B", "BC"}), "ABC");
  EXPECT_EQ(all_of({"A", "BA", "AB"}), "ABA");
  EXPECT_EQ(all_of({"AAB", "AB"}), "AAB");
  EXPECT_EQ(all_of({"", ""}), "");
}

TEST(ProcessIds, OfOneFileStayDifferentForReadersThatAddNothing) {
  EXPECT_EQ(all_of({"A", "XAB"}), "XAB");
  EXPECT_EQ(all_of({"AB", "XYAB", "BXY"}), "ABXYAB");
}

TEST(ProcessIds, OfAnyFilesAreFoundFromTheirOwnNumbers) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<Identifiers> files(1 + random() % 6);
    for (Identifiers& file : files)
      for (std::size_t i = random() % 5; i > 0; --i)
        file.emplace_back(1, static_cast<char>('A' + random() % 4));
    const ProcessTable table = table_of(files);
    for (std::size_t i = 0; i < files.size(); ++i) {
      const ProcessShift shift = table.shift(i);
      for (std::size_t number = 0; number < files[i].size(); ++number)
        EXPECT_EQ(table.all().at(shift.of(static_cast<std::uint16_t>(number))), files[i][number]);
      if (shift.matters()) {
        EXPECT_GE(shift.of(static_cast<std::uint16_t>(files[i].size())), table.all().size());
      }
    }
  }
}

TEST(ProcessIds, StayAsTheyAreWhereNoFileHasAny) {
  const ProcessShift shift = table_of({{}, {}}).shift(1);
  EXPECT_FALSE(shift.matters());
  EXPECT_EQ(shift.of(0), 0);
  EXPECT_EQ(shift.of(65535), 65535);
}

TEST(ProcessIds, AreNoMoreThanNumbersHaveRoomFor) {
  Identifiers many;
  for (std::size_t i = 0; i < kMostProcesses; ++i) many.push_back(std::to_string(i));
  const ProcessTable table = table_of({many, {"7"}, {}});
  EXPECT_EQ(table.shift(1).of(0), 7);
  EXPECT_EQ(table.shift(0).of(kMostProcesses - 1), kMostProcesses - 1);
  EXPECT_EQ(table.shift(2).of(0), kMostProcesses);
  EXPECT_EQ(table.shift(0).of(65535), kMostProcesses);
  EXPECT_THROW(table_of({many, {"x"}}), Error);
}

TEST(ProcessIds, AreQuickToPlaceWhateverTheyAre) {
  Identifiers equal(20000, "A");
  Identifiers front(10000, "A");
  front.emplace_back("B");
  EXPECT_EQ(table_of({equal, front, equal}).all().size(), 20001);
}

TEST(ProcessIds, AreAddedToByLongKeysOnly) {
  RootObject object = process_object(3, "title");
  EXPECT_EQ(object.name, "ProcessID3");
  EXPECT_EQ(object.title, "title");
  std::vector<std::byte> key(34);
  EXPECT_EQ(process_offset(key), 0);
  key[26] = std::byte{0x12};
  key[27] = std::byte{0x34};
  EXPECT_EQ(process_offset(key), 0);
  key[4] = std::byte{0x03};
  key[5] = std::byte{0xEC};
  EXPECT_EQ(process_offset(key), 0x1234);
  EXPECT_THROW(process_offset(std::span(key).first(20)), FormatError);
}

}  // namespace
}  // namespace skimline::io
