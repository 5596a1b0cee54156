// SPDX-License-Identifier: BSD-3-Clause
// Numbers of the AGC's events that follow from nothing else in the event, so that tables can describe them.
#pragma once

#include "event_random.h"

#include "skimline/framework/maths.h"

#include <array>
#include <cstdint>
#include <vector>

namespace skimline::generate {

enum class Shape {
  kUniform,      ///< from `a` to `b`
  kNormal,       ///< mean `a`, standard deviation `b`
  kExponential,  ///< falls from 0 with the mean `b`; 0 with the probability `a`
};

/// A float with independent values.
struct Attribute {
  const char* name;  ///< behind that of its collection
  Shape shape;
  double a, b;
  int mantissa_bits;
  const char* meaning;
};

/// A flag that is true with a probability of its own.
struct FlagAttribute {
  const char* name;
  double probability;
  const char* meaning;
};

inline constexpr std::array kAgcElectronAttributes = {
    Attribute{"deltaEtaSC", Shape::kNormal, 0, 0.03, 10,
              "eta of the supercluster minus that of the electron"},
    Attribute{"hoe", Shape::kExponential, 0.6, 0.08, 8,
              "energy in the hadron calorimeter over that of the electron"},
    Attribute{"r9", Shape::kNormal, 0.88, 0.08, 10, "share of the supercluster's energy in 3x3 crystals"},
    Attribute{"sieie", Shape::kUniform, 0.0075, 0.032, 10, "width of the supercluster in eta"},
};

inline constexpr std::array kAgcMuonAttributes = {
    Attribute{"tkRelIso", Shape::kExponential, 0.6, 0.05, 6,
              "relative isolation from tracks in a cone of 0.3"},
};

inline constexpr std::array kAgcJetAttributes = {
    Attribute{"area", Shape::kNormal, 0.509, 0.035, 10, "catchment area"},
    Attribute{"bRegCorr", Shape::kNormal, 1.14, 0.13, 10, "correction of the momentum of b jets"},
    Attribute{"btagDeepFlavB", Shape::kUniform, 0, 1, 10, "another b-tag score"},
    Attribute{"chHEF", Shape::kUniform, 0.1, 0.95, 6, "share of charged hadrons in the energy"},
    Attribute{"muEF", Shape::kExponential, 0.95, 0.1, 6, "share of muons in the energy"},
    Attribute{"neEmEF", Shape::kUniform, 0, 0.5, 6, "share of neutral electromagnetic energy"},
    Attribute{"neHEF", Shape::kExponential, 0.3, 0.1, 6, "share of neutral hadrons in the energy"},
    Attribute{"qgl", Shape::kUniform, 0, 1, 10, "likelihood to come from a quark and not from a gluon"},
    Attribute{"rawFactor", Shape::kNormal, 0.09, 0.08, 6,
              "1 minus the factor to the momentum before corrections"},
};

inline constexpr std::array kAgcEventAttributes = {
    Attribute{"MET_covXX", Shape::kNormal, 300, 60, 8, "covariance [GeV^2]"},
    Attribute{"MET_covXY", Shape::kNormal, 0, 30, 8, "covariance [GeV^2]"},
    Attribute{"MET_covYY", Shape::kNormal, 300, 60, 8, "covariance [GeV^2]"},
    Attribute{"PV_chi2", Shape::kNormal, 0.76, 0.12, 8, "reduced chi2 of the first vertex"},
    Attribute{"PV_x", Shape::kNormal, 0.105, 0.0025, 10, "position of the first vertex [cm]"},
    Attribute{"PV_y", Shape::kNormal, 0.169, 0.0025, 10, "position of the first vertex [cm]"},
    Attribute{"PV_z", Shape::kNormal, 0, 4.5, 16, "position of the first vertex [cm]"},
    Attribute{"Generator_scalePDF", Shape::kExponential, 0, 120, 14, "scale of the parton densities [GeV]"},
    Attribute{"Generator_x1", Shape::kExponential, 0, 0.1, 14, "momentum fraction of the first parton"},
    Attribute{"Generator_x2", Shape::kExponential, 0, 0.1, 14, "momentum fraction of the second parton"},
};

inline constexpr std::array kAgcTriggers = {
    FlagAttribute{"HLT_Ele22_eta2p1_WPLoose_Gsf", 0.9, "trigger on a central electron above 22 GeV"},
    FlagAttribute{"HLT_Ele23_WPLoose_Gsf", 0.9, "trigger on an electron above 23 GeV"},
    FlagAttribute{"HLT_IsoMu20", 0.92, "trigger on an isolated muon above 20 GeV"},
    FlagAttribute{"HLT_Mu50", 0.92, "trigger on a muon above 50 GeV"},
};

template <std::size_t kSize>
using AttributeColumns = std::array<std::vector<float>, kSize>;

inline double draw(const Attribute& attribute, EventRandom& random) {
  switch (attribute.shape) {
    case Shape::kUniform:
      return random.uniform(attribute.a, attribute.b);
    case Shape::kNormal:
      return attribute.a + attribute.b * random.normal();
    case Shape::kExponential:
      break;
  }
  const double u = random.uniform();
  return u < attribute.a ? 0 : -attribute.b * maths::log((u - attribute.a) / (1 - attribute.a));
}

}  // namespace skimline::generate
