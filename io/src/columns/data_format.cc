// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/data_format.h"

namespace skimline::io {

const char* name_of(DataFormat format) {
  switch (format) {
    case DataFormat::kRNTuple:
      return "RNTuple";
    case DataFormat::kTTree:
      return "TTree";
    case DataFormat::kParquet:
      return "Parquet";
    case DataFormat::kArrow:
      return "Arrow";
  }
  return "";
}

}  // namespace skimline::io
