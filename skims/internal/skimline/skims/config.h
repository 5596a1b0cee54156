// SPDX-License-Identifier: BSD-3-Clause
// What a config says, as plain structs. Every text knows its place, so that later checks can point at it.
#pragma once

#include "skimline/framework/entry_range.h"
#include "skimline/framework/plan.h"
#include "skimline/histograms/axis.h"
#include "skimline/histograms/histogram_set.h"
#include "skimline/io/entry_list.h"
#include "skimline/io/histogram_writer.h"
#include "skimline/io/input_options.h"
#include "skimline/io/input_source.h"
#include "skimline/io/opened_files.h"
#include "skimline/io/writer_settings.h"
#include "skimline/skims/config_options.h"
#include "skimline/skims/diagnostics.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace skimline::skims {

/// A value by name.
struct NamedValue {
  Text name;
  ConstantValue value;
};

/// What columns are in files that lack them, by name or pattern.
struct DefaultConfig {
  Text name;
  io::DefaultValue value;
};

/// Entries that a list of ROOT names.
struct ListedEntries {
  io::EntryNumbers numbers;
  std::string digest;  ///< the same for the same numbers
};

/// One RNTuple of a sample.
struct Input {
  io::InputLocation location;  ///< as the program opens it
  std::string name;            ///< the path as records give it, independent of where the program is started
  std::optional<std::uint64_t> promised_entries;   ///< as a list of inputs says
  Location place;                                  ///< what named it
  std::shared_ptr<const ListedEntries> entries{};  ///< the only ones that are taken; null for all
};

/// Where the sum of the weights of a sample comes from, before any cut.
struct WeightSumConfig {
  enum class Kind {
    kEvents,  ///< `weight` summed over the events
    kRuns     ///< what the RNTuple Runs of NanoAOD says; `weight` is that of its events
  };
  Kind kind = Kind::kEvents;
  Text weight;
};

/// What is to be done with a file whose content is damaged.
enum class BadFilePolicy { kFail, kSkip };

/// Further columns of the events of a sample, from other files.
struct FriendConfig {
  Text name;                ///< in front of its columns: "scores.dnn"
  std::vector<Text> files;  ///< patterns, as written
  std::vector<Input> inputs;
  std::vector<Text> match;     ///< columns by which entries go together; in order without any
  bool may_be_longer = false;  ///< whether only some files of the sample are read
};

/// A name for an expression, usable in all expressions that follow.
struct Definition {
  Text name;
  Text expression;
};

/// Objects of a collection, or combinations of them, usable with all their members in expressions.
struct ObjectConfig {
  Text name;
  Text from;
  std::optional<Text> where, sort;
  std::vector<Text> fields;  ///< names of the members of combinations
};

struct Sample {
  Text name;
  std::vector<Text> files;    ///< patterns, as written
  std::vector<Input> inputs;  ///< the files that match, in the order of the patterns, then by name
  std::vector<std::string> listing_files;  ///< files of ROOT that name some of the files, or entries
  bool lacks_files = false;                ///< whether a limit has left some out
  std::vector<FriendConfig> friends;
  std::vector<NamedValue> metadata;             ///< constants of expressions
  std::optional<double> cross_section_pb;       ///< a constant of expressions too
  std::optional<Location> cross_section_place;  ///< its value
  std::optional<WeightSumConfig> sum_weights;   ///< unless given, each event counts 1
  bool is_data = false;                         ///< recorded: takes only the weights that are its own
  std::optional<Text> lumi_mask;                ///< a golden JSON file, as written
  RangesByKey certified;                        ///< its luminosity blocks by run
  std::optional<Text> entry_list;               ///< a file with a list of entries, as written
  std::shared_ptr<const ListedEntries> entries_through;  ///< those of all files, counted through them
  std::vector<Definition> aliases;     ///< as those of the config, some of which they replace
  std::vector<Definition> define;      ///< in place of those of the config with the same names
  std::vector<Definition> weights;     ///< the same of its weights
  std::optional<bool> has_variations;  ///< unless given, as may_vary() says
};

/// The constants that expressions of a sample may use: its name, its cross section and its metadata.
std::vector<NamedValue> constants_of(const Sample& sample);

/// A text or a number of the metadata, which names what the sample is part of; empty if there is none.
std::string name_among_metadata(const Sample& sample, const std::string& name);

/// The variation that a sample is itself, by its metadata; empty if it is nominal.
std::string own_variation(const Sample& sample);

/// Whether variations are for a sample. One that is data, or a variation itself, has none unless it says so.
bool may_vary(const Sample& sample);

/// Whether a factor of "weights" is one of the sample: of data, only its own are.
bool has_factor(const Sample& sample, const Definition& factor);

/// What a column that is redefined is called as the files have it.
std::string original_name(const std::string& column);

/// The product of the factors "weights" in expressions.
inline constexpr const char* kEventWeight = "weight_";

/// In expressions: the number of events of a cross section in the luminosity, over the sum of weights before
/// any cut; 1 for samples without a cross section.
inline constexpr const char* kNormalisation = "normalisation_";

/// A systematic variation: all that is filled once more with some values replaced.
struct Variation {
  Text name;                        ///< "jes_up"
  std::string systematic;           ///< "jes"
  std::string direction;            ///< "up"; empty if it has none
  std::vector<Definition> columns;  ///< what replaces columns and definitions
  std::vector<Definition> weights;  ///< what replaces factors of "weights"
  std::vector<Text> samples;        ///< patterns of those that have it; all if empty
  bool may_change_nothing = false;
};

/// Whether a sample has a variation: one that replaces anything of it.
bool has_variation(const Sample& sample, const Variation& variation);

/// Histograms summed over samples, each with a factor.
struct SampleSum {
  struct Part {
    Text sample;
    double factor = 1;
  };
  Text name;
  std::vector<Part> parts;
};

/// A function for expressions: `signature` is "name(parameter, ...)", `body` an expression of the parameters.
struct FunctionConfig {
  Text signature;
  Text body;
};

/// A correction in a file of correctionlib, as a function of those inputs that have no fixed value.
struct CorrectionConfig {
  Text name;
  std::string path;      ///< of the file, as the program opens it
  std::string checksum;  ///< of the file
  ElementFunction function;
  std::string content;  ///< ExternalFunction::content
};

/// A trained model, as a function of its inputs.
struct ModelConfig {
  Text name;
  std::string path;       ///< of the file, as the program opens it
  std::string checksum;   ///< of the file
  std::string evaluator;  ///< "onnxruntime 1.32.0"
  ElementFunction function;
  std::string content;  ///< ExternalFunction::content
};

/// One step of the cutflow: keeps the events for which `where` is true.
struct Cut {
  Text name;
  Text where;
};

/// What `after` calls the point of the cut chain before all cuts; no cut may have this name.
inline constexpr const char* kAllEvents = "all events";

/// The step of the cutflow with the events in certified luminosity blocks.
inline constexpr const char* kLumiMask = "luminosity mask";

/// The step of the cutflow with the events of an entry list, before the luminosity mask.
inline constexpr const char* kEntryList = "entry list";

/// A named selection, beside the cutflow.
struct Region {
  Text name;
  Text where;
  std::optional<std::size_t> num_cuts;  ///< how many cuts apply before `where`; all if unset
};

/// Which events a histogram or a skim takes: those that pass the first `num_cuts` cuts, or all cuts if that
/// is unset; or those of regions, given by number, of which a skim has one at most.
struct EventChoice {
  std::optional<std::size_t> num_cuts;
  std::vector<std::size_t> regions;
  std::optional<Text> where;  ///< of these events, only those for which it is true
};

/// What is filled along one axis, and its bins.
struct AxisConfig {
  Text value;
  std::optional<histograms::AxisKind> kind;  ///< none of categories that grow from nothing: as `value` is
  histograms::AxisDefinition bins;
  std::string label;
  std::string unit;
};

/// The value whose mean and spread a profile has in each bin.
struct ProfileConfig {
  Text value;
  std::string label;
  std::string unit;
};

/// A further weight, for a histogram of its own with the same fills.
struct WeightVariation {
  Text name;
  Text weight;
};

struct HistogramConfig {
  Text name;
  std::string title;
  std::vector<AxisConfig> axes;
  std::optional<ProfileConfig> profile;
  std::optional<Text> weight;
  std::vector<WeightVariation> weight_variations;
  io::CellType type = io::CellType::kDouble;  ///< in a ROOT file
  histograms::NanPositions nan_positions = histograms::NanPositions::kOverflow;
  histograms::BadWeights bad_weights = histograms::BadWeights::kRefuse;
  EventChoice events;  ///< with regions the histogram is filled once for each
};

/// Which elements of a collection a skim keeps.
struct ThinConfig {
  Text collection;
  Text where;                ///< a list of bool, one for each element
  bool has_closure = false;  ///< whether also those that kept ones lead to inside the collection
};

/// Integers that are indexes into a collection, or into none.
struct IndexRule {
  Text column;  ///< or a pattern
  std::optional<Text> collection;
};

/// When a skim goes on in another file; one of both is 0.
struct SkimSplit {
  std::uint64_t events = 0;  ///< that a file has
  std::uint64_t bytes = 0;   ///< that the events of a file take at most, unless one cluster takes more
  Location location;
};

/// What becomes of lists that belong together, as those of a collection do.
enum class WrittenLists {
  kRecords,  ///< one list of records
  kVectors   ///< a std::vector for each member
};

struct SkimConfig {
  Text name;
  Text file;         ///< as written
  std::string path;  ///< relative to the config's folder
  io::DataFormat format = io::DataFormat::kRNTuple;
  std::optional<Location> format_location;  ///< if it is given
  WrittenLists lists = WrittenLists::kRecords;
  std::string ntuple_name;               ///< or of the TTree; "Events" unless given
  std::vector<Text> keep;                ///< patterns; empty means all columns of the input
  std::vector<Text> drop;                ///< patterns, applied after `keep`
  bool has_only_common_columns = false;  ///< whether columns may be left out that not all files have alike
  std::vector<Definition> columns;       ///< further columns, which may have names of the input's
  std::vector<ThinConfig> thin;          ///< the collections that lose elements
  std::vector<IndexRule> indices;        ///< the first that matches a column holds, before what is known
  /// Patterns of the variations for which it takes events too; with any, a column says which they pass.
  std::vector<Text> variations;
  io::WriterSettings settings;
  std::optional<SkimSplit> split;
  EventChoice events;
};

/// The path of a skim for one sample: `{sample}` in it stands for the sample's name.
std::string path_of_sample(const SkimConfig& skim, const Sample& sample);
/// The file that is written there, the first one if it is split.
std::string skim_path(const SkimConfig& skim, const Sample& sample);

struct OutputConfig {
  std::optional<Text> histograms;  ///< the file as written; UHI JSON if it ends with ".json", else ROOT
  std::string histograms_path;     ///< relative to the config's folder
  /// Of histograms in the file, see naming.h: of nominal ones, and of those of variations.
  std::optional<Text> name_template, varied_name_template;
  std::optional<Text> report;  ///< as written
  std::string report_path;     ///< <config>.report.json in the config's folder unless given; empty for none
  std::optional<Text> html_report;  ///< as written, the report for people
  std::string html_report_path;     ///< empty for none
  std::optional<Text> trace;        ///< of the command line
  std::optional<Text> cutflow;      ///< as written: CSV if it ends with ".csv", else JSON
  std::string cutflow_path;
  bool n_minus_1 = false;  ///< whether events are counted that pass all cuts but one
};

/// Whether the path is taken for one of HTML.
bool is_html(const std::string& path);

/// Whether the histograms go to a file of UHI JSON.
bool is_json(const OutputConfig& output);

/// A number of bytes that the config asks for.
struct ByteLimit {
  std::uint64_t bytes = 0;
  Location location;
};

/// A file of a sample as it was found before.
struct KnownFile {
  std::string path;
  std::string name;  ///< of its RNTuple or TTree
  std::uint64_t num_entries = 0;
  std::string uuid;
  std::uint64_t file_bytes = 0;

  bool operator==(const KnownFile& other) const = default;
  bool operator<(const KnownFile& other) const {
    return std::tie(path, name, num_entries, uuid, file_bytes) <
           std::tie(other.path, other.name, other.num_entries, other.uuid, other.file_bytes);
  }
};

struct Config {
  std::shared_ptr<const ConfigText> source;
  /// As JSON, with what it includes, variables and settings put in; without `cache_folder` and limits of
  /// memory, on which results do not depend.
  std::string resolved;
  std::vector<Sample> samples;            ///< those to process
  std::vector<std::string> sample_names;  ///< those that are not to be processed included
  bool has_all_inputs = true;             ///< whether the command line leaves samples and files as they are
  std::optional<EntryRange> entries;      ///< of each sample, all unless given; not from the text
  /// The only ones of each sample that an EventReader gives, in rising order; null for all. Not from the
  /// text.
  std::shared_ptr<const std::vector<std::uint64_t>> chosen_entries;
  /// By sample what its files must be, those of friends included; empty for what they are. Not from the text.
  std::map<std::string, std::vector<KnownFile>> known_files;
  std::optional<std::uint64_t> limit_events;
  std::optional<Shard> shard;
  BadFilePolicy on_bad_file = BadFilePolicy::kFail;
  double max_bad_fraction = 0.1;          ///< of the files of each sample
  bool allows_duplicates = false;         ///< whether copies of a file may be inputs of one sample
  bool requires_checksums = false;        ///< whether what has no checksum is an error when it is read
  std::string checksum_folder;            ///< of side files with checksums; empty for those beside the inputs
  std::string cache_folder;               ///< of files behind URLs; empty for that of the environment
  std::optional<ByteLimit> memory_limit;  ///< for the whole process
  std::vector<std::string> warnings;      ///< as marked_message() makes them
  std::vector<Definition> aliases;        ///< names or patterns of them, and the columns that they stand for
  std::vector<Definition> collections;    ///< names, and patterns of the columns that are their members
  std::vector<ObjectConfig> objects;
  std::vector<DefaultConfig> defaults;
  std::vector<CorrectionConfig> corrections;
  std::vector<ModelConfig> models;
  std::vector<FunctionConfig> functions;
  std::vector<ExternalFunction> external_functions;  ///< usable in all expressions; not from the text
  std::vector<Definition> redefine;                  ///< what columns are in all that follows
  std::vector<Definition> define;
  std::optional<double> luminosity_pb;
  Location luminosity_place;        ///< its value
  std::vector<Definition> weights;  ///< factors of kEventWeight
  std::vector<Variation> variations;
  std::vector<SampleSum> sums;         ///< of which all samples are processed
  std::vector<std::string> sum_names;  ///< of all sums, those with samples that are not processed too
  std::vector<Cut> select;
  std::vector<Region> regions;
  std::vector<HistogramConfig> histograms;
  std::optional<ByteLimit> histogram_memory;  ///< for all their cells
  std::vector<SkimConfig> skims;
  OutputConfig output;
  std::shared_ptr<io::OpenedFiles> opened_files =
      std::make_shared<io::OpenedFiles>();  ///< each is opened once
};

}  // namespace skimline::skims
