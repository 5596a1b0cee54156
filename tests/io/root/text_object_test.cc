// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/text_object.h"

#include "temporary_folder.h"

#include "skimline/framework/error.h"

#include <fstream>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

std::string long_text(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i) text += "\u00fc" + std::to_string(i % 7);
  text.resize(size, 'x');
  return text;
}

TEST(TextObject, IsReadBack) {
  const TemporaryFolder folder;
  const std::vector<std::string> texts{"",
                                       "a",
                                       "\u03bc\u03bc",
                                       std::string("with\0zero", 9),
                                       std::string(239, 'a'),
                                       std::string(240, 'a'),
                                       std::string(253, 'a'),
                                       std::string(254, 'a'),
                                       std::string(255, 'a'),
                                       std::string(256, 'a'),
                                       std::string(100'000, 'a'),
                                       long_text(70'000)};
  {
    RootFileWriter writer(folder.path("a.root"), {kTextClass});
    for (std::size_t i = 0; i < texts.size(); ++i)
      writer.add_object(text_object("dir/t" + std::to_string(i), texts[i]));
    writer.commit();
  }
  const RootFile file(folder.path("a.root"));
  ASSERT_EQ(file.keys().size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const RootKey& key = *file.find("dir/t" + std::to_string(i));
    EXPECT_EQ(read_text_object(file, key), texts[i]);
    const bool is_compressed = key.record_size - key.key_size < key.object_size;
    EXPECT_EQ(is_compressed, texts[i].size() > 239);
  }
}

TEST(TextObject, OfAnotherClassIsRefused) {
  const TemporaryFolder folder;
  {
    RootFileWriter writer(folder.path("a.root"), {kTextClass});
    RootObject object = text_object("t", "text");
    object.class_name = "TNamed";
    writer.add_object(object);
    writer.commit();
  }
  const RootFile file(folder.path("a.root"));
  EXPECT_THROW(read_text_object(file, file.keys().front()), FileError);
}

// Whatever one byte of the object is, it is read or refused.
TEST(TextObject, DamagedIsReadOrRefused) {
  const TemporaryFolder folder;
  const RootObject sound = text_object("t", "some text");
  std::size_t num_refused = 0;
  for (std::size_t position = 0; position < sound.payload.size(); ++position)
    for (const int flip : {0x01, 0x40, 0x80, 0xFF}) {
      RootObject object = sound;
      object.payload[position] ^= static_cast<std::byte>(flip);
      {
        RootFileWriter writer(folder.path("a.root"), {kTextClass});
        writer.add_object(object);
        writer.commit();
      }
      const RootFile file(folder.path("a.root"));
      try {
        EXPECT_LE(read_text_object(file, file.keys().front()).size(), sound.payload.size());
      } catch (const FileError&) {
        ++num_refused;
      }
    }
  EXPECT_GT(num_refused, 4u * 7u);  // byte count, version and length of the text
}

TEST(TextObject, CutShortIsRefused) {
  const TemporaryFolder folder;
  const RootObject sound = text_object("t", std::string(200, 'a'));
  for (std::size_t size = 0; size < sound.payload.size(); ++size) {
    RootObject object = sound;
    object.payload.resize(size);
    {
      RootFileWriter writer(folder.path("a.root"), {kTextClass});
      writer.add_object(object);
      writer.commit();
    }
    const RootFile file(folder.path("a.root"));
    EXPECT_THROW(read_text_object(file, file.keys().front()), FileError) << size;
  }
}

}  // namespace
}  // namespace skimline::io
