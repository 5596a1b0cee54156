// SPDX-License-Identifier: BSD-3-Clause
#include "base/measured_table.h"

#include "base/text_table.h"

#include "skimline/framework/maths.h"
#include "skimline/framework/number_text.h"
#include "skimline/skims/shown_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace skimline::skims {
namespace {

constexpr int kUsualDecimals = 2, kMostDecimals = 12;
constexpr double kLargestFixed = 1e15;
constexpr std::size_t kNameWidth = 20;  // of columns, before a name takes a second line
constexpr const char* kIndent = "  ";

std::string exact_text(const std::optional<double>& value) { return value ? exact_number(*value) : ""; }

double largest_of(const MeasuredColumn& column) {
  double largest = 0;
  for (const std::optional<Measured>& cell : column.cells) {
    if (!cell) continue;
    for (const double value : {cell->value, cell->error.value_or(0)})
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

std::string percent_text(const std::optional<double>& share) {
  if (!share) return {};
  return std::isfinite(*share) ? fixed_digits(100 * *share, 2) + " %" : "-";
}

// One line for each row of a column, its parts below each other: value, errors, share.
class TextColumn {
 public:
  explicit TextColumn(const MeasuredColumn& column) : decimals_(decimals_of(column)) {
    for (const std::optional<Measured>& cell : column.cells) parts_.push_back(parts_of(cell));
    for (const Parts& row : parts_)
      for (std::size_t i = 0; i < widths_.size(); ++i) widths_[i] = std::max(widths_[i], width_of(row[i]));
    for (const Parts& row : parts_) lines_.push_back(line_of(row));
    std::size_t width = 0;
    for (const std::string& line : lines_) width = std::max(width, width_of(line));
    wrap(shown(column.name), std::max(width, kNameWidth));
    for (const std::string& line : heading_) width = std::max(width, width_of(line));
    width_ = width;
  }

  std::size_t width() const { return width_; }
  std::size_t heading_height() const { return heading_.size(); }
  /// The lowest line is 0.
  std::string heading(std::size_t line) const {
    return padded(line < heading_.size() ? heading_[heading_.size() - 1 - line] : "", width_, true);
  }
  std::string row(std::size_t number) const { return padded(lines_[number], width_, true); }

 private:
  static constexpr std::size_t kNumParts = 5, kError = 1;
  using Parts = std::array<std::string, kNumParts>;

  Parts parts_of(const std::optional<Measured>& cell) const {
    if (!cell) return {"-"};
    const int decimals = decimals_of(*cell, decimals_);
    const auto number = [&](const char* sign, const std::optional<double>& value) {
      return value ? sign + format_grouped(*value, decimals) : std::string();
    };
    return {format_grouped(cell->value, decimals), number("", cell->error), number("+", cell->up),
            number("-", cell->down), percent_text(cell->share)};
  }

  std::string line_of(const Parts& row) const {
    std::string line;
    for (std::size_t i = 0; i < kNumParts; ++i) {
      if (widths_[i] == 0) continue;
      if (i == kError) line += row[i].empty() ? "   " : " +-";
      line += (line.empty() ? "" : " ") + padded(row[i], widths_[i], true);
    }
    return line;
  }

  // Between characters, not between their bytes.
  void wrap(const std::string& name, std::size_t width) {
    heading_.emplace_back();
    for (std::size_t at = 0; at < name.size();) {
      std::size_t end = at + 1;
      while (end < name.size() && (name[end] & 0xC0) == 0x80) ++end;
      if (width_of(heading_.back()) == width) heading_.emplace_back();
      heading_.back().append(name, at, end - at);
      at = end;
    }
  }

  int decimals_;
  std::vector<Parts> parts_;
  std::array<std::size_t, kNumParts> widths_{};
  std::vector<std::string> lines_, heading_;
  std::size_t width_ = 0;
};

std::string without_blanks_behind(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

class TextBlock {
 public:
  TextBlock(const MeasuredTable& table) {
    names_.push_back(shown(table.row_heading));
    for (const std::string& row : table.rows) names_.push_back(shown(row));
    for (const std::string& name : names_) name_width_ = std::max(name_width_, width_of(name));
    width_ = 2 + name_width_;
  }

  bool has_room_for(const TextColumn& column, std::size_t width) const {
    return columns_.empty() || width_ + 2 + column.width() <= width;
  }
  void add(const TextColumn& column) {
    columns_.push_back(&column);
    width_ += 2 + column.width();
  }

  std::string format() const {
    std::size_t height = 1;
    for (const TextColumn* column : columns_) height = std::max(height, column->heading_height());
    std::string text;
    for (std::size_t line = height; line-- > 0;)
      text +=
          line_of(line == 0 ? names_[0] : "", [&](const TextColumn& column) { return column.heading(line); });
    for (std::size_t row = 0; row + 1 < names_.size(); ++row)
      text += line_of(names_[row + 1], [&](const TextColumn& column) { return column.row(row); });
    return text;
  }

 private:
  std::string line_of(const std::string& name,
                      const std::function<std::string(const TextColumn&)>& part) const {
    std::string line = kIndent + padded(name, name_width_, false);
    for (const TextColumn* column : columns_) line += kIndent + part(*column);
    return without_blanks_behind(std::move(line));
  }

  std::vector<std::string> names_;
  std::size_t name_width_ = 0, width_ = 0;
  std::vector<const TextColumn*> columns_;
};

std::string escaped_markdown(const std::string& text) {
  std::string escaped;
  for (const char letter : shown(text)) {
    if (std::string_view("\\`*_{}[]<>()#+-.!|~$&").find(letter) != std::string_view::npos) escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

std::string escaped_latex(const std::string& text) {
  std::string escaped;
  for (const char letter : shown(text)) {
    switch (letter) {
      case '\\':
        escaped += "\\textbackslash{}";
        break;
      case '~':
        escaped += "\\textasciitilde{}";
        break;
      case '^':
        escaped += "\\textasciicircum{}";
        break;
      case '<':
        escaped += "\\textless{}";
        break;
      case '>':
        escaped += "\\textgreater{}";
        break;
      case '|':
        escaped += "\\textbar{}";
        break;
      case '[':  // which would be an option of the end of the line before
        escaped += "{[}";
        break;
      default:
        if (std::string_view("&%$#_{}").find(letter) != std::string_view::npos) escaped += '\\';
        escaped += letter;
    }
  }
  return escaped;
}

std::string markdown_cell(const std::optional<Measured>& cell, int usual_decimals) {
  if (!cell) return "\\-";
  const int decimals = decimals_of(*cell, usual_decimals);
  std::string text = format_grouped(cell->value, decimals);
  if (cell->error) text += " ± " + format_grouped(*cell->error, decimals);
  if (cell->up)
    text += " +" + format_grouped(*cell->up, decimals) + " −" + format_grouped(*cell->down, decimals);
  if (cell->share) text += " (" + percent_text(cell->share) + ")";
  return text;
}

// Blanks between digits stay where they are, and narrow.
std::string latex_number(double value, int decimals) {
  std::string text;
  for (const char letter : format_grouped(value, decimals))
    text += letter == ' ' ? std::string("\\,") : std::string(1, letter);
  return text;
}

std::string latex_cell(const std::optional<Measured>& cell, int usual_decimals) {
  if (!cell) return "--";
  const int decimals = decimals_of(*cell, usual_decimals);
  std::string text = "$" + latex_number(cell->value, decimals);
  if (cell->error) text += " \\pm " + latex_number(*cell->error, decimals);
  if (cell->up)
    text += "\\,^{+" + latex_number(*cell->up, decimals) + "}_{-" + latex_number(*cell->down, decimals) + "}";
  text += "$";
  if (cell->share)
    text +=
        " (" +
        (std::isfinite(*cell->share) ? fixed_digits(100 * *cell->share, 2) + "\\,\\%" : std::string("--")) +
        ")";
  return text;
}

std::string joined(const std::vector<std::string>& cells, const char* separator) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) text += (i == 0 ? "" : separator) + cells[i];
  return text;
}

using CellText = std::function<std::string(const std::optional<Measured>&, int)>;

std::vector<std::string> row_of(const MeasuredTable& table, std::size_t row, const std::string& name,
                                const CellText& text) {
  std::vector<std::string> cells{name};
  for (const MeasuredColumn& column : table.columns)
    cells.push_back(text(column.cells[row], decimals_of(column)));
  return cells;
}

std::string csv_line(const MeasuredTable& table, const MeasuredColumn& column, std::size_t row) {
  const Measured& cell = *column.cells[row];
  return csv_field(table.title) + "," + csv_field(table.rows[row]) + "," + csv_field(column.name) + "," +
         exact_number(cell.value) + "," + exact_text(cell.error) + "," + exact_text(cell.up) + "," +
         exact_text(cell.down) + "," + exact_text(cell.share) + "\n";
}

}  // namespace

std::string format_grouped(double value, int decimals) {
  if (!std::isfinite(value) || std::abs(value) >= kLargestFixed) return format_number(value);
  std::string text = fixed_digits(value, decimals);
  // What rounds to nothing has no sign.
  if (text.find_first_not_of("-0.") == std::string::npos && text.front() == '-') text.erase(0, 1);
  const std::size_t first = text.front() == '-' ? 1 : 0;
  std::size_t at = std::min(text.find('.'), text.size());
  for (; at > first + 3; at -= 3) text.insert(at - 3, " ");
  return text;
}

// What is no more than the rounding of sums may be nothing.
int decimals_of(const Measured& cell, int usual) {
  constexpr double kOfRounding = 1e-6;
  const double largest = std::max(std::abs(cell.value), cell.error.value_or(0));
  int decimals = usual;
  for (const double each :
       {std::abs(cell.value), cell.error.value_or(0), cell.up.value_or(0), cell.down.value_or(0)})
    if (std::isfinite(each) && each > kOfRounding * largest && each < 0.5 * maths::pow(10.0, -usual))
      decimals =
          std::max(decimals, std::min(kMostDecimals, 1 - static_cast<int>(std::floor(maths::log10(each)))));
  return decimals;
}

int decimals_of(const MeasuredColumn& column) {
  if (column.are_counts) return 0;
  const double largest = largest_of(column);
  if (largest == 0 || largest >= 0.1) return kUsualDecimals;
  return std::min(kMostDecimals, kUsualDecimals - static_cast<int>(std::floor(maths::log10(largest))));
}

std::string to_text(const MeasuredTable& table, std::size_t width) {
  const std::vector<TextColumn> columns(table.columns.begin(), table.columns.end());
  std::vector<TextBlock> blocks{TextBlock(table)};
  for (const TextColumn& column : columns) {
    if (!blocks.back().has_room_for(column, width)) blocks.emplace_back(table);
    blocks.back().add(column);
  }
  std::string text = shown(table.title) + "\n";
  for (std::size_t i = 0; i < blocks.size(); ++i) text += (i == 0 ? "" : "\n") + blocks[i].format();
  return text;
}

std::string to_markdown(const MeasuredTable& table) {
  std::vector<std::string> head{escaped_markdown(table.row_heading)}, rule{"---"};
  for (const MeasuredColumn& column : table.columns) {
    head.push_back(escaped_markdown(column.name));
    rule.emplace_back("---:");
  }
  const auto line = [](const std::vector<std::string>& cells) {
    return "| " + joined(cells, " | ") + " |\n";
  };
  std::string text = "**" + escaped_markdown(table.title) + "**\n\n" + line(head) + line(rule);
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    text += line(row_of(table, row, escaped_markdown(table.rows[row]), markdown_cell));
  return text;
}

std::string to_latex(const MeasuredTable& table) {
  std::vector<std::string> head{escaped_latex(table.row_heading)};
  for (const MeasuredColumn& column : table.columns) head.push_back(escaped_latex(column.name));
  const auto line = [](const std::vector<std::string>& cells) {
    return "    " + joined(cells, " & ") + " \\\\\n";
  };
  std::string title = shown(table.title);
  std::string text = "% " + title + "\n\\begin{tabular}{l" + std::string(table.columns.size(), 'r') +
                     "}\n    \\hline\n" + line(head) + "    \\hline\n";
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    text += line(row_of(table, row, escaped_latex(table.rows[row]), latex_cell));
  return text + "    \\hline\n\\end{tabular}\n";
}

std::string to_csv(const std::vector<MeasuredTable>& tables) {
  std::string text = "table,row,sample,value,statistical_error,systematic_up,systematic_down,share\n";
  for (const MeasuredTable& table : tables)
    for (std::size_t row = 0; row < table.rows.size(); ++row)
      for (const MeasuredColumn& column : table.columns)
        if (column.cells[row]) text += csv_line(table, column, row);
  return text;
}

std::string format_tables(const std::vector<MeasuredTable>& tables, TableFormat format, std::size_t width) {
  if (format == TableFormat::kCsv) return to_csv(tables);
  std::string text;
  for (const MeasuredTable& table : tables) {
    if (!text.empty()) text += "\n";
    text += format == TableFormat::kMarkdown ? to_markdown(table)
            : format == TableFormat::kLatex  ? to_latex(table)
                                             : to_text(table, width);
  }
  return text;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string inside;
  for (const char letter : text) inside += letter == '"' ? "\"\"" : std::string(1, letter);
  return "\"" + inside + "\"";
}

}  // namespace skimline::skims
