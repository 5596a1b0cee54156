// SPDX-License-Identifier: BSD-3-Clause
#include "remote/s3_access.h"

#include "remote/aws_profile.h"

#include "skimline/framework/error.h"
#include "skimline/io/url.h"
#include "skimline/io/url_secrets.h"

#include <algorithm>
#include <optional>

namespace skimline::io {
namespace {

// Apart from letters and digits, what the signature leaves as it is.
constexpr std::string_view kPlainInKeys = "/-._~";

HttpAccess access_by(const AwsProfile& profile, const std::string& origin, const std::string& name) {
  const std::optional<Url> url = parse_url(origin);
  if (!url || url->host.empty())
    throw FileError(name,
                    "AWS_ENDPOINT_URL must be a URL, such as \"https://host\"" +
                        (origin.find('@') == std::string::npos ? ", not \"" + origin + "\"" : std::string()),
                    FileFault::kUnavailable);
  // Of what is for web servers only whom to believe matters here.
  const HttpAccess all = access_to(
      {.scheme = url->scheme, .user = {}, .password = {}, .host = url->host, .path = {}, .query = {}}, name);
  HttpAccess access;
  access.ca_bundle = all.ca_bundle;
  access.ca_folder = all.ca_folder;
  access.advice = profile.key_id.empty()
                      ? "no keys of AWS were sent: AWS_ACCESS_KEY_ID, AWS_PROFILE or ~/.aws "
                        "have them"
                      : "the keys of AWS that were sent do not suffice";
  if (profile.key_id.empty()) return access;
  access.user = profile.key_id;
  access.password = profile.secret;
  access.session_token = profile.session_token;
  access.signature = "aws:amz:" + profile.region + ":s3";
  return access;
}

bool can_be_in_host(const std::string& bucket) {
  return bucket.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

// Between slashes, where other URLs have them for folders.
bool has_dots_as_names(std::string_view key) {
  for (std::size_t begin = 0, end = 0; begin <= key.size(); begin = end + 1) {
    end = std::min(key.find('/', begin), key.size());
    const std::string_view name = key.substr(begin, end - begin);
    if (name == "." || name == "..") return true;
  }
  return false;
}

}  // namespace

S3Bucket s3_bucket(const std::string& name) {
  const std::optional<Url> url = parse_url(with_secrets(name));
  if (!url || url->host.empty())
    throw FileError(name, "names no bucket: expected s3://bucket/key", FileFault::kUnavailable);
  const AwsProfile profile = aws_profile(name);
  S3Bucket bucket;
  bucket.name = url->host;
  const std::string host = "s3." + profile.region + ".amazonaws.com";
  if (!profile.endpoint.empty()) {
    bucket.origin = profile.endpoint;
    bucket.prefix = "/" + bucket.name;
  } else if (can_be_in_host(bucket.name)) {
    bucket.origin = "https://" + bucket.name + "." + host;
  } else {
    bucket.origin = "https://" + host;
    bucket.prefix = "/" + bucket.name;
  }
  bucket.access = access_by(profile, bucket.origin, name);
  return bucket;
}

// The hash is that of nothing; the signature covers it.
std::vector<std::string> s3_headers(const S3Bucket& bucket) {
  if (bucket.access.signature.empty()) return {};
  return {"x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"};
}

std::string s3_path(const S3Bucket& bucket, const std::string& key) {
  return bucket.prefix + "/" + percent_encoded(key, kPlainInKeys);
}

// In keys a question mark is a letter like others, at the end too.
std::string s3_key(const std::string& name) {
  const std::string url = with_secrets(name);  // keys may have "#key=1" in them
  const std::size_t bucket = url.find("://") + 3;
  const std::size_t slash = std::min(url.find_first_of("/?", bucket), url.size());
  if (slash + 1 >= url.size() || url[slash] != '/')
    throw FileError(name, "names no object: expected s3://bucket/key", FileFault::kUnavailable);
  return url.substr(slash + 1);
}

std::string s3_place(const std::string& name) { return hide_secrets(s3_target(name).request().url); }

HttpTarget s3_target(const std::string& name) {
  HttpTarget target;
  target.name = name;
  target.takes_several_ranges = false;
  target.has_tags_of_content = true;
  target.request = [name, key = s3_key(name)] {
    const S3Bucket bucket = s3_bucket(name);
    HttpRequest request;
    request.url = bucket.origin + s3_path(bucket, key);
    request.access = bucket.access;
    request.headers = s3_headers(bucket);
    request.follows_redirects = false;
    request.has_literal_path = has_dots_as_names(key);
    return request;
  };
  target.request();
  return target;
}

}  // namespace skimline::io
