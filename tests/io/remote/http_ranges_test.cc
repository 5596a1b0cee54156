// SPDX-License-Identifier: BSD-3-Clause
// Which ranges are asked for together, and answers of servers that nobody can trust.
#include "remote/http_ranges.h"

#include "remote/xml_scan.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

struct Wanted {
  explicit Wanted(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& places) {
    for (const auto& [offset, size] : places) bytes.emplace_back(size);
    for (std::size_t i = 0; i < places.size(); ++i) reads.push_back({places[i].first, bytes[i]});
  }
  std::vector<std::vector<std::byte>> bytes;
  std::vector<RangeRead> reads;
};

std::vector<std::string> texts_of(const std::vector<RequestedRanges>& requests) {
  std::vector<std::string> texts;
  for (const RequestedRanges& ranges : requests) texts.push_back(range_text(ranges));
  return texts;
}

using Texts = std::vector<std::string>;

TEST(HttpRanges, NearRangesAreOne) {
  const Wanted wanted({{100'000, 10}, {0, 100}, {100, 50}, {90, 5}});
  EXPECT_EQ(texts_of(plan_requests(wanted.reads, 64)), (Texts{"0-149,100000-100009"}));
  EXPECT_EQ(texts_of(plan_requests(wanted.reads, 1)), (Texts{"0-100009"}));
}

TEST(HttpRanges, RequestsAreOfLimitedSize) {
  const Wanted wanted({{0, 10'000'000}, {50'000'000, 10}});
  EXPECT_EQ(texts_of(plan_requests(wanted.reads, 64)),
            (Texts{"0-4194303", "4194304-9999999", "50000000-50000009"}));
  std::vector<std::pair<std::uint64_t, std::uint64_t>> many;
  for (std::uint64_t i = 0; i < 130; ++i) many.emplace_back(i * 1'000'000, 10);
  EXPECT_EQ(plan_requests(Wanted(many).reads, 64).size(), 3U);
  EXPECT_EQ(plan_requests(Wanted(many).reads, 1).size(), 130U);
}

// Random reads, each filled from what the planned ranges hold, are the bytes of the file.
TEST(HttpRanges, EveryByteIsAskedForAndComesBack) {
  std::mt19937_64 random(1);
  std::vector<std::byte> file(20'000'000);
  for (std::byte& byte : file) byte = static_cast<std::byte>(random());
  for (int round = 0; round < 20; ++round) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> places;
    for (int i = 0; i < 40; ++i) {
      const std::uint64_t size = 1 + random() % (i % 10 == 0 ? 9'000'000 : 50'000);
      places.emplace_back(random() % (file.size() - size), size);
    }
    const Wanted wanted(places);
    for (const RequestedRanges& ranges : plan_requests(wanted.reads, round % 2 == 0 ? 64 : 1))
      for (const RangeOfReads& range : ranges) {
        const AnsweredRange part{{range.begin, range.end, file.size()},
                                 std::span(file).subspan(range.begin, range.end - range.begin)};
        ASSERT_TRUE(distribute(range, {&part, 1}));
      }
    for (std::size_t i = 0; i < places.size(); ++i)
      ASSERT_TRUE(std::equal(wanted.bytes[i].begin(), wanted.bytes[i].end(),
                             file.begin() + static_cast<std::ptrdiff_t>(places[i].first)));
  }
}

TEST(HttpRanges, ContentRangesAreChecked) {
  const auto range = parse_content_range("bytes 5-9/20");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->begin, 5U);
  EXPECT_EQ(range->end, 10U);
  EXPECT_EQ(range->size, 20U);
  EXPECT_FALSE(parse_content_range("bytes 0-0/*")->size);
  EXPECT_EQ(parse_content_range("bytes */0")->size, 0U);
  for (const char* wrong : {"", "bytes", "bytes ", "bytes 5", "bytes 5-", "bytes 9-5/20", "bytes 5-20/20",
                            "bytes 5-9/", "bytes -5-9/20", "bytes 5-9/20x", "items 5-9/20",
                            "bytes 5-18446744073709551615/*", "bytes 99999999999999999999-1/2", "bytes */*"})
    EXPECT_FALSE(parse_content_range(wrong)) << wrong;
}

std::string body_of(const std::string& parts) { return parts + "--x--\r\n"; }

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

constexpr const char* kType = "multipart/byteranges; boundary=\"x\"";

TEST(HttpRanges, PartsAreFoundByWhatTheySay) {
  const std::string body = body_of(
      "preface\r\n--x\r\nContent-Type: a/b\r\ncontent-range:  bytes 3-5/9\r\n\r\nabc\r\n"
      "--x\r\nContent-Range: bytes 0-6/9\r\n\r\n--x\r\n--\r\n");
  const std::vector<AnsweredRange> parts = parse_multipart(kType, bytes_of(body));
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].where.begin, 3U);
  EXPECT_EQ(std::to_integer<char>(parts[0].bytes[2]), 'c');
  EXPECT_EQ(parts[1].bytes.size(), 7U);  // what looks like a boundary belongs to it
}

TEST(HttpRanges, WrongPartsAreErrors) {
  for (const std::string& body :
       {std::string(), std::string("--x"), std::string("--x\r\n"), std::string("--x\r\n\r\nabc\r\n--x--"),
        std::string("--x\r\nContent-Range: bytes 0-9/9\r\n\r\nabc\r\n--x--"),
        std::string("--x\r\nContent-Range: bytes 0-8/9\r\n\r\nabc\r\n--x--"),
        std::string("--x\r\nContent-Range: bytes 0-1/9\r\n\r\nabc\r\n--x--"),
        std::string("--xx\r\nContent-Range: bytes 0-2/9\r\n\r\nabc\r\n--x--")})
    EXPECT_THROW(parse_multipart(kType, bytes_of(body)), FormatError) << body;
  EXPECT_THROW(parse_multipart("multipart/byteranges", bytes_of("--x--")), FormatError);
}

// Whatever bytes are changed, parts lie inside of the answer or there is an error.
TEST(HttpRanges, ChangedAnswersDoNoHarm) {
  const std::string right = body_of(
      "\r\n--x\r\nContent-Range: bytes 3-5/9\r\n\r\nabc\r\n--x\r\nContent-Range: bytes "
      "0-6/9\r\n\r\nabcdefg\r\n");
  std::mt19937_64 random(2);
  int num_errors = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string body = right;
    for (std::uint64_t i = 0; i < 1 + random() % 4; ++i)
      body[random() % body.size()] = static_cast<char>(random());
    body.resize(body.size() - random() % 3);
    try {
      for (const AnsweredRange& part : parse_multipart(kType, bytes_of(body))) {
        ASSERT_GE(part.bytes.data(), bytes_of(body).data());
        ASSERT_LE(part.bytes.data() + part.bytes.size(), bytes_of(body).data() + body.size());
        ASSERT_EQ(part.bytes.size(), part.where.end - part.where.begin);
      }
    } catch (const FormatError&) {
      ++num_errors;
    }
    scan_xml(
        body, [](std::string_view) {}, [](std::string_view, const std::string&) {});
  }
  EXPECT_GT(num_errors, 1000);
}

TEST(XmlScan, ElementsAreNamedWithoutPrefixes) {
  std::string told;
  scan_xml(
      "<?xml version='1.0'?><d:a x='1'><!-- c --><d:b>1 &amp; &lt;2&gt; &#65;&#x42; &nbsp;</d:b><c/></d:a>",
      [&](std::string_view name) { told += "<" + std::string(name); },
      [&](std::string_view name, const std::string& text) { told += ">" + std::string(name) + "=" + text; });
  EXPECT_EQ(told, "<a<b>b=1 & <2> AB &nbsp;<c>c=>a=");
}

TEST(XmlScan, NumbersAreLettersOfEveryPlane) {
  std::string told;
  scan_xml(
      "<a>&#228; &#x20AC; &#x1F600; &#xD800; &#x110000; &#0; &#65x;</a>", [](std::string_view) {},
      [&](std::string_view, const std::string& text) { told = text; });
  EXPECT_EQ(told, "\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80 &#xD800; &#x110000; &#0; &#65x;");
}

TEST(XmlScan, KnowsWhatIsCutOff) {
  const auto is_complete = [](std::string_view xml) {
    return scan_xml(
        xml, [](std::string_view) {}, [](std::string_view, const std::string&) {});
  };
  const std::string whole = "<?xml version='1.0'?><!-- list --><a><b/><c>1</c></a>";
  EXPECT_TRUE(is_complete(whole));
  EXPECT_TRUE(is_complete(whole + "\n"));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(is_complete(whole.substr(0, size))) << size;
}

TEST(XmlScan, TakesWhatIsNoXml) {
  for (const char* wrong : {"<", "<a", "a>b", "</", "<a>&#", "<a>&;</a>", "</a/>"})
    EXPECT_NO_THROW(scan_xml(
        wrong, [](std::string_view) {}, [](std::string_view, const std::string&) {}));
}

}  // namespace
}  // namespace skimline::io
