// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/text_object.h"

#include "root/object_cursor.h"
#include "root/object_payload.h"
#include "root/object_streaming.h"

#include "skimline/framework/error.h"

namespace skimline::io {
namespace {

constexpr std::uint16_t kTextVersion = 1;
// What ROOT puts into the key of an object without a title.
constexpr const char* kTextTitle = "Collectable string class";
// From here on the count of an object's bytes does not fit into its field.
constexpr std::size_t kTextLimit = 0x3FFFFF00;

std::string parsed_text(const std::vector<std::byte>& payload) {
  ObjectCursor cursor(payload);
  const ObjectFrame frame = cursor.begin(kTextClass, kTextVersion);
  cursor.object_base();
  std::string text = cursor.text();
  cursor.end(frame);
  return text;
}

}  // namespace

RootObject text_object(std::string name, std::string_view text, CompressionSetting compression) {
  if (text.size() >= kTextLimit)
    throw Error("the text \"" + name + "\" is too large for a ROOT file: objects must be smaller than 1 GiB");
  ByteWriter out;
  write_object(out, kTextVersion, [&] {
    write_tobject(out, 0);
    out.root_string(text);
  });
  RootObject object;
  object.class_name = kTextClass;
  object.name = std::move(name);
  object.title = kTextTitle;
  set_payload(object, std::move(out).take(), compression);
  return object;
}

std::string read_text_object(const RootFile& file, const RootKey& key) {
  try {
    if (key.class_name != kTextClass)
      throw FormatError("is of class " + key.class_name + ", not " + kTextClass);
    return parsed_text(file.read_object(key));
  } catch (const FormatError& error) {
    throw FileError(file.path(), "object \"" + key.path + "\" at byte " + std::to_string(key.offset) + ": " +
                                     error.what());
  }
}

}  // namespace skimline::io
