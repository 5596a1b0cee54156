// SPDX-License-Identifier: BSD-3-Clause
#include "plan/result_content.h"

#include "skimline/framework/number_text.h"

#include <string>
#include <string_view>

namespace skimline::skims {
namespace {

using histograms::Axis;

void add(std::string& text, double value) { text += all_bits(value) + ' '; }

void add(std::string& text, std::int64_t value) { text += std::to_string(value) + ' '; }

// With its length in front, so that none is taken for two.
void add(std::string& text, std::string_view value) {
  text += std::to_string(value.size()) + ':';
  text += value;
}

void add(std::string& text, const Axis& axis) {
  add(text, static_cast<std::int64_t>(axis.kind()));
  add(text, static_cast<std::int64_t>(axis.num_bins()));
  add(text, axis.low());
  add(text, axis.high());
  const histograms::AxisFlow& flow = axis.flow();
  for (const bool has : {flow.underflow, flow.overflow, flow.circular, axis.is_growing()})
    add(text, std::int64_t{has});
  for (const double edge : axis.edges()) add(text, edge);
  for (const std::string& name : axis.names()) add(text, std::string_view(name));
  for (const std::int64_t number : axis.numbers()) add(text, number);
}

// Names and titles are put on when a result is written.
std::string text_of(const histograms::HistogramSpec& spec) {
  std::string text;
  add(text, static_cast<std::int64_t>(spec.storage));
  add(text, static_cast<std::int64_t>(spec.nan_positions));
  add(text, static_cast<std::int64_t>(spec.bad_weights));
  for (const Axis& axis : spec.axes) add(text, axis);
  return text;
}

ValueContent named(const std::string& kind) {
  ValueContent content;
  content.text = kind;
  return content;
}

}  // namespace

ValueContent histogram_content(PlanBuilder& builder, SelectionId selection,
                               const std::vector<VariedExpression>& expressions,
                               const histograms::HistogramSpec& spec) {
  ValueContent content = named("histogram ");
  append(content, builder.content_of(selection));
  for (const VariedExpression& each : expressions) append(content, builder.content_of(each));
  content.text += text_of(spec);
  return content;
}

ValueContent count_content(const PlanBuilder& builder, SelectionId selection) {
  ValueContent content = named("count ");
  append(content, builder.content_of(selection));
  return content;
}

ValueContent weight_content(PlanBuilder& builder, SelectionId selection, const std::string& weight) {
  ValueContent content = named("weight ");
  append(content, builder.content_of(selection));
  append(content, builder.content_of(VariedExpression{weight}));
  return content;
}

ValueContent skim_content(PlanBuilder& builder, SelectionId selection,
                          const std::vector<std::string>& names) {
  ValueContent content = named("skim ");
  append(content, builder.content_of(selection));
  for (const std::string& each : names) append(content, builder.content_of(VariedExpression{each}));
  return content;
}

}  // namespace skimline::skims
