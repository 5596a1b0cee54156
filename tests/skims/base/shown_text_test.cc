// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/shown_text.h"

#include "base/text_table.h"

#include "skimline/skims/diagnostics.h"

#include <gtest/gtest.h>

namespace skimline::skims {
namespace {

TEST(ShownText, LeavesWhatPeopleRead) {
  const std::string text = "m_{μμ} [GeV], größe, 質量, 🙂 ~!@#$%^&*()\\\"'";
  EXPECT_EQ(shown(text), text);
  EXPECT_EQ(ShownText(text + "\n\t" + text).str(), text + "\n\t" + text);
}

TEST(ShownText, ShowsSignsInPlaceOfControls) {
  EXPECT_EQ(shown("a\x1b[31mb"), "a␛[31mb");
  EXPECT_EQ(shown("title\r\nforged: line\t."), "title␍␊forged: line␉.");
  EXPECT_EQ(shown(std::string_view("\0\x07\x7f", 3)), "␀␇␡");
  EXPECT_EQ(shown("\xC2\x9B\x33\x31m"), "�31m");              // the C1 form of "escape ["
  EXPECT_EQ(shown("a\xE2\x80\xAEtoor.x"), "a�toor.x");        // turns the direction
  EXPECT_EQ(shown("a\xE2\x80\xA8next line"), "a�next line");  // a separator of lines
}

TEST(ShownText, ShowsSignsInPlaceOfWhatIsNoUtf8) {
  EXPECT_EQ(shown("a\x9B\xFF!"), "a��!");
  EXPECT_EQ(shown("\xC1\x9B"), "��");            // overlong
  EXPECT_EQ(shown("\xE0\x80\x9B"), "���");       // overlong
  EXPECT_EQ(shown("\xED\xA0\x80"), "���");       // half of a surrogate pair
  EXPECT_EQ(shown("\xF4\x90\x80\x80"), "����");  // too large
  EXPECT_EQ(shown("\xE2\x82"), "��");            // cut off
  EXPECT_EQ(ShownText("\x1b\n\r\t").str(), "␛\n␍\t");
}

TEST(ShownText, CellsOfTablesAreOneLine) {
  TextTable table({"name"});
  table.add({"a\nb\x1b"});
  EXPECT_EQ(table.format(), "  name\n  a␊b␛\n");
}

TEST(ShownText, MarksStandBelowWhatTheyMark) {
  ConfigText source;
  source.path = "a\x1b.json";
  source.text = "\"\x1b[2J\tnMuons\"";
  const std::string message = marked_message(source, {6, 12}, "error", "no \"\n\"");
  EXPECT_EQ(message, "a␛.json:1:7: error: no \"␊\"\n  \"␛[2J\tnMuons\"\n       \t^~~~~~");
}

}  // namespace
}  // namespace skimline::skims
