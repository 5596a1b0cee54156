// SPDX-License-Identifier: BSD-3-Clause
#include "maths/float_arrays.h"

#include "maths/nearest_float.h"
#include "maths/precise_functions.h"
#include "maths/quick_functions.h"

#include "skimline/framework/instruction_set.h"

namespace skimline::float_arrays {
namespace {

// Results that the quick function does not know are left as NaN, and counted.
template <double (*kQuick)(double)>
struct QuickLoop {
  [[gnu::always_inline]] static inline void run(const float* const& values, const std::size_t& size,
                                                float* const& results, unsigned* const& num_unknown) {
    const float* const in = values;
    float* const __restrict out = results;
    const std::size_t count = size;
    unsigned unknown = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const float result = nearest_float(kQuick(static_cast<double>(in[i])));
      out[i] = result;
      unknown += result != result ? 1 : 0;
    }
    *num_unknown = unknown;
  }
};

template <DoubleDouble (*kPrecise)(double)>
void complete(const float* values, std::size_t count, float* results) {
  for (std::size_t i = 0; i < count; ++i)
    if (std::isnan(results[i])) results[i] = rounded_to_float(kPrecise(static_cast<double>(values[i])));
}

template <double (*kQuick)(double), DoubleDouble (*kPrecise)(double)>
void run_function(const float* values, std::size_t count, float* results) {
  unsigned num_unknown = 0;
  run_kernel<QuickLoop<kQuick>>(values, count, results, &num_unknown);
  if (num_unknown != 0) complete<kPrecise>(values, count, results);
}

struct SineCosineLoop {
  [[gnu::always_inline]] static inline void run(const float* const& angles, const std::size_t& size,
                                                float* const& sines, float* const& cosines,
                                                unsigned* const& num_unknown) {
    const float* const in = angles;
    float* const __restrict sine_out = sines;
    float* const __restrict cosine_out = cosines;
    const std::size_t count = size;
    unsigned unknown = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const quick::SineCosine both = quick::sine_cosine(static_cast<double>(in[i]));
      const float sine = nearest_float(both.sine), cosine = nearest_float(both.cosine);
      sine_out[i] = sine;
      cosine_out[i] = cosine;
      unknown += sine != sine ? 1 : 0;
      unknown += cosine != cosine ? 1 : 0;
    }
    *num_unknown = unknown;
  }
};

}  // namespace

void exp(const float* values, std::size_t count, float* results) {
  run_function<quick::exp, precise::exp>(values, count, results);
}
void exp2(const float* values, std::size_t count, float* results) {
  run_function<quick::exp2, precise::exp2>(values, count, results);
}
void expm1(const float* values, std::size_t count, float* results) {
  run_function<quick::expm1, precise::expm1>(values, count, results);
}
void log(const float* values, std::size_t count, float* results) {
  run_function<quick::log, precise::log>(values, count, results);
}
void log2(const float* values, std::size_t count, float* results) {
  run_function<quick::log2, precise::log2>(values, count, results);
}
void log10(const float* values, std::size_t count, float* results) {
  run_function<quick::log10, precise::log10>(values, count, results);
}
void log1p(const float* values, std::size_t count, float* results) {
  run_function<quick::log1p, precise::log1p>(values, count, results);
}
void sin(const float* values, std::size_t count, float* results) {
  run_function<quick::sin, precise::sin>(values, count, results);
}
void cos(const float* values, std::size_t count, float* results) {
  run_function<quick::cos, precise::cos>(values, count, results);
}
void tan(const float* values, std::size_t count, float* results) {
  run_function<quick::tan, precise::tan>(values, count, results);
}
void asin(const float* values, std::size_t count, float* results) {
  run_function<quick::asin, precise::asin>(values, count, results);
}
void acos(const float* values, std::size_t count, float* results) {
  run_function<quick::acos, precise::acos>(values, count, results);
}
void atan(const float* values, std::size_t count, float* results) {
  run_function<quick::atan, precise::atan>(values, count, results);
}
void sinh(const float* values, std::size_t count, float* results) {
  run_function<quick::sinh, precise::sinh>(values, count, results);
}
void cosh(const float* values, std::size_t count, float* results) {
  run_function<quick::cosh, precise::cosh>(values, count, results);
}
void tanh(const float* values, std::size_t count, float* results) {
  run_function<quick::tanh, precise::tanh>(values, count, results);
}
void asinh(const float* values, std::size_t count, float* results) {
  run_function<quick::asinh, precise::asinh>(values, count, results);
}
void acosh(const float* values, std::size_t count, float* results) {
  run_function<quick::acosh, precise::acosh>(values, count, results);
}
void atanh(const float* values, std::size_t count, float* results) {
  run_function<quick::atanh, precise::atanh>(values, count, results);
}

void sine_cosine(const float* angles, std::size_t count, float* sines, float* cosines) {
  unsigned num_unknown = 0;
  run_kernel<SineCosineLoop>(angles, count, sines, cosines, &num_unknown);
  if (num_unknown == 0) return;
  complete<precise::sin>(angles, count, sines);
  complete<precise::cos>(angles, count, cosines);
}

}  // namespace skimline::float_arrays
