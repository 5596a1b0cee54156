# SPDX-License-Identifier: BSD-3-Clause
# correctionlib, which evaluates the corrections of configs. No system packages it, so it is compiled in from its sources,
# which scripts/setup fetches; without them the program is built without corrections and says so to those who want some.
set(SKIMLINE_CORRECTIONLIB_VERSION 2.9.0)
set(SKIMLINE_CORRECTIONS AUTO CACHE STRING "Evaluate corrections: ON, OFF, or AUTO, which means where the sources of correctionlib are")
set_property(CACHE SKIMLINE_CORRECTIONS PROPERTY STRINGS AUTO ON OFF)
set(SKIMLINE_CORRECTIONLIB_SOURCE "${PROJECT_SOURCE_DIR}/.venv/src/correctionlib-${SKIMLINE_CORRECTIONLIB_VERSION}"
    CACHE PATH "Folder with the source distribution of correctionlib ${SKIMLINE_CORRECTIONLIB_VERSION}")

set(SKIMLINE_HAS_CORRECTIONS ${SKIMLINE_CORRECTIONS})
if(SKIMLINE_CORRECTIONS STREQUAL "AUTO")
  set(SKIMLINE_HAS_CORRECTIONS OFF)
  if(EXISTS "${SKIMLINE_CORRECTIONLIB_SOURCE}/PKG-INFO")
    set(SKIMLINE_HAS_CORRECTIONS ON)
  else()
    message(NOTICE "Building without corrections: correctionlib ${SKIMLINE_CORRECTIONLIB_VERSION} is not in "
                   "${SKIMLINE_CORRECTIONLIB_SOURCE}. Run scripts/setup --demo, or set SKIMLINE_CORRECTIONLIB_SOURCE.")
  endif()
endif()
if(NOT SKIMLINE_HAS_CORRECTIONS)
  return()
endif()

set(metadata "")
if(EXISTS "${SKIMLINE_CORRECTIONLIB_SOURCE}/PKG-INFO")
  file(STRINGS "${SKIMLINE_CORRECTIONLIB_SOURCE}/PKG-INFO" metadata REGEX "^Version: ")
endif()
if(NOT metadata STREQUAL "Version: ${SKIMLINE_CORRECTIONLIB_VERSION}")
  message(FATAL_ERROR "SKIMLINE_CORRECTIONS needs the source distribution of correctionlib ${SKIMLINE_CORRECTIONLIB_VERSION}, "
                      "which is not in ${SKIMLINE_CORRECTIONLIB_SOURCE}. Run scripts/setup --demo, or set SKIMLINE_CORRECTIONLIB_SOURCE.")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${SKIMLINE_CORRECTIONLIB_SOURCE}/PKG-INFO")

# Files of corrections come from others: what they can say must not make the library read beyond its arrays or take the
# whole stack. Each replacement must be found, so that none is lost with another version.
function(skimline_replace variable old new)
  string(FIND "${${variable}}" "${old}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "correctionlib ${SKIMLINE_CORRECTIONLIB_VERSION} has changed: no \"${old}\"")
  endif()
  string(REPLACE "${old}" "${new}" text "${${variable}}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()
file(READ "${SKIMLINE_CORRECTIONLIB_SOURCE}/src/correction.cc" correction)
# Values without a bin: NaN, and infinity where values wrap around. What is below the end of
# uniform bins may be rounded to it, as the number right below 1 is for bins from -1 to 1: it is in the last one.
skimline_replace(correction
  "std::size_t binIdx = bins->n * norm_value;"
  "if ( ! (norm_value >= 0 && norm_value <= 1) ) throw std::runtime_error(std::string(\"No bin in \") + name + \" for value: \" + std::to_string(value));
      std::size_t binIdx = bins->n * norm_value;
      if ( binIdx >= bins->n ) binIdx = bins->n - 1;")
# A number within a period may be rounded to its end, as the one right below 0 is.
skimline_replace(correction
  "throw std::logic_error(\"I should not have ever seen an overflow\");"
  "if ( ! std::isnan(value) ) it--;
        else throw std::runtime_error(\"No bin in \"s + name + \" for an infinite value\");")
skimline_replace(correction
  "result.reserve(edges.Size());"
  "if ( edges.Size() < 2 ) throw std::runtime_error(\"binning needs at least two edges\");
    result.reserve(edges.Size());")
# Bins and clamps would take NaN for a large value, random numbers for any.
skimline_replace(correction
  "double vnew = std::visit(node_evaluate{values}, *rule_);"
  "double vnew = std::visit(node_evaluate{values}, *rule_);
  const auto fail = [&](const std::string& what) { throw std::runtime_error(\"a Transform of input argument \" + std::to_string(variableIdx_) + \" gives \" + what); };
  if ( std::isnan(vnew) ) fail(\"NaN\");")
skimline_replace(correction
  "v = (int64_t) std::round(vnew);"
  "vnew = std::round(vnew);
    if ( ! (vnew >= -0x1p63 && vnew < 0x1p63) ) fail(std::to_string(vnew) + \", no integer of 64 bits\");
    v = (int64_t) vnew;")
skimline_replace(correction
  "for(size_t pos : inmap) cvalues.push_back(ivalues[pos]);"
  "for(size_t pos : inmap) {
      const auto *number = std::get_if<double>(&ivalues[pos]);
      if ( number && std::isnan(*number) ) throw std::runtime_error(\"the input \\\"\" + inputs_[pos].name() + \"\\\" of \\\"\" + corr->name() + \"\\\" is NaN\");
      cvalues.push_back(ivalues[pos]);
    }")
# What the schema forbids, and the library takes nevertheless: it would use one of two values, or a bin that nobody meant.
skimline_replace(correction
  "if ( result.size() > 0 && result.back() >= val ) {"
  "if ( std::isnan(val) || (result.size() > 0 && result.back() >= val) ) {")
skimline_replace(correction
  "const auto high = uniformBins.getRequired<double>(\"high\");"
  "const auto high = uniformBins.getRequired<double>(\"high\");
      if ( ! (low < high && std::isfinite(high - low)) ) throw std::runtime_error(\"uniform bins from \" + std::to_string(low) + \" to \" + std::to_string(high));")
skimline_replace(correction
  "axes_.reserve(edges.Size());"
  "if ( inputs.Size() != edges.Size() ) throw std::runtime_error(\"a MultiBinning has \" + std::to_string(inputs.Size()) + \" inputs and \" + std::to_string(edges.Size()) + \" axes\");
  axes_.reserve(edges.Size());")
skimline_replace(correction
  "std::get<StrMap>(map_).try_emplace(kv_pair[\"key\"].GetString(), resolve_content(kv_pair[\"value\"], context));"
  "if ( ! std::get<StrMap>(map_).try_emplace(kv_pair[\"key\"].GetString(), resolve_content(kv_pair[\"value\"], context)).second )
        throw std::runtime_error(std::string(\"the key \\\"\") + kv_pair[\"key\"].GetString() + \"\\\" appears twice in a Category\");")
skimline_replace(correction
  "std::get<IntMap>(map_).try_emplace(kv_pair[\"key\"].GetInt(), resolve_content(kv_pair[\"value\"], context));"
  "if ( ! std::get<IntMap>(map_).try_emplace(kv_pair[\"key\"].GetInt(), resolve_content(kv_pair[\"value\"], context)).second )
        throw std::runtime_error(\"the key \" + std::to_string(kv_pair[\"key\"].GetInt()) + \" appears twice in a Category\");")
skimline_replace(correction
  "inputs_.emplace_back(item.GetObject());"
  "inputs_.emplace_back(item.GetObject());
    for (const auto& other : inputs_)
      if ( &other != &inputs_.back() && other.name() == inputs_.back().name() ) throw std::runtime_error(\"two inputs are called \\\"\" + other.name() + \"\\\"\");")
# They are copied to the stack.
skimline_replace(correction
  "variablesIdx_.reserve(inputs.Size());"
  "if ( inputs.Size() > 1000 ) throw std::runtime_error(\"HashPRNG has more than 1000 inputs\");
  variablesIdx_.reserve(inputs.Size());")
file(READ "${SKIMLINE_CORRECTIONLIB_SOURCE}/src/formula_ast.cc" formula_ast)
skimline_replace(formula_ast "return params[std::get<size_t>(data_)];" "return params.at(std::get<size_t>(data_));")
# Built by the first formula instead of by every start of the program.
skimline_replace(formula_ast "PEGParser tformula_parser(R\"(" "PEGParser& tformula_parser() { static PEGParser parser(R\"(")
skimline_replace(formula_ast "%whitespace <- [ \\t]*\n  )\");" "%whitespace <- [ \\t]*\n  )\"); return parser; }")
skimline_replace(formula_ast "tformula_parser.m" "tformula_parser().m")
skimline_replace(formula_ast "tformula_parser.parse" "tformula_parser().parse")
foreach(name correction formula_ast)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/correctionlib/${name}.cc" CONTENT "${${name}}" @ONLY)
endforeach()

set(CORRECTIONLIB_SKBUILD_PROJECT_VERSION ${SKIMLINE_CORRECTIONLIB_VERSION})
string(REPLACE "." ";" version_parts ${SKIMLINE_CORRECTIONLIB_VERSION})
list(GET version_parts 0 CORRECTIONLIB_VERSION_MAJOR)
list(GET version_parts 1 CORRECTIONLIB_VERSION_MINOR)
configure_file("${SKIMLINE_CORRECTIONLIB_SOURCE}/include/version.h.in"
               "${PROJECT_BINARY_DIR}/correctionlib/correctionlib_version.h" @ONLY)

# Objects that become part of Skimline::skims: nothing more is to be installed or linked. The libraries of neural networks
# are left out; see corrections_without_networks.cc.
add_library(skimline_correctionlib OBJECT
  "${PROJECT_BINARY_DIR}/correctionlib/correction.cc"
  "${PROJECT_BINARY_DIR}/correctionlib/formula_ast.cc"
  "${SKIMLINE_CORRECTIONLIB_SOURCE}/src/detail_impl.cc")
set_target_properties(skimline_correctionlib PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
target_include_directories(skimline_correctionlib SYSTEM
  PUBLIC "${SKIMLINE_CORRECTIONLIB_SOURCE}/include" "${PROJECT_BINARY_DIR}/correctionlib"
  PRIVATE "${SKIMLINE_CORRECTIONLIB_SOURCE}/src"
          "${SKIMLINE_CORRECTIONLIB_SOURCE}/rapidjson/include"
          "${SKIMLINE_CORRECTIONLIB_SOURCE}/cpp-peglib"
          "${SKIMLINE_CORRECTIONLIB_SOURCE}/xxhash"
          "${SKIMLINE_CORRECTIONLIB_SOURCE}/pcg-cpp/include")
target_compile_options(skimline_correctionlib PRIVATE
  -w -include "${PROJECT_SOURCE_DIR}/cmake/correctionlib_checks.h")
target_link_libraries(skimline_correctionlib PRIVATE skimline_build_flags Threads::Threads ZLIB::ZLIB)
