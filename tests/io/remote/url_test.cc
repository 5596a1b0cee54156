// SPDX-License-Identifier: BSD-3-Clause
// URLs that name one file, and others.
#include "skimline/io/url.h"

#include "skimline/io/file_identity.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

TEST(CanonicalUrl, IsTheSameForAllSpellings) {
  const std::vector<std::vector<std::string>> files = {
      {"https://host/d/a.root", "davs://host/d/a.root", "HTTPS://Host:443/d/a.root",
       "https://me:secret@host/d/a.root", "https://host//d/./a.root", "https://host/b/../d/a.root",
       "https://host/%64/a%2Eroot"},
      {"http://host/d/a.root", "dav://host:80/d/a.root"},
      {"https://host:8443/d/a.root", "davs://host:8443/d/a.root"},
      {"https://host/d/a.root?part=1"},
      {"https://host/d/A.root"},
      {"root://host//d/a.root", "xroot://host:1094//d/a.root", "root://me@host/d/a.root"},
      {"s3://bucket/d/a.root"},
      {"s3://bucket/d//a.root"},
      {"d/a.root"},
  };
  for (const std::vector<std::string>& file : files)
    for (const std::string& name : file) {
      EXPECT_EQ(canonical_url(name), canonical_url(file.front())) << name;
      for (const std::vector<std::string>& other : files)
        EXPECT_EQ(canonical_url(name) == canonical_url(other.front()), &other == &file)
            << name << " and " << other.front();
    }
}

TEST(FilesInUse, KnowUrlsByOtherNames) {
  FilesInUse files;
  files.add("https://a/x.root|https://b/x.root", "an input");
  EXPECT_EQ(files.find("davs://b:443/x.root"), "an input");
  EXPECT_FALSE(files.find("https://b/y.root"));
}

}  // namespace
}  // namespace skimline::io
