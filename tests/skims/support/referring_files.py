# SPDX-License-Identifier: BSD-3-Clause
"""Files of trees whose objects refer to each other, as Delphes writes them, and what their references lead to."""

import struct

import numpy as np
import uproot

CLASSES = r"""
class Tower : public TObject {
 public:
   int tag = 0; float e = 0;
   ClassDef(Tower, 1)
};
class Jet : public TObject {
 public:
   float pt = 0; TRefArray parts; TRef lead; std::vector<int> tags;
   ClassDef(Jet, 1)
};
class Ring : public TObject {
 public:
   int tag = 0; TRef next;
   ClassDef(Ring, 1)
};

struct Event {
   TClonesArray *towers = new TClonesArray("Tower"), *jets = new TClonesArray("Jet"), *rings = new TClonesArray("Ring");
   TRef *first = new TRef;
   TRefArray *all = new TRefArray;
   int tag = 0;
   std::string process, *process_at = &process;

   void book(TTree &tree, int split) {
      tree.Branch("Tower", &towers, 1500, split); tree.Branch("Jet", &jets, 1500, split);
      tree.Branch("Ring", &rings, 1500, split);
      tree.Branch("first", &first, 1500, split); tree.Branch("all", &all, 1500, split);
      tree.Branch("tag", &tag); tree.Branch("process", &process);
   }
   void connect(TTree &tree) {
      tree.SetBranchAddress("Tower", &towers); tree.SetBranchAddress("Jet", &jets); tree.SetBranchAddress("Ring", &rings);
      tree.SetBranchAddress("first", &first); tree.SetBranchAddress("all", &all);
      tree.SetBranchAddress("tag", &tag); tree.SetBranchAddress("process", &process_at);
   }
   void fill(int number) {
      TProcessID::SetObjectCount(number % 3);
      tag = number;
      process = TProcessID::GetSessionProcessID()->GetTitle();
      towers->Clear("C"); jets->Delete(); rings->Delete(); all->Clear();
      int n = 3 + number % 4;
      for (int k = 0; k < n; ++k) {
         auto *tower = (Tower *)towers->ConstructedAt(k);
         tower->tag = 100 * number + k; tower->e = k;
         tower->ResetBit(kIsReferenced); tower->SetUniqueID(0);
      }
      for (int j = 0; j < number % 3; ++j) {
         auto *jet = new ((*jets)[j]) Jet;
         jet->pt = j; jet->tags.clear();
         for (int k = j; k < n; k += 2) { jet->parts.Add(towers->At(k)); jet->tags.push_back(100 * number + k); }
         jet->lead = towers->At(n - 1 - j); jet->tags.push_back(100 * number + n - 1 - j);
      }
      for (int k = 0; k < 2; ++k) { auto *ring = new ((*rings)[k]) Ring; ring->tag = 1000 * number + k; }
      for (int k = 0; k < 2; ++k) ((Ring *)rings->At(k))->next = rings->At(1 - k);
      *first = towers->At(1);
      for (int k = 0; k < n; k += 2) all->Add(towers->At(k));
   }
   // Counts references, those that lead to nothing, and those that lead elsewhere.
   void follow(int (&counts)[3]) const {
      auto count = [&](TObject *object, int found, int expected) {
         ++counts[0];
         counts[1] += object == nullptr;
         counts[2] += object != nullptr && found != expected;
      };
      auto tower = [&](TObject *object, int expected) {
         auto *found = dynamic_cast<Tower *>(object);
         count(object, found ? found->tag : -1, expected);
      };
      for (TObject *each : *jets) {
         auto *jet = (Jet *)each;
         int n = jet->tags.size() - 1;
         for (int k = 0; k < n; ++k) tower(jet->parts.At(k), jet->tags[k]);
         tower(jet->lead.GetObject(), jet->tags[n]);
      }
      tower(first->GetObject(), 100 * tag + 1);
      for (int k = 0; k <= all->GetLast(); ++k) tower(all->At(k), 100 * tag + 2 * k);
      for (int k = 0; k < 2; ++k) {
         TObject *object = ((Ring *)rings->At(k))->next.GetObject();
         auto *ring = dynamic_cast<Ring *>(object);
         count(object, ring ? ring->tag : -1, 1000 * tag + 1 - k);
      }
   }
};

// As a process of its own with this identifier does.
void write_file(const char *path, int first, int count, int split, int compression, const char *process) {
   TProcessID::GetSessionProcessID()->SetTitle(process);
   TFile file(path, "RECREATE", "", compression);
   TTree tree("Events", "events");
   Event event;
   event.book(tree, split);
   for (int i = first; i < first + count; ++i) { event.fill(i); tree.Fill(); }
   tree.Write();
}

// Entries of another file, and own ones between them.
void write_mixed(const char *path, const char *source, bool own_first, int first, int split, const char *process) {
   TProcessID::GetSessionProcessID()->SetTitle(process);
   TFile from(source);
   auto *old = from.Get<TTree>("Events");
   TFile file(path, "RECREATE", "", 505);
   TTree tree("Events", "events");
   Event own, read;
   own.book(tree, split);
   read.connect(*old);
   auto fill = [&](Event &event) { event.connect(tree); tree.Fill(); };
   for (int i = 0; i < 20; ++i) {
      old->GetEntry(i);
      if (!own_first) fill(read);
      own.fill(first + i); fill(own);
      if (own_first) fill(read);
   }
   tree.Write();
}

void follow_all(const char *path) {
   TFile file(path);
   auto *tree = file.Get<TTree>("Events");
   Event event;
   event.connect(*tree);
   int counts[3] = {};
   for (Long64_t i = 0; i < tree->GetEntries(); ++i) { tree->GetEntry(i); event.follow(counts); }
   printf("%d %d %d\n", counts[0], counts[1], counts[2]);
   fflush(stdout);
}
"""


def processes(path):
    """The identifiers of a file by their numbers, as ROOT looks for them."""
    with uproot.open(path) as file:
        names = [key for key in file.keys(cycle=False, recursive=False) if key.startswith("ProcessID")]
        return {int(name.removeprefix("ProcessID")): file[name].member("fTitle") for name in names}


def offsets_of_keys(path, branch):
    """What the key of each basket adds to numbers of processes: the upper 16 bits of the place of its directory."""
    content = path.read_bytes()
    with uproot.open(path) as file:
        seeks = file["Events"][branch].member("fBasketSeek")[: file["Events"][branch].num_baskets]
    found = []
    for seek in map(int, seeks):
        (version,) = struct.unpack_from(">h", content, seek + 4)
        assert version > 1000
        found.append(struct.unpack_from(">Q", content, seek + 26)[0] >> 48)
    return found


def processes_of_entries(path):
    """By entry: the process that the TRef `first` is of, and the one that the entry says that it is of."""
    by_number = processes(path)
    with uproot.open(path) as file:
        branch = file["Events/first"]
        numbers = []
        for number, offset in enumerate(offsets_of_keys(path, "first")):
            basket = branch.basket(number)
            references = np.asarray(basket.data).reshape(basket.num_entries, -1)
            numbers += [int(each) + offset for each in references[:, -2:].copy().view(">u2").ravel()]
        expected = file["Events/process"].array(library="np").tolist()
    return [by_number.get(number) for number in numbers], expected
