// SPDX-License-Identifier: BSD-3-Clause
// Keys and regions in the environment and in the files of the AWS tools.
#pragma once

#include <string>

namespace skimline::io {

/// What is known of whoever asks; what is unknown is empty.
struct AwsProfile {
  std::string key_id, secret, session_token;
  std::string region;
  std::string endpoint;  ///< of S3, with http:// or https://
};

/// Reads the variables of the environment, and for what they lack the profile that AWS_PROFILE names, else
/// "default". Throws FileError naming `name` if a profile is named that no file has.
AwsProfile aws_profile(const std::string& name);

}  // namespace skimline::io
