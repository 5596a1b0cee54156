// SPDX-License-Identifier: BSD-3-Clause
#include "report/html_text.h"

#include "skimline/skims/shown_text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace skimline::skims {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 36> kLetters{{
    {"alpha", "α"},   {"beta", "β"},   {"gamma", "γ"},      {"delta", "δ"}, {"varepsilon", "ε"},
    {"epsilon", "ε"}, {"zeta", "ζ"},   {"theta", "θ"},      {"eta", "η"},   {"iota", "ι"},
    {"kappa", "κ"},   {"lambda", "λ"}, {"mu", "μ"},         {"nu", "ν"},    {"xi", "ξ"},
    {"pi", "π"},      {"rho", "ρ"},    {"sigma", "σ"},      {"tau", "τ"},   {"upsilon", "υ"},
    {"varphi", "φ"},  {"phi", "φ"},    {"chi", "χ"},        {"psi", "ψ"},   {"omega", "ω"},
    {"Gamma", "Γ"},   {"Delta", "Δ"},  {"Lambda", "Λ"},     {"Sigma", "Σ"}, {"Phi", "Φ"},
    {"Psi", "Ψ"},     {"Omega", "Ω"},  {"rightarrow", "→"}, {"times", "×"}, {"pm", "±"},
    {"ell", "ℓ"},
}};

// A label, read from left to right.
class LabelReader {
 public:
  LabelReader(std::string_view label, bool has_markup) : rest_(label), has_markup_(has_markup) {}

  std::string read() {
    while (!rest_.empty()) step();
    while (!ends_.empty()) close();
    return std::move(text_);
  }

 private:
  void step() {
    if (rest_.starts_with("_{") || rest_.starts_with("^{"))
      open();
    else if (rest_.front() == '}' && !ends_.empty())
      rest_.remove_prefix(1), close();
    else if ((rest_.front() == '#' || rest_.front() == '\\') && letter())
      return;
    else
      character();
  }

  void open() {
    const bool is_raised = rest_.front() == '^';
    rest_.remove_prefix(2);
    ends_.push_back(is_raised);
    if (!has_markup_) return;
    text_ += is_raised ? R"(<tspan class="index" dy="-0.4em">)" : R"(<tspan class="index" dy="0.3em">)";
  }

  // The line goes on where it was.
  void close() {
    const bool is_raised = ends_.back();
    ends_.pop_back();
    if (has_markup_)
      text_ += is_raised ? "</tspan><tspan dy=\"0.32em\">\u200b</tspan>"
                         : "</tspan><tspan dy=\"-0.24em\">\u200b</tspan>";
  }

  bool letter() {
    const std::string_view name = rest_.substr(1);
    const auto found = std::find_if(kLetters.begin(), kLetters.end(),
                                    [&](const auto& each) { return name.starts_with(each.first); });
    if (found == kLetters.end()) return false;
    text_ += found->second;
    rest_.remove_prefix(1 + found->first.size());
    return true;
  }

  void character() {
    std::size_t size = 1;
    while (size < rest_.size() && (rest_[size] & 0xC0) == 0x80) ++size;
    text_ += html(rest_.substr(0, size));
    rest_.remove_prefix(size);
  }

  std::string_view rest_;
  bool has_markup_;
  std::string text_;
  std::vector<bool> ends_;  // of open indices: whether they are raised
};

}  // namespace

std::string html(std::string_view text) {
  std::string escaped;
  for (const char letter : shown(text)) {
    switch (letter) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += letter;
    }
  }
  return escaped;
}

std::string html_lines(std::string_view text) {
  std::string lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines += html(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return lines;
}

std::string svg_label(std::string_view label) { return LabelReader(label, true).read(); }

std::string plain_label(std::string_view label) { return LabelReader(label, false).read(); }

HtmlTable::HtmlTable(std::string caption, const std::vector<std::string>& headings)
    : caption_(std::move(caption)) {
  for (const std::string& heading : headings) head_ += "<th scope=\"col\">" + html(heading) + "</th>";
}

void HtmlTable::add(const std::string& heading, const std::vector<std::string>& cells) {
  rows_ += "<tr><th scope=\"row\">" + html(heading) + "</th>";
  for (const std::string& cell : cells) rows_ += "<td>" + cell + "</td>";
  rows_ += "</tr>\n";
  ++num_rows_;
}

std::string HtmlTable::str() const {
  return "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" + html(caption_) +
         "\">\n<table>\n<caption>" + html(caption_) + "</caption>\n<thead><tr>" + head_ +
         "</tr></thead>\n<tbody>\n" + rows_ + "</tbody>\n</table>\n</div>\n";
}

}  // namespace skimline::skims
