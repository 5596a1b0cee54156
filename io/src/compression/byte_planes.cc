// SPDX-License-Identifier: BSD-3-Clause
#include "compression/byte_planes.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace skimline::io {
namespace {

#ifdef __SSE2__

constexpr std::size_t kLanes = 16;

__m128i load(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }
void store(void* to, __m128i value) { _mm_storeu_si128(static_cast<__m128i*>(to), value); }

void join_lanes(const std::byte* planes, std::size_t stride, std::uint16_t* to) {
  const __m128i low = load(planes), high = load(planes + stride);
  store(to, _mm_unpacklo_epi8(low, high));
  store(to + 8, _mm_unpackhi_epi8(low, high));
}

// Sixteen elements of four bytes, in order, from four planes.
struct Quads {
  __m128i part[4];
};

Quads join_quads(const std::byte* planes, std::size_t stride) {
  const __m128i p0 = load(planes), p1 = load(planes + stride);
  const __m128i p2 = load(planes + 2 * stride), p3 = load(planes + 3 * stride);
  const __m128i low01 = _mm_unpacklo_epi8(p0, p1), high01 = _mm_unpackhi_epi8(p0, p1);
  const __m128i low23 = _mm_unpacklo_epi8(p2, p3), high23 = _mm_unpackhi_epi8(p2, p3);
  return {{_mm_unpacklo_epi16(low01, low23), _mm_unpackhi_epi16(low01, low23),
           _mm_unpacklo_epi16(high01, high23), _mm_unpackhi_epi16(high01, high23)}};
}

void join_lanes(const std::byte* planes, std::size_t stride, std::uint32_t* to) {
  const Quads quads = join_quads(planes, stride);
  for (int i = 0; i < 4; ++i) store(to + 4 * i, quads.part[i]);
}

void join_lanes(const std::byte* planes, std::size_t stride, std::uint64_t* to) {
  const Quads low = join_quads(planes, stride);
  const Quads high = join_quads(planes + 4 * stride, stride);
  for (int i = 0; i < 4; ++i) {
    store(to + 4 * i, _mm_unpacklo_epi32(low.part[i], high.part[i]));
    store(to + 4 * i + 2, _mm_unpackhi_epi32(low.part[i], high.part[i]));
  }
}

// The even and the odd bytes of 32 bytes, in order.
struct Halves {
  __m128i even, odd;
};

Halves halve(__m128i first, __m128i second) {
  const __m128i mask = _mm_set1_epi16(0xFF);
  return {_mm_packus_epi16(_mm_and_si128(first, mask), _mm_and_si128(second, mask)),
          _mm_packus_epi16(_mm_srli_epi16(first, 8), _mm_srli_epi16(second, 8))};
}

void split_lanes(const std::uint16_t* from, std::size_t stride, std::byte* planes) {
  const Halves halves = halve(load(from), load(from + 8));
  store(planes, halves.even);
  store(planes + stride, halves.odd);
}

void split_lanes(const std::uint32_t* from, std::size_t stride, std::byte* planes) {
  const Halves first = halve(load(from), load(from + 4));
  const Halves second = halve(load(from + 8), load(from + 12));
  const Halves bytes02 = halve(first.even, second.even), bytes13 = halve(first.odd, second.odd);
  store(planes, bytes02.even);
  store(planes + stride, bytes13.even);
  store(planes + 2 * stride, bytes02.odd);
  store(planes + 3 * stride, bytes13.odd);
}

void split_lanes(const std::uint64_t* from, std::size_t stride, std::byte* planes) {
  Halves bits0[4];
  for (int i = 0; i < 4; ++i) bits0[i] = halve(load(from + 4 * i), load(from + 4 * i + 2));
  for (std::size_t odd = 0; odd < 2; ++odd) {
    const auto part = [&](int i) { return odd != 0 ? bits0[i].odd : bits0[i].even; };
    const Halves first = halve(part(0), part(1)), second = halve(part(2), part(3));
    const Halves low = halve(first.even, second.even), high = halve(first.odd, second.odd);
    store(planes + odd * stride, low.even);
    store(planes + (odd + 2) * stride, high.even);
    store(planes + (odd + 4) * stride, low.odd);
    store(planes + (odd + 6) * stride, high.odd);
  }
}

#endif

}  // namespace

template <typename U>
void join_planes(const std::byte* planes, std::size_t stride, std::size_t num_elements, U* elements) {
  std::size_t done = 0;
#ifdef __SSE2__
  for (; done + kLanes <= num_elements; done += kLanes) join_lanes(planes + done, stride, elements + done);
#endif
  join_planes_plainly(planes, stride, done, num_elements, elements);
}

template <typename U>
void split_planes(const U* elements, std::size_t num_elements, std::size_t stride, std::byte* planes) {
  std::size_t done = 0;
#ifdef __SSE2__
  for (; done + kLanes <= num_elements; done += kLanes) split_lanes(elements + done, stride, planes + done);
#endif
  split_planes_plainly(elements, done, num_elements, stride, planes);
}

template void join_planes(const std::byte*, std::size_t, std::size_t, std::uint16_t*);
template void join_planes(const std::byte*, std::size_t, std::size_t, std::uint32_t*);
template void join_planes(const std::byte*, std::size_t, std::size_t, std::uint64_t*);
template void split_planes(const std::uint16_t*, std::size_t, std::size_t, std::byte*);
template void split_planes(const std::uint32_t*, std::size_t, std::size_t, std::byte*);
template void split_planes(const std::uint64_t*, std::size_t, std::size_t, std::byte*);

}  // namespace skimline::io
