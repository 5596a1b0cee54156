// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/url_secrets.h"

#include "skimline/io/url.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace skimline::io {
namespace {

constexpr std::string_view kHidden = "***";
// What a URL in a text ends before.
constexpr std::string_view kAfterUrl = " \t\r\n\"'<>|`";
// What is between parameters, and in front of the first; some servers take semicolons.
constexpr std::string_view kAroundParameters = "?&;#";

bool is_number(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char letter) { return letter >= '0' && letter <= '9'; });
}

// Whether it stands for a value: "***", or "***2" and so on.
bool is_hidden(std::string_view text) {
  return text.starts_with(kHidden) && is_number(text.substr(kHidden.size()));
}

// The number that a hidden value has, from 1 on; 0 if it is none that was ever given.
std::size_t number_of(std::string_view hidden) {
  hidden.remove_prefix(kHidden.size());
  if (hidden.empty()) return 1;
  std::size_t number = 0;
  std::from_chars(hidden.data(), hidden.data() + hidden.size(), number);
  return number == 1 || hidden != std::to_string(number) ? 0 : number;
}

// Values by what stands before them once all secrets are hidden. That of a parameter may be the name of a
// file: URLs that differ in nothing else have to be told apart.
class SecretStore {
 public:
  // Returns what stands for the value from now on.
  std::string add(const std::string& before, const std::string& value) {
    const std::lock_guard lock(mutex_);
    Values& values = values_[before];
    const auto [found, is_new] = values.numbers.try_emplace(value, values.in_order.size() + 1);
    if (is_new) values.in_order.push_back(value);
    return std::string(kHidden) + (found->second == 1 ? std::string() : std::to_string(found->second));
  }

  std::string find(const std::string& before, std::string_view hidden) const {
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(before);
    const std::size_t number = number_of(hidden);
    const bool is_known = found != values_.end() && number > 0 && number <= found->second.in_order.size();
    return is_known ? found->second.in_order[number - 1] : std::string(hidden);
  }

 private:
  struct Values {
    std::vector<std::string> in_order;
    std::map<std::string, std::size_t> numbers;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Values> values_;
};

SecretStore& secret_store() {
  static auto& store = *new SecretStore;  // threads may outlive main()
  return store;
}

bool is_secret_parameter(std::string_view name) {
  constexpr std::string_view kWords[] = {"sig",    "token", "auth", "cred",    "key", "secret",
                                         "passwd", "passw", "pwd",  "session", "jwt", "sas"};
  const std::string lower = lower_case(percent_decoded(name));
  if (lower == "x-amz-signedheaders") return false;
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

// Whether there is no user, but something in place of a port that is none: the begin of a password.
bool has_open_password(std::string_view authority) {
  const std::size_t colon = authority.rfind(':');
  return colon != std::string_view::npos && authority.find('@') == std::string_view::npos &&
         authority.find(']', colon) == std::string_view::npos && !is_number(authority.substr(colon + 1));
}

std::size_t last_at(std::string_view text) {
  const std::size_t at = text.rfind('@');
  return at == std::string_view::npos ? 0 : at;
}

// Where the user and password of a URL end, and the host begins. A password may wrongly have a slash, or
// what URLs in texts end before: `name` is all that may be of it.
std::size_t user_end(std::string_view rest, std::string_view name) {
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?"));
  if (!has_open_password(authority)) return last_at(authority);
  if (const std::size_t at = last_at(rest); at > 0) return at;
  if (const std::size_t at = last_at(name.substr(0, name.find_first_of("/?"))); at > 0) return at;
  return last_at(name);
}

// How far a name goes that begins where a text, a line or a quotation does; none does elsewhere.
std::string_view whole_name(std::string_view before, std::string_view text) {
  const char quote = before.empty() ? '\n' : before.back();
  if (quote != '\n' && quote != '"' && quote != '\'') return {};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == quote || text[i] == '\n') return text.substr(0, i);
    if (text[i] == '\\' && quote == '"') ++i;
  }
  return text;
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

// Those of a folder end with its name.
template <typename Plain, typename Secret>
void walk_parameters(std::string_view text, Plain plain, Secret secret) {
  for (bool is_query = false; !text.empty();) {
    is_query = is_query || text.front() == '?';
    plain(text.substr(0, 1));
    text.remove_prefix(1);
    std::string_view part = text.substr(0, text.find_first_of(kAroundParameters));
    if (!is_query) part = part.substr(0, std::max<std::size_t>(part.find('/'), 1));
    const std::size_t equals = part.find('=');
    if (equals != std::string_view::npos && is_secret_parameter(part.substr(0, equals))) {
      plain(part.substr(0, equals + 1));
      secret(part.substr(equals + 1), std::string());
    } else {
      plain(part);
    }
    text.remove_prefix(part.size());
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
    const std::string_view before = text.substr(0, scheme);
    plain(before);
    begin();
    const std::string_view name = text.substr(scheme, at - scheme);
    const std::size_t user_begin = std::min(text.find_first_not_of('/', at + slashes), text.size());
    plain(text.substr(scheme, user_begin - scheme));
    text.remove_prefix(user_begin);
    const std::string_view shortest = text.substr(0, text.find_first_of(kAfterUrl));
    if (const std::size_t user = user_end(shortest, whole_name(before, text)); user > 0) {
      const std::string_view host = text.substr(user + 1);
      walk_user(name, text.substr(0, user),
                host.substr(0, std::min(host.find_first_of("/?:\\"), host.size())), plain, secret);
      text.remove_prefix(user);
    }
    const std::string_view rest = text.substr(0, text.find_first_of(kAfterUrl));
    const std::size_t parameters = std::min(rest.find_first_of(kAroundParameters), rest.size());
    plain(rest.substr(0, parameters));
    walk_parameters(rest.substr(parameters), plain, secret);
    text.remove_prefix(rest.size());
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
        const auto [shown, hidden] = replace(key + host, value);
        result += shown;
        key += hidden;
      },
      [&] { key.clear(); });
  return result;
}

}  // namespace

std::string hide_secrets(std::string_view text) {
  return replaced(text, [](const std::string& key, std::string_view value) {
    const bool is_shown = value.empty() || is_hidden(value);
    const std::string hidden = is_shown ? std::string(value) : secret_store().add(key, std::string(value));
    return std::pair(hidden, hidden);
  });
}

std::string with_secrets(std::string_view text) {
  return replaced(text, [](const std::string& key, std::string_view value) {
    const std::string hidden(value);
    return std::pair(is_hidden(value) ? secret_store().find(key, value) : hidden, hidden);
  });
}

bool has_secrets(std::string_view text) { return with_secrets(text) != text; }

std::string with_equal_secrets(std::string_view text) {
  return replaced(text, [](const std::string&, std::string_view value) {
    const std::string hidden(is_hidden(value) ? kHidden : value);
    return std::pair(hidden, hidden);
  });
}

}  // namespace skimline::io
