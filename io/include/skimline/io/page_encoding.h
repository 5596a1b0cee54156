// SPDX-License-Identifier: BSD-3-Clause
// Between the elements of a column in memory and the bytes of a page before compression.
#pragma once

#include "skimline/framework/type.h"
#include "skimline/io/rntuple_descriptor.h"

#include <cstddef>
#include <span>

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
/// or real type that it converts to. Integers that do not fit and reals into integers throw FormatError.
/// Index columns decode to the ends of collections counted from the start of the cluster. Throws FormatError
/// if `page` is shorter than the elements need.
void decode_page(const PageEncoding& encoding, std::span<const std::byte> page, std::size_t num_elements,
                 ScalarType target, void* elements);

/// Whether the bytes of a page are already an array of `target`, so that decoding would only copy them.
bool is_plain(const PageEncoding& encoding, ScalarType target);

/// Encodes `num_elements` of element_type(encoding) into `page`, which has encoded_size bytes. Written: Bit
/// and the plain and split integers, reals and indexes.
void encode_page(const PageEncoding& encoding, const void* elements, std::size_t num_elements,
                 std::byte* page);

/// The encoding ROOT gives columns of a type by default: split where pages are compressed, plain otherwise.
PageEncoding default_encoding(ScalarType scalar, bool compressed);

/// The encoding of collection ends: SplitIndex64 or Index64.
PageEncoding default_index_encoding(bool compressed);

}  // namespace skimline::io
