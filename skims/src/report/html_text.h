// SPDX-License-Identifier: BSD-3-Clause
// Texts, labels and tables as HTML. Names and titles come from files of others: nothing of them is markup.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skimline::skims {

/// Returns a text of others as text of HTML, and of attributes in double quotes.
std::string html(std::string_view text);

/// The same of several lines, which stay lines in `pre` elements.
std::string html_lines(std::string_view text);

/// Returns a label that may be written for ROOT, "H_{T} [GeV]", "m_{#mu#mu}", as text of SVG with indices as
/// `tspan` and letters of Greek. What is not understood stays as it is.
std::string svg_label(std::string_view label);

/// Returns it as plain text, indices in line.
std::string plain_label(std::string_view label);

/// A table: the first cell of each row is its heading. Cells are HTML already.
class HtmlTable {
 public:
  /// The caption is a text, headings too.
  HtmlTable(std::string caption, const std::vector<std::string>& headings);

  /// As many cells as headings; the first is a text.
  void add(const std::string& heading, const std::vector<std::string>& cells);
  bool empty() const { return num_rows_ == 0; }
  /// Can be scrolled where it is wider than the page.
  std::string str() const;

 private:
  std::string caption_, head_, rows_;
  std::size_t num_rows_ = 0;
};

}  // namespace skimline::skims
