// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/payload_copy.h"

#include <gtest/gtest.h>

using namespace skimline::io;

namespace {

constexpr std::size_t kKeySize = 50;

// An object with a number, and two objects of a class behind pointers, the second of which names it by a
// reference.
std::vector<std::byte> sample() {
  ByteWriter out;
  PointerWriter pointers(out, kKeySize);
  write_object(out, 3, [&] {
    out.big<std::int32_t>(7);
    for (const char* text : {"first", "second"})
      pointers.write("TObjString", 1, [&] { out.root_string(text); });
  });
  return std::move(out).take();
}

struct Read {
  std::size_t number_place = 0;
  std::vector<std::string> texts;
  std::vector<PayloadRange> frames;
  std::vector<std::size_t> references;
};

Read read(const std::vector<std::byte>& payload, std::size_t number_size) {
  Read found;
  ObjectCursor cursor(payload);
  const ObjectFrame frame = cursor.begin("Sample", 3);
  found.number_place = cursor.position();
  cursor.skip(number_size);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(cursor.pointer(kKeySize).class_name, "TObjString");
    const ObjectFrame text = cursor.begin("TObjString", 1);
    found.texts.push_back(cursor.text());
    cursor.end(text);
  }
  cursor.end(frame);
  found.frames = cursor.frames();
  found.references = cursor.references();
  return found;
}

}  // namespace

TEST(PayloadCopy, SizesAndReferencesFollowWhatIsReplaced) {
  const std::vector<std::byte> payload = sample();
  const Read before = read(payload, 4);
  PayloadCopy copy(payload, kKeySize);
  copy.replace({before.number_place, before.number_place + 4},
               [](ByteWriter& out, PointerWriter&) { out.zeros(1000); });
  const Read after = read(copy.finish(before.frames, before.references), 1000);
  EXPECT_EQ(after.texts, (std::vector<std::string>{"first", "second"}));
}

TEST(PayloadCopy, NothingReplacedIsTheSame) {
  const std::vector<std::byte> payload = sample();
  const Read before = read(payload, 4);
  EXPECT_EQ(PayloadCopy(payload, kKeySize).finish(before.frames, before.references), payload);
}

TEST(ObjectCursor, ReferencesToNothing) {
  std::vector<std::byte> payload = sample();
  const Read before = read(payload, 4);
  payload[before.references.front() + 3] ^= std::byte{1};
  ObjectCursor cursor(payload);
  cursor.begin();
  cursor.skip(4);
  cursor.skip_pointer();
  EXPECT_FALSE(cursor.is_reference());
  EXPECT_THROW(cursor.pointer(kKeySize), FormatError);
}
