// SPDX-License-Identifier: BSD-3-Clause
// Between the elements of a column in memory and the bytes of a page before compression.
#pragma once

#include "skimline/framework/error.h"
#include "skimline/framework/type.h"
#include "skimline/io/rntuple_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace skimline::io {

/// How the elements of a page are encoded.
struct PageEncoding {
  ColumnType type = ColumnType::kReal32;
  std::uint16_t bits = 32;
  double value_min = 0, value_max = 0;  ///< Real32Quant only
};

/// Bytes of a page of `num_elements`, before compression.
std::size_t encoded_size(const PageEncoding& encoding, std::size_t num_elements);

/// The scalar type that holds the elements without loss: Bit gives bool, Index types give uint64, reduced
/// reals give float. Throws FormatError for Switch and unknown types.
ScalarType element_type(const PageEncoding& encoding);

/// Decodes `num_elements` into `elements`, an array of `target`: element_type(encoding), or another integer
/// or real type that it converts to; doubles from Real32Quant keep their precision. Integers that do not fit
/// and reals into integers throw FormatError. Index columns decode to the ends of collections counted from
/// the start of the cluster. Throws FormatError if `page` is shorter than the elements need.
void decode_page(const PageEncoding& encoding, std::span<const std::byte> page, std::size_t num_elements,
                 ScalarType target, void* elements);

/// Whether the bytes of a page are already an array of `target`, so that decoding would only copy them.
bool is_plain(const PageEncoding& encoding, ScalarType target);

/// A value that a column of its type cannot hold: out of the range of a Real32Quant column or NaN, or an
/// index beyond 32 bits.
class ValueRangeError : public Error {
 public:
  ValueRangeError(std::size_t element, const std::string& problem) : Error(problem), element_(element) {}
  /// The first such element, counted from the start of the page.
  std::size_t element() const { return element_; }

 private:
  std::size_t element_;
};

/// Encodes `num_elements` of `source` into `page`, which has encoded_size bytes. `source` is
/// element_type(encoding), or double where that is float: doubles become floats first, but are quantized as
/// they are. Real16 rounds to nearest even and overflows to infinity; Real32Trunc drops bits. Throws
/// ValueRangeError for a value that Real32Quant, Index32 or SplitIndex32 cannot hold; FormatError for
/// SplitReal16, which is only read, and for encodings that are impossible; InternalError for another source.
void encode_page(const PageEncoding& encoding, ScalarType source, const void* elements,
                 std::size_t num_elements, std::byte* page);

/// The raw element of a Switch column: which alternative of a variant an entry has, and where.
struct SwitchElement {
  std::uint64_t index = 0;    ///< in the columns of the alternative, from the start of the cluster
  std::uint32_t tag = 0;      ///< from 1; 0 is no value
  std::uint32_t padding = 0;  ///< zero
};

/// Bytes of a raw element: a form in memory of the elements of any column that loses nothing and does not
/// interpret them. Bit: 1, holding 0 or 1. Real16 and SplitReal16: the 2 of the bit pattern. Real32Trunc and
/// Real32Quant: 4, whose lowest bits are the stored ones. Index types: the 8 of a collection's end. Switch:
/// a SwitchElement. Others: those of element_type(encoding). Throws FormatError for unknown types.
std::size_t raw_element_size(const PageEncoding& encoding);

/// The same as is_plain() for raw elements.
bool is_plain_raw(const PageEncoding& encoding);

/// Decodes `num_elements` into raw elements. Throws FormatError if `page` is shorter than they need, or the
/// encoding is impossible. Values are not judged, nor are unused bits of the last byte.
void decode_raw_page(const PageEncoding& encoding, std::span<const std::byte> page, std::size_t num_elements,
                     void* elements);

/// Encodes raw elements into `page`, which has encoded_size bytes: those they were decoded from, with unused
/// bits zero. Throws FormatError for impossible encodings, ValueRangeError for an index beyond 32 bits in
/// Index32 and SplitIndex32 columns.
void encode_raw_page(const PageEncoding& encoding, const void* elements, std::size_t num_elements,
                     std::byte* page);

/// The encoding ROOT gives columns of a type by default: split where pages are compressed, plain otherwise.
PageEncoding default_encoding(ScalarType scalar, bool compressed);

/// The encoding of collection ends: SplitIndex64 or Index64.
PageEncoding default_index_encoding(bool compressed);

}  // namespace skimline::io
