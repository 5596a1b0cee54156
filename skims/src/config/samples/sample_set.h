// SPDX-License-Identifier: BSD-3-Clause
// The samples of a run: those of the config and of lists made for other programs, as the command line chooses
// and changes them, with the files that exist.
#pragma once

#include "config/json/located_json.h"
#include "config/samples/input_files.h"
#include "config/samples/input_texts.h"
#include "config/samples/sample_list.h"

#include "skimline/skims/config.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace skimline::skims {

class SampleSet {
 public:
  /// `texts` must outlive the set; files that are opened to be looked into stay so in `opened`.
  SampleSet(InputTexts& texts, std::shared_ptr<io::OpenedFiles> opened)
      : texts_(texts), opened_(std::move(opened)) {}

  /// Reads "samples".
  void add_samples(const JsonValue& value);
  /// Reads "samples_from" and the lists that it names. A sample that "samples" has without files gets those
  /// of the sample of the same name. After add_samples().
  void add_lists(const JsonValue& value);

  /// Of all samples, the chosen ones and the others, until some are chosen.
  std::vector<std::string> names() const;

  /// Returns the chosen samples, in the order of the config, with their inputs. What is not chosen is not
  /// looked for. Limits and shards that cannot be are mistakes too.
  std::vector<Sample> choose(const ConfigOptions& options);

 private:
  struct Member {
    Sample sample;
    std::vector<NamedFile> files;
    Location opening;  // of a sample that may lack files
    std::vector<MetFile> met;
    std::vector<std::vector<MetFile>> met_of_friends;
  };
  // Where the files of a list are on this machine.
  struct Relocation {
    Text from;
    std::string to;
    bool is_used = false;
  };
  struct ListConfig {
    Text file;
    std::vector<Relocation> replace;
    std::optional<std::string> tree;
  };

  void add_list(const JsonValue& value);
  std::optional<ListConfig> read_list_config(const JsonValue& value);
  void read_relocations(const JsonValue& value, ListConfig& list);
  void add_listed(ListConfig& list, const ListedSample& listed, const std::string& path);
  Member* member_for(const Text& listed_name, const std::string& name);
  NamedFile named_file(ListConfig& list, const ListedFile& file, const std::string& path) const;
  void add_metadata(Sample& sample, const ListedSample& listed);

  void check_limits(const ConfigOptions& options);
  void keep_matching(const std::vector<std::string>& patterns);
  void replace_files(const std::vector<std::string>& inputs);
  Member* replaced_member(const std::string& argument, std::string& file, Location place);
  void meet_files();
  void meet_files_of(Member& member);
  void find_inputs_of(Member& member, const ConfigOptions& options);
  void read_lumi_mask_of(Sample& sample);

  InputTexts& texts_;
  std::shared_ptr<io::OpenedFiles> opened_;
  std::vector<Member> members_;
  std::map<std::string, RangesByKey> lumi_masks_;         // by path
  std::map<std::string, std::string> names_in_lists_;     // by the names they get
  std::unordered_map<std::string, std::size_t> numbers_;  // of members by their names, once lists are read
};

}  // namespace skimline::skims
