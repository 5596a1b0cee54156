// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/url_secrets.h"

#include "skimline/io/url.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>

namespace skimline::io {
namespace {

constexpr std::string_view kHidden = "***";
// What a URL in a text ends before.
constexpr std::string_view kAfterUrl = " \t\r\n\"'<>|`";

// Values by what stands before them once all secrets are hidden.
class SecretStore {
 public:
  void add(const std::string& before, std::string value) {
    const std::lock_guard lock(mutex_);
    values_[before] = std::move(value);
  }
  std::string find(const std::string& before) const {
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(before);
    return found == values_.end() ? std::string(kHidden) : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> values_;
};

SecretStore& secret_store() {
  static auto& store = *new SecretStore;  // threads may outlive main()
  return store;
}

bool is_secret_parameter(std::string_view name) {
  constexpr std::string_view kWords[] = {"sig",    "token", "auth", "cred",    "key", "secret",
                                         "passwd", "passw", "pwd",  "session", "jwt", "sas"};
  const std::string lower = lower_case(name);
  if (lower == "x-amz-signedheaders") return false;
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

bool is_number(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char letter) { return letter >= '0' && letter <= '9'; });
}

// Where the user and password of a URL end, and the host begins. A password may wrongly have a slash: then
// what looks like a port is none.
std::size_t user_end(std::string_view rest) {
  std::size_t authority_end = std::min(rest.find_first_of("/?"), rest.size());
  const std::string_view authority = rest.substr(0, authority_end);
  const std::size_t colon = authority.rfind(':');
  if (colon != std::string_view::npos && authority.find('@') == std::string_view::npos &&
      authority.find(']', colon) == std::string_view::npos && !is_number(authority.substr(colon + 1)))
    authority_end = rest.size();
  const std::size_t at = rest.substr(0, authority_end).rfind('@');
  return at == std::string_view::npos ? 0 : at;
}

// Splits a URL at its secrets: calls `plain` with what is none and `secret` with what is, and in front of
// each says in `key` what it is known by.
template <typename Plain, typename Secret>
void walk_user(std::string_view scheme, std::string_view user, std::string_view host, Plain plain,
               Secret secret) {
  const std::size_t colon = user.find(':');
  const bool may_be_alone = scheme.find("root") != std::string_view::npos;  // a name, which proves nothing
  const std::string origin = "@" + std::string(host);
  if (colon != std::string_view::npos) {
    plain(user.substr(0, colon + 1));
    secret(user.substr(colon + 1), origin);
  } else if (may_be_alone) {
    plain(user);
  } else {
    secret(user, origin);
  }
}

template <typename Plain, typename Secret>
void walk_query(std::string_view query, Plain plain, Secret secret) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view part = query.substr(0, end);
    const std::size_t equals = part.find('=');
    if (equals != std::string_view::npos && is_secret_parameter(part.substr(0, equals))) {
      plain(part.substr(0, equals + 1));
      secret(part.substr(equals + 1), std::string());
    } else {
      plain(part);
    }
    if (end < query.size()) plain("&");
    query.remove_prefix(std::min(end + 1, query.size()));
  }
}

struct SchemeEnd {
  std::size_t at, size;
};

// Where "://" is. In JSON slashes may have a backslash in front.
SchemeEnd next_url(std::string_view text) {
  for (std::size_t at = text.find(':'); at != std::string_view::npos; at = text.find(':', at + 1))
    for (const std::string_view end : {"://", ":\\/\\/"})
      if (text.substr(at, end.size()) == end) return {at, end.size()};
  return {std::string_view::npos, 0};
}

// The same for all URLs of a text.
template <typename Plain, typename Secret, typename Begin>
void walk_urls(std::string_view text, Plain plain, Secret secret, Begin begin) {
  for (;;) {
    const auto [at, slashes] = next_url(text);
    if (at == std::string_view::npos) return plain(text);
    std::size_t scheme = at;
    while (scheme > 0 && std::isalnum(static_cast<unsigned char>(text[scheme - 1]))) --scheme;
    plain(text.substr(0, scheme));
    begin();
    const std::string_view name = text.substr(scheme, at - scheme);
    plain(text.substr(scheme, at - scheme + slashes));
    text.remove_prefix(at + slashes);
    std::string_view rest = text.substr(0, std::min(text.find_first_of(kAfterUrl), text.size()));
    text.remove_prefix(rest.size());
    if (const std::size_t user = user_end(rest); user > 0) {
      const std::string_view host = rest.substr(user + 1);
      walk_user(name, rest.substr(0, user),
                host.substr(0, std::min(host.find_first_of("/?:\\"), host.size())), plain, secret);
      rest.remove_prefix(user);
    }
    const std::size_t query = std::min(rest.find('?'), rest.size());
    plain(rest.substr(0, query));
    if (query == rest.size()) continue;
    plain("?");
    walk_query(rest.substr(query + 1), plain, secret);
  }
}

template <typename Replace>
std::string replaced(std::string_view text, Replace replace) {
  std::string result, key;
  walk_urls(
      text,
      [&](std::string_view part) {
        result += part;
        // Slashes of JSON are the same with a backslash in front.
        std::copy_if(part.begin(), part.end(), std::back_inserter(key), [](char c) { return c != '\\'; });
      },
      [&](std::string_view value, const std::string& host) {
        result += replace(key + host, value);
        key += kHidden;
      },
      [&] { key.clear(); });
  return result;
}

}  // namespace

std::string hide_secrets(std::string_view text) {
  return replaced(text, [](const std::string& key, std::string_view value) {
    if (value != kHidden && !value.empty()) secret_store().add(key, std::string(value));
    return value.empty() ? std::string() : std::string(kHidden);
  });
}

std::string with_secrets(std::string_view text) {
  return replaced(text, [](const std::string& key, std::string_view value) {
    return value == kHidden ? secret_store().find(key) : std::string(value);
  });
}

}  // namespace skimline::io
