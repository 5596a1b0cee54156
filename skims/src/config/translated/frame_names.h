// SPDX-License-Identifier: BSD-3-Clause
// What the configs that are made of FastFrames' define and weigh with, called as columns of FastFrames where
// it has them.
#pragma once

namespace skimline::skims::frame_names {

inline constexpr const char* kDataSet = "data_set";  ///< its number among those of the sample
inline constexpr const char* kLuminosity = "lumi";
inline constexpr const char* kCrossSection = "xSection";
inline constexpr const char* kSum = "sumWeights";
inline constexpr const char* kSuffix = "selection_suffix";
// Factors of the weight.
inline constexpr const char* kEventWeight = "event_weight";
inline constexpr const char* kNormalisation = "normalisation";
inline constexpr const char* kFactor = "systematic_weight";

/// The weight of FastFrames, and in front of the name of a sum of weights, that sum.
inline constexpr const char* kWeight = "weight_total_NOSYS";
inline constexpr const char* kSumOf = "sumWeights_";

/// What FastFrames calls things that are not varied.
inline constexpr const char* kNominal = "NOSYS";
/// Behind the name of objects, their vectors.
inline constexpr const char* kVectors = "_TLV_NOSYS";

}  // namespace skimline::skims::frame_names
