// SPDX-License-Identifier: BSD-3-Clause
// URLs, and what in them nobody may see.
#include "skimline/io/url_secrets.h"

#include "skimline/io/input_options.h"
#include "skimline/io/url.h"

#include <string>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

struct Case {
  std::string text, hidden;
};

TEST(UrlSecrets, AreHiddenAndFoundAgain) {
  const Case cases[] = {
      {"https://host/a.root", "https://host/a.root"},
      {"https://alice:pw@host:80/a.root", "https://alice:***@host:80/a.root"},
      {"https://TOKEN@host/a.root:Events", "https://***@host/a.root:Events"},
      {"root://alice@host//a.root", "root://alice@host//a.root"},
      {"https://alice:p@ss@host/a", "https://alice:***@host/a"},
      {"https://alice:p/w@host/a", "https://alice:***@host/a"},
      {"https://alice:p w@host/a b@c", "https://alice:***@host/a b@c"},
      {"https://alice:p\"w'<x>@host/a", "https://alice:***@host/a"},
      {"https://b:p|w@c/x|https://a/x", "https://b:***@c/x|https://a/x"},
      {"a.root\nhttps://alice:p w@host/a\nb@c", "a.root\nhttps://alice:***@host/a\nb@c"},
      {R"(["https://a:p w@c/d", "x@y"])", R"(["https://a:***@c/d", "x@y"])"},
      {R"(["https://a:p\"w@c/d", "x@y"])", R"(["https://a:***@c/d", "x@y"])"},
      {"- 'https://a:p w@c/d' # x@y", "- 'https://a:***@c/d' # x@y"},
      {R"(["https://h:80", "x@y"], see https://h: x@y)", R"(["https://h:80", "x@y"], see https://h: x@y)"},
      {"https:///alice:pw@host/a", "https:///alice:***@host/a"},
      {"file:///data/a:b@c.root", "file:///data/a:b@c.root"},
      {"https://h/a?x=1;token=y;z#sig=w", "https://h/a?x=1;token=***;z#sig=***"},
      {"https://h/a;token=y/b.root;/c?key=y/z", "https://h/a;token=***/b.root;/c?key=***"},
      {"https://h/a?%74oken=y&=z", "https://h/a?%74oken=***&=z"},
      {"https://h/a?X-Amz-Signature=12ab&versionId=7&authz=Bearer%20x",
       "https://h/a?X-Amz-Signature=***&versionId=7&authz=***"},
      {"https://h/a?access_token=x|https://i/b?sig=y", "https://h/a?access_token=***|https://i/b?sig=***"},
      {R"({"files": ["https://a:b@c/d", 'x'], "y": "s3://k/l?token=m"})",
       R"({"files": ["https://a:***@c/d", 'x'], "y": "s3://k/l?token=***"})"},
      {R"("https:\/\/a:b@c\/d?key=e")", R"("https:\/\/a:***@c\/d?key=***")"},
      {"no url: a:b@c, x://", "no url: a:b@c, x://"},
      {"https://h:1094//a?", "https://h:1094//a?"},
  };
  for (const Case& each : cases) {
    const std::string hidden = hide_secrets(each.text);
    EXPECT_EQ(with_equal_secrets(hidden), each.hidden);
    EXPECT_EQ(with_secrets(hidden), each.text);
    EXPECT_EQ(hide_secrets(hidden), hidden);
  }
}

TEST(UrlSecrets, UnknownOnesStayHidden) {
  EXPECT_EQ(with_secrets("https://never:***@told/x?sig=***"), "https://never:***@told/x?sig=***");
}

TEST(UrlSecrets, BelongToTheirHost) {
  hide_secrets("https://bob:one@first/x");
  EXPECT_EQ(with_secrets("https://bob:***@second/x"), "https://bob:***@second/x");
  EXPECT_EQ(with_secrets("https://bob:***@first/other"), "https://bob:one@first/other");
}

TEST(UrlSecrets, ThatDifferAreToldApart) {
  const std::string all =
      "https://get/x?fileKey=one https://get/x?fileKey=two&sig=s https://u:a@get/x https://u:b@get/x";
  const std::string hidden =
      "https://get/x?fileKey=*** https://get/x?fileKey=***2&sig=*** https://u:***@get/x https://u:***2@get/x";
  EXPECT_EQ(hide_secrets(all), hidden);
  EXPECT_EQ(hide_secrets("https://get/x?fileKey=one"), "https://get/x?fileKey=***");
  EXPECT_EQ(hide_secrets(hidden), hidden);
  EXPECT_EQ(with_secrets(hidden), all);
  EXPECT_EQ(
      with_equal_secrets(hidden),
      "https://get/x?fileKey=*** https://get/x?fileKey=***&sig=*** https://u:***@get/x https://u:***@get/x");
  for (const char* unknown :
       {"https://get/x?fileKey=***3", "https://get/x?fileKey=***1", "https://get/x?fileKey=***02",
        "https://get/x?fileKey=***99999999999999999999999"})
    EXPECT_EQ(with_secrets(unknown), unknown);
}

TEST(Url, HasParts) {
  const auto url = parse_url("HTTPS://al%20ice:p%3Aw@host:8080/a/b.root?x=1&y=?");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->user, "al ice");
  EXPECT_EQ(url->password, "p:w");
  EXPECT_EQ(url->host, "host:8080");
  EXPECT_EQ(url->path, "/a/b.root");
  EXPECT_EQ(url->query, "x=1&y=?");
  EXPECT_EQ(url->without_user(), "https://host:8080/a/b.root?x=1&y=?");
  for (const char* none : {"", "a.root", "/a/b", "://x", "a b://x", "http:/x"})
    EXPECT_FALSE(parse_url(none)) << none;
}

TEST(Url, IsEncodedAsServersWant) {
  EXPECT_EQ(path_as_sent("/a b/c%20d/\xC3\xA4#"), "/a%20b/c%20d/%C3%A4%23");
  EXPECT_EQ(percent_decoded("%41%4g%4"), "A%4g%4");
  EXPECT_EQ(percent_decoded("%"), "%");
  EXPECT_EQ(percent_decoded("a%2F%c3%A9"), "a/\xC3\xA9");
  EXPECT_EQ(percent_encoded("a+b/c", "/"), "a%2Bb/c");
}

TEST(Url, NamesOfTreesFollowIt) {
  const Case cases[] = {{"https://h:80/a.root", ""},
                        {"https://h:80/a", ""},
                        {"https://h:80", ""},
                        {"https://h:80/a.root:Events", "Events"},
                        {"s3://b/k:dir/Events", "dir/Events"},
                        {"root://h//a.root", ""},
                        {"root://h:1//a.root|root://i:2//a.root:T", "T"},
                        {"root://h//x:T|root://i:2//x", ""}};
  for (const Case& each : cases) EXPECT_EQ(parse_location(each.text).name, each.hidden) << each.text;
}

}  // namespace
}  // namespace skimline::io
