// SPDX-License-Identifier: BSD-3-Clause
// Objects of stores that speak S3.
#pragma once

#include "remote/http_file.h"

#include "skimline/io/url.h"

#include <string>
#include <vector>

namespace skimline::io {

/// A bucket, and how requests for it are made.
struct S3Bucket {
  std::string name;    ///< of the bucket
  std::string origin;  ///< "https://host:port", with the bucket's name in the host or not
  std::string prefix;  ///< of paths: empty, or a slash and the bucket
  HttpAccess access;   ///< anonymous without a signature
};

/// What the variables AWS_* and the profiles in ~/.aws say about the bucket of an s3:// URL. Throws FileError
/// naming it if the URL names no bucket, or the profile is missing.
S3Bucket s3_bucket(const std::string& name);

/// The headers that a request without a body has to have.
std::vector<std::string> s3_headers(const S3Bucket& bucket);

/// The key of the object that a URL names. Throws FileError if it names none.
std::string s3_key(const std::string& name);

/// A key as requests have it.
std::string s3_path(const S3Bucket& bucket, const std::string& key);

/// The URL of the object, which depends on whose buckets are meant.
std::string s3_place(const std::string& name);

/// The target that an s3://bucket/key URL names.
HttpTarget s3_target(const std::string& name);

}  // namespace skimline::io
