// SPDX-License-Identifier: BSD-3-Clause
// What this machine has to reach files of others.
#pragma once

#include <string>
#include <vector>

namespace skimline::io {

/// A library, a file or a folder that is wanted for files behind URLs, or what is wrong with it.
struct RemoteFact {
  std::string found;    ///< "libcurl/8.5.0 OpenSSL/3.0.13", a path; empty if there is none
  std::string problem;  ///< what to do about it; empty if there is nothing to do
};

/// Something that proves to servers who asks. Its value is never told.
struct Credential {
  std::string kind;     ///< "bearer token", "X.509 proxy", "keys of S3"
  std::string source;   ///< the variable or the file that has it
  std::string problem;  ///< why it cannot be used, or empty
};

/// The libraries behind http://, https:// and s3://, and behind root://. They are loaded to find out.
RemoteFact http_library();
RemoteFact xrootd_library();

/// The file of certificates by which servers of https:// are believed.
RemoteFact certificate_authorities();

/// The folder that keeps what is read of files behind URLs. It is made if it does not exist yet, as by the
/// first read.
RemoteFact cache_folder();

/// All that the environment has, in the order in which they count. Sends nothing.
std::vector<Credential> credentials();

}  // namespace skimline::io
