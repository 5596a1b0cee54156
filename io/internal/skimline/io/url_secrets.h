// SPDX-License-Identifier: BSD-3-Clause
// Passwords and signatures in URLs: taken out of whatever may be shown or written, found again for requests.
#pragma once

#include <string>
#include <string_view>

namespace skimline::io {

/// Returns a text, such as a config, an argument or a name, with "***" for what is secret in the URLs in it:
/// passwords, a user without one, and the values of parameters called like a signature, key or token. They
/// are kept in this process, for with_secrets(). Everything that takes URLs from outside calls this first,
/// so that messages, records and reports never have them. Where URLs differ in a secret only, that of the
/// second one reads "***2", and so on: it may be what names the file. Thread-safe.
std::string hide_secrets(std::string_view text);

/// Returns a text with what hide_secrets() took out of it. Thread-safe.
std::string with_secrets(std::string_view text);

/// Whether hide_secrets() took something out of a text. Thread-safe.
bool has_secrets(std::string_view text);

/// Returns a text from hide_secrets() as every process has it: without the numbers of secrets, which depend
/// on what URLs a process has met before.
std::string with_equal_secrets(std::string_view text);

}  // namespace skimline::io
