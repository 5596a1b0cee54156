// SPDX-License-Identifier: BSD-3-Clause
// The classes in the StreamerInfo record as ROOT 6.40 knows them: versions, checksums, members.
#pragma once

#include "root/streamer_elements.h"
#include "root/tree_streamer_classes.h"

namespace skimline::io {

constexpr StreamerElement kRNTuple[] = {
    {"fVersionEpoch", "", kUnsignedShort, 2, "unsigned short"},
    {"fVersionMajor", "", kUnsignedShort, 2, "unsigned short"},
    {"fVersionMinor", "", kUnsignedShort, 2, "unsigned short"},
    {"fVersionPatch", "", kUnsignedShort, 2, "unsigned short"},
    {"fSeekHeader", "", kUnsignedLong, 8, "unsigned long"},
    {"fNBytesHeader", "", kUnsignedLong, 8, "unsigned long"},
    {"fLenHeader", "", kUnsignedLong, 8, "unsigned long"},
    {"fSeekFooter", "", kUnsignedLong, 8, "unsigned long"},
    {"fNBytesFooter", "", kUnsignedLong, 8, "unsigned long"},
    {"fLenFooter", "", kUnsignedLong, 8, "unsigned long"},
    {"fMaxKeySize", "", kUnsignedLong, 8, "unsigned long"},
};

constexpr StreamerElement kTH1D[] = {
    {"TH1", "1-Dim histogram base class", kBase, 0, "BASE"},
    {"TArrayD", "Array of doubles", kBase, 0, "BASE"},
};

constexpr StreamerElement kTH1F[] = {
    {"TH1", "1-Dim histogram base class", kBase, 0, "BASE"},
    {"TArrayF", "Array of floats", kBase, 0, "BASE"},
};

constexpr StreamerElement kTH1I[] = {
    {"TH1", "1-Dim histogram base class", kBase, 0, "BASE"},
    {"TArrayI", "Array of ints", kBase, 0, "BASE"},
};

constexpr StreamerElement kTH2D[] = {
    {"TH2", "2-Dim histogram base class", kBase, 0, "BASE"},
    {"TArrayD", "Array of doubles", kBase, 0, "BASE"},
};

constexpr StreamerElement kTH2F[] = {
    {"TH2", "2-Dim histogram base class", kBase, 0, "BASE"},
    {"TArrayF", "Array of floats", kBase, 0, "BASE"},
};

constexpr StreamerElement kTH2I[] = {
    {"TH2", "2-Dim histogram base class", kBase, 0, "BASE"},
    {"TArrayI", "Array of ints", kBase, 0, "BASE"},
};

constexpr StreamerElement kTH3D[] = {
    {"TH3", "3-Dim histogram base class", kBase, 0, "BASE"},
    {"TArrayD", "Array of doubles", kBase, 0, "BASE"},
};

constexpr StreamerElement kTH3F[] = {
    {"TH3", "3-Dim histogram base class", kBase, 0, "BASE"},
    {"TArrayF", "Array of floats", kBase, 0, "BASE"},
};

constexpr StreamerElement kTH3I[] = {
    {"TH3", "3-Dim histogram base class", kBase, 0, "BASE"},
    {"TArrayI", "Array of ints", kBase, 0, "BASE"},
};

constexpr StreamerElement kTH1[] = {
    {"TNamed", "The basis for a named object (name, title)", kNamedBase, 0, "BASE"},
    {"TAttLine", "Line attributes", kBase, 0, "BASE"},
    {"TAttFill", "Fill area attributes", kBase, 0, "BASE"},
    {"TAttMarker", "Marker attributes", kBase, 0, "BASE"},
    {"fNcells", "Number of bins(1D), cells (2D) +U/Overflows", kInt, 4, "int"},
    {"fXaxis", "X axis descriptor", kObject, 216, "TAxis"},
    {"fYaxis", "Y axis descriptor", kObject, 216, "TAxis"},
    {"fZaxis", "Z axis descriptor", kObject, 216, "TAxis"},
    {"fBarOffset", "(1000*offset) for bar charts or legos", kShort, 2, "short"},
    {"fBarWidth", "(1000*width) for bar charts or legos", kShort, 2, "short"},
    {"fEntries", "Number of entries", kDouble, 8, "double"},
    {"fTsumw", "Total Sum of weights", kDouble, 8, "double"},
    {"fTsumw2", "Total Sum of squares of weights", kDouble, 8, "double"},
    {"fTsumwx", "Total Sum of weight*X", kDouble, 8, "double"},
    {"fTsumwx2", "Total Sum of weight*X*X", kDouble, 8, "double"},
    {"fMaximum", "Maximum value for plotting", kDouble, 8, "double"},
    {"fMinimum", "Minimum value for plotting", kDouble, 8, "double"},
    {"fNormFactor", "Normalization factor", kDouble, 8, "double"},
    {"fContour", "Array to display contour levels", kAny, 24, "TArrayD"},
    {"fSumw2", "Array of sum of squares of weights", kAny, 24, "TArrayD"},
    {"fOption", "Histogram options", kString, 24, "TString"},
    {"fFunctions", "->Pointer to list of functions (fits and user)", kOwnedPointer, 8, "TList*"},
    {"fBufferSize", "fBuffer size", kCounter, 4, "int"},
    {"fBuffer", "[fBufferSize] entry buffer", kPointerArray + kDouble, 8, "double*"},
    {"fBinStatErrOpt", "Option for bin statistical errors", kInt, 4, "TH1::EBinErrorOpt"},
    {"fStatOverflows", "Per object flag to use under/overflows in statistics", kInt, 4,
     "TH1::EStatOverflows"},
};

constexpr StreamerElement kTH2[] = {
    {"TH1", "1-Dim histogram base class", kBase, 0, "BASE"},
    {"fScalefactor", "Scale factor", kDouble, 8, "double"},
    {"fTsumwy", "Total Sum of weight*Y", kDouble, 8, "double"},
    {"fTsumwy2", "Total Sum of weight*Y*Y", kDouble, 8, "double"},
    {"fTsumwxy", "Total Sum of weight*X*Y", kDouble, 8, "double"},
};

constexpr StreamerElement kTH3[] = {
    {"TH1", "1-Dim histogram base class", kBase, 0, "BASE"},
    {"TAtt3D", "3D attributes", kBase, 0, "BASE"},
    {"fTsumwy", "Total Sum of weight*Y", kDouble, 8, "double"},
    {"fTsumwy2", "Total Sum of weight*Y*Y", kDouble, 8, "double"},
    {"fTsumwxy", "Total Sum of weight*X*Y", kDouble, 8, "double"},
    {"fTsumwz", "Total Sum of weight*Z", kDouble, 8, "double"},
    {"fTsumwz2", "Total Sum of weight*Z*Z", kDouble, 8, "double"},
    {"fTsumwxz", "Total Sum of weight*X*Z", kDouble, 8, "double"},
    {"fTsumwyz", "Total Sum of weight*Y*Z", kDouble, 8, "double"},
};

constexpr StreamerElement kTProfile[] = {
    {"TH1D", "1-Dim histograms (one double per channel)", kBase, 0, "BASE"},
    {"fBinEntries", "number of entries per bin", kAny, 24, "TArrayD"},
    {"fErrorMode", "Option to compute errors", kInt, 4, "EErrorType"},
    {"fYmin", "Lower limit in Y (if set)", kDouble, 8, "double"},
    {"fYmax", "Upper limit in Y (if set)", kDouble, 8, "double"},
    {"fTsumwy", "Total Sum of weight*Y", kDouble, 8, "double"},
    {"fTsumwy2", "Total Sum of weight*Y*Y", kDouble, 8, "double"},
    {"fBinSumw2", "Array of sum of squares of weights per bin", kAny, 24, "TArrayD"},
};

constexpr StreamerElement kTProfile2D[] = {
    {"TH2D", "2-Dim histograms (one double per channel)", kBase, 0, "BASE"},
    {"fBinEntries", "Number of entries per bin", kAny, 24, "TArrayD"},
    {"fErrorMode", "Option to compute errors", kInt, 4, "EErrorType"},
    {"fZmin", "Lower limit in Z (if set)", kDouble, 8, "double"},
    {"fZmax", "Upper limit in Z (if set)", kDouble, 8, "double"},
    {"fTsumwz", "Total Sum of weight*Z", kDouble, 8, "double"},
    {"fTsumwz2", "Total Sum of weight*Z*Z", kDouble, 8, "double"},
    {"fBinSumw2", "Array of sum of squares of weights per bin", kAny, 24, "TArrayD"},
};

constexpr StreamerElement kTProfile3D[] = {
    {"TH3D", "3-Dim histograms (one double per channel)", kBase, 0, "BASE"},
    {"fBinEntries", "Number of entries per bin", kAny, 24, "TArrayD"},
    {"fErrorMode", "Option to compute errors", kInt, 4, "EErrorType"},
    {"fTmin", "Lower limit in T (if set)", kDouble, 8, "double"},
    {"fTmax", "Upper limit in T (if set)", kDouble, 8, "double"},
    {"fTsumwt", "Total Sum of weight*T", kDouble, 8, "double"},
    {"fTsumwt2", "Total Sum of weight*T*T", kDouble, 8, "double"},
    {"fBinSumw2", "Array of sum of squares of weights per bin", kAny, 24, "TArrayD"},
};

constexpr StreamerElement kTHnSparseD[] = {
    {"THnSparse", "Interfaces of sparse n-dimensional histogram", kBase, 0, "BASE"},
};

constexpr StreamerElement kTHnSparse[] = {
    {"THnBase", "Common base for n-dimensional histogram", kBase, 0, "BASE"},
    {"fChunkSize", "Number of entries for each chunk", kInt, 4, "int"},
    {"fFilledBins", "Number of filled bins", kLong64, 8, "Long64_t"},
    {"fBinContent", "Array of THnSparseArrayChunk", kObject, 64, "TObjArray"},
};

constexpr StreamerElement kTHnBase[] = {
    {"TNamed", "The basis for a named object (name, title)", kNamedBase, 0, "BASE"},
    {"fNdimensions", "Number of dimensions", kInt, 4, "int"},
    {"fAxes", "Axes of the histogram", kObject, 64, "TObjArray"},
    {"fEntries", "Number of entries, spread over chunks", kDouble, 8, "double"},
    {"fTsumw", "Total sum of weights", kDouble, 8, "double"},
    {"fTsumw2", "Total sum of weights squared; -1 if no errors are calculated", kDouble, 8, "double"},
    {"fTsumwx", "Total sum of weight*X for each dimension", kAny, 24, "TArrayD"},
    {"fTsumwx2", "Total sum of weight*X*X for each dimension", kAny, 24, "TArrayD"},
};

constexpr StreamerElement kTHnSparseArrayChunk[] = {
    {"TObject", "Basic ROOT object", kObjectBase, 0, "BASE"},
    {"fSingleCoordinateSize", "Size of a single bin coordinate", kInt, 4, "int"},
    {"fCoordinatesSize", "Size of the bin coordinate buffer", kCounter, 4, "int"},
    {"fCoordinates", "[fCoordinatesSize] compact bin coordinate buffer", kPointerArray + kChar, 8, "char*"},
    {"fContent", "Bin content", kAnyPointer, 8, "TArray*"},
    {"fSumw2", "Bin errors", kAnyPointer, 8, "TArrayD*"},
};

constexpr StreamerElement kTObjString[] = {
    {"TObject", "Basic ROOT object", kObjectBase, 0, "BASE"},
    {"fString", "wrapped TString", kString, 24, "TString"},
};

constexpr StreamerElement kTNamed[] = {
    {"TObject", "Basic ROOT object", kObjectBase, 0, "BASE"},
    {"fName", "object identifier", kString, 24, "TString"},
    {"fTitle", "object title", kString, 24, "TString"},
};

constexpr StreamerElement kTObject[] = {
    {"fUniqueID", "object unique identifier", kUnsignedInt, 4, "unsigned int"},
    {"fBits", "bit field status word", kBits, 4, "unsigned int"},
};

constexpr StreamerElement kTAttLine[] = {
    {"fLineColor", "Line color", kShort, 2, "short"},
    {"fLineStyle", "Line style", kShort, 2, "short"},
    {"fLineWidth", "Line width", kShort, 2, "short"},
};

constexpr StreamerElement kTAttFill[] = {
    {"fFillColor", "Fill area color", kShort, 2, "short"},
    {"fFillStyle", "Fill area style", kShort, 2, "short"},
};

constexpr StreamerElement kTAttMarker[] = {
    {"fMarkerColor", "Marker color", kShort, 2, "short"},
    {"fMarkerStyle", "Marker style", kShort, 2, "short"},
    {"fMarkerSize", "Marker size", kFloat, 4, "float"},
};

constexpr StreamerElement kTAxis[] = {
    {"TNamed", "The basis for a named object (name, title)", kNamedBase, 0, "BASE"},
    {"TAttAxis", "Axis attributes", kBase, 0, "BASE"},
    {"fNbins", "Number of bins", kInt, 4, "int"},
    {"fXmin", "Low edge of first bin", kDouble, 8, "double"},
    {"fXmax", "Upper edge of last bin", kDouble, 8, "double"},
    {"fXbins", "Bin edges array in X", kAny, 24, "TArrayD"},
    {"fFirst", "First bin to display", kInt, 4, "int"},
    {"fLast", "Last bin to display", kInt, 4, "int"},
    {"fBits2", "Second bit status word", kUnsignedShort, 2, "unsigned short"},
    {"fTimeDisplay", "On/off displaying time values instead of numerics", kBool, 1, "bool"},
    {"fTimeFormat", "Date&time format, ex: 09/12/99 12:34:00", kString, 24, "TString"},
    {"fLabels", "List of labels", kPointer, 8, "THashList*"},
    {"fModLabs", "List of modified labels", kPointer, 8, "TList*"},
};

constexpr StreamerElement kTAttAxis[] = {
    {"fNdivisions", "Number of divisions(10000*n3 + 100*n2 + n1)", kInt, 4, "int"},
    {"fAxisColor", "Color of the line axis", kShort, 2, "short"},
    {"fLabelColor", "Color of labels", kShort, 2, "short"},
    {"fLabelFont", "Font for labels", kShort, 2, "short"},
    {"fLabelOffset", "Offset of labels", kFloat, 4, "float"},
    {"fLabelSize", "Size of labels", kFloat, 4, "float"},
    {"fTickLength", "Length of tick marks", kFloat, 4, "float"},
    {"fTitleOffset", "Offset of axis title", kFloat, 4, "float"},
    {"fTitleSize", "Size of axis title", kFloat, 4, "float"},
    {"fTitleColor", "Color of axis title", kShort, 2, "short"},
    {"fTitleFont", "Font for axis title", kShort, 2, "short"},
};

constexpr StreamerElement kTHashList[] = {
    {"TList", "Doubly linked list", kBase, 0, "BASE"},
};

constexpr StreamerElement kTList[] = {
    {"TSeqCollection", "Sequenceable collection ABC", kBase, 0, "BASE"},
};

constexpr StreamerElement kTSeqCollection[] = {
    {"TCollection", "Collection abstract base class", kBase, 0, "BASE"},
};

constexpr StreamerElement kTCollection[] = {
    {"TObject", "Basic ROOT object", kObjectBase, 0, "BASE"},
    {"fName", "name of the collection", kString, 24, "TString"},
    {"fSize", "number of elements in collection", kInt, 4, "int"},
};

// Classes whose layout a file does not list.
constexpr StreamerClass kUnlistedClasses[] = {
    {"TArrayD", 1, 0x7139ef34, {}},
    {"TArrayF", 1, 0x5a0bf6f1, {}},
    {"TArrayI", 1, 0xd9d571c7, {}},
};

// In the order in which ROOT lists those of one object.
constexpr StreamerClass kStreamerClasses[] = {
    {"ROOT::RNTuple", 2, 0x28e632ec, kRNTuple},
    {"TTree", 20, 0x7264e07f, kTTree},
    {"TBranch", 13, 0x10978aac, kTBranch},
    {"TBranchElement", 10, 0xe74f5e63, kTBranchElement},
    {"TLeaf", 2, 0x6d1e8152, kTLeaf},
    {"TLeafO", 1, 0x02ae48d3, kTLeafO},
    {"TLeafB", 1, 0x0f1e4b5e, kTLeafB},
    {"TLeafS", 1, 0x150ceecf, kTLeafS},
    {"TLeafI", 1, 0x7e6aae19, kTLeafI},
    {"TLeafL", 1, 0xde320862, kTLeafL},
    {"TLeafF", 1, 0x3add9d72, kTLeafF},
    {"TLeafD", 1, 0x118e8776, kTLeafD},
    {"TLeafElement", 1, 0xa04f8893, kTLeafElement},
    {"ROOT::TIOFeatures", 1, 0x1aa12f10, kTIOFeatures},
    {"TProfile", 7, 0x4bedee54, kTProfile},
    {"TProfile2D", 8, 0x36a142ac, kTProfile2D},
    {"TProfile3D", 8, 0xf60c6814, kTProfile3D},
    {"THnSparseT<TArrayD>", 1, 0x36fce850, kTHnSparseD},
    {"THnSparse", 3, 0x8f213c85, kTHnSparse},
    {"THnBase", 1, 0x0b6a074c, kTHnBase},
    {"TH1D", 3, 0xf9b1569f, kTH1D},
    {"TH1F", 3, 0xe2939644, kTH1F},
    {"TH1I", 3, 0x627564f6, kTH1I},
    {"TH2D", 4, 0x7fba82f0, kTH2D},
    {"TH2F", 4, 0x689cc295, kTH2F},
    {"TH2I", 4, 0xe87e9147, kTH2I},
    {"TH2", 5, 0x0182347f, kTH2},
    {"TH3D", 4, 0x64b9ff86, kTH3D},
    {"TH3F", 4, 0x4d9c3f2b, kTH3F},
    {"TH3I", 4, 0xcd7e0ddd, kTH3I},
    {"TH3", 6, 0x42d2445f, kTH3},
    {"TH1", 8, 0x1c3740c4, kTH1},
    {"TNamed", 1, 0xdfb74a3c, kTNamed},
    {"TObject", 1, 0x901bc02d, kTObject},
    {"TAttLine", 2, 0x94074549, kTAttLine},
    {"TAttFill", 2, 0xffd92a92, kTAttFill},
    {"TAttMarker", 3, 0x291d8bec, kTAttMarker},
    {"TAtt3D", 1, 0x0000757a, {}},
    {"TAxis", 10, 0x5a496e70, kTAxis},
    {"TAttAxis", 4, 0x5c6fff3e, kTAttAxis},
    {"TObjString", 1, 0x9c8e4800, kTObjString},
    {"THashList", 0, 0xcc7e49c1, kTHashList},
    {"TList", 5, 0x69c5c3bb, kTList},
    {"TSeqCollection", 0, 0xfc6c3bc6, kTSeqCollection},
    {"TCollection", 3, 0x57e3cb9c, kTCollection},
    {"TString", 2, 0x00017419, {}},
    {"THnSparseArrayChunk", 1, 0xebfcfc89, kTHnSparseArrayChunk},
};

}  // namespace skimline::io
