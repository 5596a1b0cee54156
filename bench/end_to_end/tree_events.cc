// SPDX-License-Identifier: BSD-3-Clause
// Writes the events of an RNTuple of `skimline generate dimuon` as a TTree like one of NanoAOD, with ROOT:
//
//   tree_events INPUT OUTPUT [ALGORITHM*100+LEVEL]
//
// Lists become arrays with a leaf count, and further branches of the kinds that NanoAOD has many of follow,
// so that there are more than 100: flags, numbers, and lists of jets. Settings are those of CMS's NanoAOD.
#include <cstdint>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <ROOT/RNTupleReader.hxx>
#include <TFile.h>
#include <TTree.h>

namespace {

constexpr int kMaxObjects = 128;
constexpr std::int64_t kFlushedBytes = 10'000'000;
constexpr int kNumFlags = 40;
constexpr int kNumNumbers = 25;
constexpr int kNumLists = 15;

// One list of the input as an array of the output.
class Array {
 public:
  virtual ~Array() = default;
  virtual void copy(ROOT::NTupleSize_t entry) = 0;
};

template <typename T>
class ArrayOf : public Array {
 public:
  ArrayOf(ROOT::RNTupleReader& reader, TTree& tree, const std::string& name, const std::string& count,
          char code)
      : view_(reader.GetView<std::vector<T>>(name)) {
    tree.Branch(name.c_str(), values_, (name + "[" + count + "]/" + code).c_str());
  }
  void copy(ROOT::NTupleSize_t entry) override {
    const std::vector<T>& list = view_(entry);
    for (std::size_t i = 0; i < list.size() && i < kMaxObjects; ++i) values_[i] = list[i];
  }

 private:
  ROOT::RNTupleView<std::vector<T>> view_;
  T values_[kMaxObjects] = {};
};

class Writer {
 public:
  Writer(const char* input, const char* output, int compression)
      : reader_(ROOT::RNTupleReader::Open("Events", input)),
        file_(TFile::Open(output, "RECREATE", "", compression)),
        tree_(std::make_unique<TTree>("Events", "Events").release()) {
    tree_->SetAutoFlush(-kFlushedBytes);
    tree_->SetAutoSave(0);
    tree_->Branch("nMuon", &num_muons_, "nMuon/i");
    tree_->Branch("nJet", &num_jets_, "nJet/i");
    tree_->Branch("MET_pt", &met_, "MET_pt/F");
    tree_->Branch("event", &event_, "event/l");
    for (const char* name :
         {"Muon_pt", "Muon_eta", "Muon_phi", "Muon_mass", "Muon_pfRelIso04_all", "Muon_dxy", "Muon_dz"})
      arrays_.push_back(std::make_unique<ArrayOf<float>>(*reader_, *tree_, name, "nMuon", 'F'));
    arrays_.push_back(std::make_unique<ArrayOf<std::int32_t>>(*reader_, *tree_, "Muon_charge", "nMuon", 'I'));
    for (const char* name : {"Jet_pt", "Jet_eta", "Jet_phi", "Jet_mass", "Jet_btag"})
      arrays_.push_back(std::make_unique<ArrayOf<float>>(*reader_, *tree_, name, "nJet", 'F'));
    for (int i = 0; i < kNumFlags; ++i)
      tree_->Branch(("HLT_path" + std::to_string(i)).c_str(), &flags_[i],
                    ("HLT_path" + std::to_string(i) + "/O").c_str());
    for (int i = 0; i < kNumNumbers; ++i)
      tree_->Branch(("number" + std::to_string(i)).c_str(), &numbers_[i],
                    ("number" + std::to_string(i) + "/F").c_str());
    for (int i = 0; i < kNumLists; ++i) {
      const std::string name = "Jet_value" + std::to_string(i);
      tree_->Branch(name.c_str(), lists_[i], (name + "[nJet]/F").c_str());
    }
  }

  void write() {
    auto muons = reader_->GetView<std::uint32_t>("nMuon");
    auto jets = reader_->GetView<std::uint32_t>("nJet");
    auto met = reader_->GetView<float>("MET_pt");
    auto event = reader_->GetView<std::uint64_t>("event");
    for (const auto entry : reader_->GetEntryRange()) {
      num_muons_ = muons(entry);
      num_jets_ = jets(entry);
      met_ = met(entry);
      event_ = event(entry);
      for (const auto& array : arrays_) array->copy(entry);
      fill_others();
      tree_->Fill();
    }
    file_->Write();
    file_->Close();
  }

 private:
  // Reals with ten bits of mantissa, as those of NanoAOD are.
  float number() {
    const auto bits = std::uint32_t{0x3f000000u} + (static_cast<std::uint32_t>(random_()) & 0x00ffe000u);
    float value = 0;
    static_assert(sizeof value == sizeof bits);
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
  }
  void fill_others() {
    for (int i = 0; i < kNumFlags; ++i) flags_[i] = random_() % (2 + 8 * i) == 0;
    for (float& value : numbers_) value = number();
    for (auto& list : lists_)
      for (std::uint32_t i = 0; i < num_jets_; ++i) list[i] = number();
  }

  std::unique_ptr<ROOT::RNTupleReader> reader_;
  std::unique_ptr<TFile> file_;
  TTree* tree_;  // of the file
  std::uint32_t num_muons_ = 0, num_jets_ = 0;
  float met_ = 0;
  std::uint64_t event_ = 0;
  std::vector<std::unique_ptr<Array>> arrays_;
  bool flags_[kNumFlags] = {};
  float numbers_[kNumNumbers] = {};
  float lists_[kNumLists][kMaxObjects] = {};
  std::mt19937 random_{1};
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 3 && count != 4) {
    std::cerr << "usage: tree_events INPUT OUTPUT [ALGORITHM*100+LEVEL]\n";
    return 2;
  }
  Writer(arguments[1], arguments[2], count == 4 ? std::stoi(arguments[3]) : 505).write();
  return 0;
}
