// SPDX-License-Identifier: BSD-3-Clause
// Tables of measured values with their errors: rows by columns, as text, Markdown, LaTeX and CSV.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// A number with what is known of its errors.
struct Measured {
  double value = 0;
  std::optional<double> error;  ///< statistical
  /// How far systematic variations reach, both not negative. Both are given, or none.
  std::optional<double> up, down;
  std::optional<double> share;  ///< of a whole, 1 for all of it
};

/// Cells row by row; nothing where there is no value.
struct MeasuredColumn {
  std::string name;
  std::vector<std::optional<Measured>> cells;
  bool are_counts = false;  ///< without decimals
};

struct MeasuredTable {
  std::string title;
  std::string row_heading;  ///< "step"
  std::vector<std::string> rows;
  std::vector<MeasuredColumn> columns;
};

/// What a table can be written as.
enum class TableFormat { kText, kMarkdown, kLatex, kCsv };

/// Returns the number in fixed notation with blanks between groups of three digits, as people read it; those
/// too large for that with six digits and an exponent.
std::string format_grouped(double value, int decimals);

/// Returns the decimals that the numbers of a column have: none for counts, two, or more if all are small.
int decimals_of(const MeasuredColumn& column);

/// Returns how many decimals a cell has where others have `usual`: more if a part of it would be shown as 0.
int decimals_of(const Measured& cell, int usual);

/// Returns the table as lines of at most `width` characters: columns that do not fit follow in further blocks
/// with the same rows, long names of columns take several lines. Decimal points stand below each other.
std::string to_text(const MeasuredTable& table, std::size_t width);

/// Returns the table as a pipe table of Markdown.
std::string to_markdown(const MeasuredTable& table);

/// Returns the table as a "tabular" environment of LaTeX; errors are in maths, the rest is escaped.
std::string to_latex(const MeasuredTable& table);

/// Returns all tables as one list of comma-separated values: a line for each cell, with as many digits as
/// tell each number from all others.
std::string to_csv(const std::vector<MeasuredTable>& tables);

/// Returns all tables in a format.
std::string format_tables(const std::vector<MeasuredTable>& tables, TableFormat format, std::size_t width);

/// Returns the text as one field of comma-separated values.
std::string csv_field(const std::string& text);

}  // namespace skimline::skims
