# SPDX-License-Identifier: BSD-3-Clause
"""Lists of pointers to objects, of enumerations, of objects with arrays, maps of arrays, bitsets in classes, and lists in lists in lists, against ROOT, which needs compiled code to write them."""

import fcntl
import hashlib
import importlib.metadata
import json
from contextlib import contextmanager

import pytest
import uproot
from exit_codes import DONE, INCOMPLETE
from prepared_root import prepared_root

NUM_EVENTS = 30
SPLITS = (0, 1, 99)

CLASSES = r"""
#include <TObject.h>
#include <array>
#include <bitset>
#include <map>
#include <string>
#include <utility>
#include <vector>
struct Cell { int a = 1; std::vector<float> w; virtual ~Cell() {} };
struct Special : Cell { int b = 5; };
class Hit : public TObject { public: int id = 0; float e = 0; std::vector<int> w; ClassDef(Hit, 2) };
using Levels = std::vector<std::vector<std::vector<float>>>;
struct Table { float rows[2][3] = {}; std::vector<std::vector<int>> lists; };
struct Bank {
   int first = 1;
   Levels levels;
   std::vector<Table> tables;
   short cube[2][1][3] = {};
   std::bitset<12> bits;
   std::vector<std::bitset<8>> words;
   std::vector<Cell *> cells;
   std::vector<Hit *> hits;
   std::vector<Hit *> more;
   int last = 9;
};
struct Odd { std::vector<Cell *> plain, mixed, holes, twice; std::vector<Cell> single[1], couple[2]; };
enum Mood : int { kSad = -3, kGlad = 77 };
struct Moods {
   int first = 1;
   std::vector<Mood> list;
   std::vector<std::vector<Mood>> lists;
   std::map<int, Mood> map;
   std::pair<int, Mood> pair;
   std::vector<std::pair<int, Mood>> pairs;
   Cell cell;
   int last = 9;
};
using Pair = std::array<float, 2>;
struct Maps {
   int first = 1;
   std::map<int, Pair> one;
   std::vector<std::map<int, Pair>> several;
   std::map<int, std::pair<int, Pair>> pairs;
   std::vector<std::map<std::array<short, 3>, std::array<double, 1>>> keys;
   std::vector<std::multimap<int, std::array<std::string, 2>>> texts;
   int last = 9;
};
using Grid = std::array<std::array<int, 2>, 3>;
struct Grids {
   std::vector<Grid> list;
   std::vector<std::map<int, Grid>> maps;
};
struct Lists { std::vector<std::map<int, Mood>> maps; int last = 9; };
struct Wave { int n = 0; float *a = nullptr; //[n]
};
struct Station { int id = 0; std::vector<Wave> waves; };
#ifdef __CLING__
#pragma link C++ class Wave+;
#pragma link C++ class Station+;
#pragma link C++ class std::vector<Wave>+;
#pragma link C++ class std::vector<Station>+;
#pragma link C++ class std::vector<std::array<int,3>>+;
#pragma link C++ class Cell+;
#pragma link C++ class std::vector<Cell>+;
#pragma link C++ class Special+;
#pragma link C++ class Hit+;
#pragma link C++ class Table+;
#pragma link C++ class Bank+;
#pragma link C++ class std::vector<Table>+;
#pragma link C++ class std::vector<std::vector<int>>+;
#pragma link C++ class std::vector<std::vector<float>>+;
#pragma link C++ class std::vector<std::vector<std::vector<float>>>+;
#pragma link C++ class Odd+;
#pragma link C++ class std::bitset<12>+;
#pragma link C++ class std::bitset<8>+;
#pragma link C++ class std::vector<std::bitset<8>>+;
#pragma link C++ class std::vector<Cell*>+;
#pragma link C++ class std::vector<Hit*>+;
#pragma link C++ class Maps+;
#pragma link C++ class std::map<int,Pair>+;
#pragma link C++ class std::vector<std::map<int,Pair>>+;
#pragma link C++ class std::map<int,std::pair<int,Pair>>+;
#pragma link C++ class std::map<std::array<short,3>,std::array<double,1>>+;
#pragma link C++ class std::vector<std::map<std::array<short,3>,std::array<double,1>>>+;
#pragma link C++ class std::multimap<int,std::array<std::string,2>>+;
#pragma link C++ class std::vector<std::multimap<int,std::array<std::string,2>>>+;
#pragma link C++ enum Mood;
#pragma link C++ class Moods+;
#pragma link C++ class std::vector<Mood>+;
#pragma link C++ class std::vector<std::vector<Mood>>+;
#pragma link C++ class std::map<int,Mood>+;
#pragma link C++ class std::map<Mood,int>+;
#pragma link C++ class std::pair<Mood,int>+;
#pragma link C++ class std::vector<std::map<int,Mood>>+;
#pragma link C++ class std::vector<std::array<std::array<int,2>,3>>+;
#pragma link C++ class std::map<int,std::array<std::array<int,2>,3>>+;
#pragma link C++ class std::pair<int,std::array<std::array<int,2>,3>>+;
#pragma link C++ class std::vector<std::map<int,std::array<std::array<int,2>,3>>>+;
#pragma link C++ class Grids+;
#pragma link C++ class Lists+;
#pragma link C++ class std::pair<int,Mood>+;
#pragma link C++ class std::vector<std::pair<int,Mood>>+;
#endif
"""

WRITE = r"""
void write_banks(const char *path, int entries) {
   TFile file(path, "RECREATE", "", 0);  // so that damage reaches the objects
   for (const int split : {0, 1, 99}) {
      TTree tree(("t" + std::to_string(split)).c_str(), "banks");
      auto *bank = new Bank;
      std::vector<Hit *> hits;
      Levels levels;
      Int_t x = 0;
      tree.Branch("x", &x);
      tree.Branch("levels", &levels, 2000, split);
      tree.Branch("bank.", &bank, 2000, split);
      tree.Branch("hits", &hits, 2000, split);
      auto *odd = new Odd;
      std::vector<std::array<int, 3>> triples;
      std::vector<Table> named;
      const auto level = std::exchange(gErrorIgnoreLevel, kFatal);  // it says that it does not find their numbers
      tree.Branch("odd.", &odd, 2000, split);
      tree.Branch("triples", &triples, 2000, split);
      tree.Branch("named[1]", &named, 2000, split);
      gErrorIgnoreLevel = level;
      std::vector<Station> stations;
      tree.Branch("stations", &stations, 400, split);
      auto *moods = new Moods;
      tree.Branch("moods.", &moods, 400, split);
      for (x = 0; x < entries; ++x) {
         *bank = Bank();
         *odd = Odd();
         odd->single[0].assign(2, Cell());
         odd->couple[1].assign(2, Cell());
         named.assign(x % 2, Table());
         triples.assign(x % 3, {x, x + 1, x + 2});
         stations.assign(x % 3, Station());
         for (Station &station : stations) {
            station.id = x;
            for (int k = 0; k < 2; ++k) station.waves.push_back({(x + k) % 3, new float[2]{0.5f * x, 1.0f + k}});
         }
         *moods = Moods();
         moods->first = x; moods->last = -x; moods->cell.a = 7 * x;
         moods->pair = {x, x % 2 ? kSad : kGlad};
         for (int k = 0; k < x % 5; ++k) {
            moods->list.push_back(k % 2 ? kSad : kGlad);
            moods->lists.push_back(moods->list);
            moods->map[k] = kGlad;
            moods->pairs.emplace_back(k, kSad);
         }
         hits.clear();
         levels.assign(x % 3, {{0.5f * x, -1.f}, {}});
         if (x % 4 == 1) levels.push_back({});
         bank->levels = levels;
         for (int k = 0; k < 6; ++k) bank->cube[k / 3][0][k % 3] = x + k;
         for (int k = 0; k < x % 3; ++k) {
            bank->tables.emplace_back();
            for (int i = 0; i < 6; ++i) bank->tables.back().rows[i / 3][i % 3] = 100 * x + 10 * k + i;
            bank->tables.back().lists.assign(k + 1, std::vector<int>(x % 2, x));
         }
         bank->first = x; bank->last = -x; bank->bits = 37 * x;
         for (int k = 0; k < x % 4; ++k) {
            bank->words.emplace_back(x + k);
            auto *cell = new Cell;
            cell->a = 10 * x + k; cell->w.assign(k, x);
            bank->cells.push_back(cell);
            for (auto *list : {&bank->hits, &bank->more, &hits}) {
               auto *hit = new Hit;
               hit->id = 10 * x + k; hit->e = 0.5f * k; hit->w.assign(k, -x);
               list->push_back(hit);
            }
            odd->plain.push_back(new Cell);
            odd->mixed.push_back(k % 2 ? new Special : new Cell);
            odd->holes.push_back(k % 2 ? nullptr : new Cell);
            odd->twice.push_back(odd->plain.front());
         }
         tree.Fill();
      }
      tree.Write();
   }
}

// Pairs as their members, one after the other, or as a whole.
void write_maps(const char *path, int entries, bool member_wise) {
   TFile file(path, "RECREATE");
   TVirtualStreamerInfo::SetStreamMemberWise(member_wise);
   TTree tree("maps", "");
   auto *maps = new Maps;
   tree.Branch("maps.", &maps, 400, 0);
   TTree odd("odd", "");
   auto *grids = new Grids;
   auto *lists = new Lists;
   std::map<int, Grid> map;
   odd.Branch("grids.", &grids, 400, 0);
   odd.Branch("lists.", &lists, 400, 0);
   odd.Branch("map", &map, 400, 0);
   std::map<Mood, int> moods;
   odd.Branch("moods", &moods, 400, 0);
   for (int x = 0; x < entries; ++x) {
      *maps = Maps();
      maps->first = x; maps->last = -x;
      for (int k = 0; k < x % 4; ++k) {
         maps->one[k] = {x + 0.5f, k + 0.25f};
         maps->several.push_back(maps->one);
         maps->pairs[k] = {x, {k + 0.5f, x + 0.25f}};
         maps->keys.push_back({{{short(x), short(k), 1}, {x + 0.75}}});
         maps->texts.push_back({{x, {std::string(x % 3, 'a'), "b"}}, {x, {"", std::string(k, 'c')}}});
      }
      tree.Fill();
      const Grid grid = {{{x, x + 1}, {x + 2, x + 3}, {x + 4, x + 5}}};
      *grids = {{grid}, {{{x, grid}}}};
      *lists = {{{{x, kGlad}}}, -x};
      moods = {{kSad, x}, {kGlad, -x}};
      map = {{x, grid}};
      odd.Fill();
   }
   tree.Write();
   odd.Write();
}
"""

READ = r"""
template <typename List, typename Show>
std::string listed(const List &list, Show show) {
   std::string text;
   for (const auto &each : list) text += (text.empty() ? "" : ", ") + show(each);
   return "[" + text + "]";
}
template <size_t N>
std::string shown(const std::bitset<N> &bits) {
   std::string text;
   for (size_t k = 0; k < N; ++k) text += std::string(k ? ", " : "") + (bits.test(k) ? "true" : "false");
   return "[" + text + "]";
}
template <typename List>
std::string numbers(const List &list) { return listed(list, [](auto x) { return std::to_string(x); }); }

template <typename Rows>
std::string table(const Rows &rows) { return listed(rows, [](const auto &row) { return numbers(row); }); }
template <typename Tables>
std::string tables(const Tables &all) { return listed(all, [](const auto &each) { return table(each); }); }

template <typename Show>
std::string waves_of(const std::vector<Station> &stations, Show show) {
   return listed(stations, [&](const Station &each) { return listed(each.waves, show); });
}

void show_hits(std::map<std::string, std::string> &values, const std::string &name, const std::vector<Hit *> &hits) {
   values[name + "_id"] = listed(hits, [](const Hit *hit) { return std::to_string(hit->id); });
   values[name + "_e"] = listed(hits, [](const Hit *hit) { return std::to_string(hit->e); });
   values[name + "_w"] = listed(hits, [](const Hit *hit) { return numbers(hit->w); });
}

// A line for each event.
void read_banks(const char *path, int split) {
   TFile file(path);
   auto *tree = file.Get<TTree>(("t" + std::to_string(split)).c_str());
   tree->SetBranchStatus("odd.*", false);
   Bank *bank = nullptr;
   std::vector<Hit *> *hits = nullptr;
   Levels *levels = nullptr;
   Moods *moods = nullptr;
   std::vector<std::array<int, 3>> *triples = nullptr;
   tree->SetBranchAddress("triples", &triples);
   std::vector<Station> *stations = nullptr;
   tree->SetBranchAddress("stations", &stations);
   tree->SetBranchAddress("moods.", &moods);
   tree->SetBranchAddress("levels", &levels);
   tree->SetBranchAddress("bank.", &bank);
   tree->SetBranchAddress("hits", &hits);
   for (int x = 0; x < tree->GetEntries(); ++x) {
      tree->GetEntry(x);
      std::map<std::string, std::string> values;
      values["bank_first"] = std::to_string(bank->first);
      values["bank_last"] = std::to_string(bank->last);
      if (split == 0) values["triples__M_elems"] = table(*triples);
      values["stations_id"] = listed(*stations, [](const Station &each) { return std::to_string(each.id); });
      values["stations_waves_n"] = waves_of(*stations, [](const Wave &wave) { return std::to_string(wave.n); });
      values["stations_waves_a"] =
         waves_of(*stations, [](const Wave &wave) { return numbers(std::vector<float>(wave.a, wave.a + wave.n)); });
      values["moods_first"] = std::to_string(moods->first);
      values["moods_cell_a"] = std::to_string(moods->cell.a);
      values["moods_last"] = std::to_string(moods->last);
      values["levels"] = tables(*levels);
      values["bank_levels"] = tables(bank->levels);
      values["bank_cube"] = tables(bank->cube);
      values["bank_tables_rows"] = listed(bank->tables, [](const Table &each) { return table(each.rows); });
      values["bank_tables_lists"] = listed(bank->tables, [](const Table &each) { return table(each.lists); });
      values["bank_bits"] = shown(bank->bits);
      values["bank_words"] = listed(bank->words, [](const auto &bits) { return shown(bits); });
      values["bank_cells_a"] = listed(bank->cells, [](const Cell *cell) { return std::to_string(cell->a); });
      values["bank_cells_w"] = listed(bank->cells, [](const Cell *cell) { return numbers(cell->w); });
      show_hits(values, "bank_hits", bank->hits);
      show_hits(values, "bank_more", bank->more);
      show_hits(values, "hits", *hits);
      std::string text;
      for (const auto &[name, value] : values) text += (text.empty() ? "" : ", ") + ("\"" + name + "\": " + value);
      std::cout << "{" << text << "}" << std::endl;
   }
}
"""


@contextmanager
def root_with_classes(build_folder):
    """A ROOT with dictionaries of the classes, which it has compiled in the build unless they are there: it takes seconds."""
    made_of = CLASSES + importlib.metadata.version("ROOT")
    folder = build_folder / "tests" / "skims" / f"banks-{hashlib.sha256(made_of.encode()).hexdigest()[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    header, done = folder / "banks.h", folder / "done"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            for rest in folder.glob("banks*"):
                rest.unlink()
            header.write_text(CLASSES)
        code = (
            f"ROOT.gErrorIgnoreLevel = ROOT.kWarning; assert ROOT.gROOT.LoadMacro({str(header) + '+'!r}) == 0"
        )
        with prepared_root(f"{code}; ROOT.gInterpreter.Declare({WRITE + READ!r})") as root:
            done.touch()
            yield root


@pytest.fixture(scope="module")
def banks(build_folder, tmp_path_factory):
    """A file with one tree for each split level, and what ROOT reads of each."""
    path = tmp_path_factory.mktemp("banks") / "banks.root"
    with root_with_classes(build_folder) as root:
        root.run("ROOT.write_banks(sys.argv[1], int(sys.argv[2]))", path, NUM_EVENTS)
        read = {
            split: root.run("ROOT.read_banks(sys.argv[1], int(sys.argv[2]))", path, split) for split in SPLITS
        }
    events = {split: [json.loads(line) for line in text.splitlines()] for split, text in read.items()}
    return path, {
        split: {name: [each[name] for each in of_split] for name in of_split[0]}
        for split, of_split in events.items()
    }


@pytest.mark.parametrize("split", SPLITS)
def test_values_are_those_of_root(split, call, banks, tmp_path):
    path, of_root = banks
    done = call("convert", f"{path}:t{split}", "-o", tmp_path / "c.root", "--name", "Events")
    assert done.returncode in (DONE, INCOMPLETE), done.stderr
    columns = uproot.open(tmp_path / "c.root")["Events"].arrays()
    names = {name.replace(".", "_"): name for name in columns.fields}
    different = [
        name for name, expected in of_root[split].items() if columns[names[name]].to_list() != expected
    ]
    assert different == []


def written_maps(x):
    """Of event x."""
    few = range(x % 4)
    one = {k: [x + 0.5, k + 0.25] for k in few}
    several = [dict(list(one.items())[: k + 1]) for k in few]
    return {
        "first": x,
        "one_first": list(one),
        "one_second": list(one.values()),
        "several_first": [list(each) for each in several],
        "several_second": [list(each.values()) for each in several],
        "pairs_first": list(few),
        "pairs_second_first": [x for _ in few],
        "pairs_second_second": [[k + 0.5, x + 0.25] for k in few],
        "keys_first": [[[x, k, 1]] for k in few],
        "keys_second": [[[x + 0.75]] for _ in few],
        "texts_first": [[x, x] for _ in few],
        "texts_second": [[["a" * (x % 3), "b"], ["", "c" * k]] for k in few],
        "last": -x,
    }


@pytest.mark.parametrize("member_wise", [True, False])
def test_maps_of_arrays_are_those_that_were_written(member_wise, call, build_folder, tmp_path):
    with root_with_classes(build_folder) as root:
        write = "ROOT.write_maps(sys.argv[1], int(sys.argv[2]), sys.argv[3] == 'True')"
        root.run(write, tmp_path / "maps.root", NUM_EVENTS, member_wise)
    done = call("convert", "maps.root:maps", "-o", "c.root", cwd=tmp_path)
    assert done.returncode == DONE, done.stderr
    columns = uproot.open(tmp_path / "c.root")["maps"].arrays()
    rows = [written_maps(x) for x in range(NUM_EVENTS)]
    found = {name.replace(".", "_").removeprefix("maps_"): columns[name].to_list() for name in columns.fields}
    assert found == {name: [row[name] for row in rows] for name in rows[0]}


@pytest.mark.parametrize("member_wise", [True, False])
def test_what_pairs_and_arrays_lack_has_a_reason(member_wise, call, build_folder, tmp_path):
    """Of an array of arrays that is an object ROOT writes the first array."""
    with root_with_classes(build_folder) as root:
        write = "ROOT.write_maps(sys.argv[1], int(sys.argv[2]), sys.argv[3] == 'True')"
        root.run(write, tmp_path / "maps.root", NUM_EVENTS, member_wise)
    shown = json.loads(call("inspect", "--json", "maps.root:odd", cwd=tmp_path).stdout)["trees"]
    reasons = {each["name"]: each["reason"] for tree in shown for each in tree["unsupported"]}
    cut = {name for name, reason in reasons.items() if "only 2 values are written" in reason}
    assert cut == {"grids.list._M_elems", "grids.maps.second"} | (set() if member_wise else {"map"})
    unknown = {name for name, reason in reasons.items() if "the file does not describe class Mood" in reason}
    assert unknown == {"lists.maps.first", "lists.maps.second"} | (set() if member_wise else {"moods"})
    assert set(reasons) == cut | unknown
    done = call("convert", "maps.root:odd", "-o", "c.root", cwd=tmp_path)
    assert done.returncode == INCOMPLETE, done.stderr
    columns = uproot.open(tmp_path / "c.root")["odd"].arrays()
    assert columns["grids_maps_first"].to_list() == [[[x]] for x in range(NUM_EVENTS)]
    assert columns["lists_last"].to_list() == [-x for x in range(NUM_EVENTS)]
    if member_wise:
        assert columns["moods_first"].to_list() == [[-3, 77]] * NUM_EVENTS
        assert columns["moods_second"].to_list() == [[x, -x] for x in range(NUM_EVENTS)]
        assert columns["map_second"].to_list() == [
            [[[x, x + 1], [x + 2, x + 3], [x + 4, x + 5]]] for x in range(NUM_EVENTS)
        ]


def test_what_else_pointers_lead_to_has_a_reason(call, banks):
    done = call("inspect", "--json", banks[0])
    assert done.returncode == DONE, done.stderr
    expected = {
        "mixed": "an object of class Special in a list of pointers to Cell",
        "holes": "a pointer to no object in a list of Cell",
        "twice": "an object to which several pointers lead",
    }
    for tree in json.loads(done.stdout)["trees"]:
        unsupported = {each["name"]: each["reason"] for each in tree["unsupported"]}
        reasons = {name: reason for name, reason in unsupported.items() if name.startswith("odd")}
        if tree["name"] == "t0":
            assert set(reasons) == {"odd"}
            continue
        reasons = {name: reason for name, reason in reasons.items() if not name.startswith("odd.single")}
        assert set(reasons) == {f"odd.{name}" for name in expected}
        for name, reason in reasons.items():
            assert expected[name.split(".")[1]] in reason


def test_arrays_that_root_does_not_write_have_a_reason(call, banks):
    """It makes a branch of a split list of them, and finds no numbers for it."""
    for tree in json.loads(call("inspect", "--json", banks[0]).stdout)["trees"]:
        reasons = {each["name"]: each["reason"] for each in tree["unsupported"]}
        found = reasons.get("triples._M_elems", "")
        expected = (
            "" if tree["name"] == "t0" else "in split objects cannot be read: it may not have been written"
        )
        assert expected in found and bool(expected) == bool(found)


def test_arrays_of_one_collection_that_root_does_not_write_have_a_reason(call, banks):
    """It splits them as if they were the collection, and finds nothing."""
    for tree in json.loads(call("inspect", "--json", banks[0]).stdout)["trees"]:
        reasons = {each["name"]: each["reason"] for each in tree["unsupported"]}
        columns = {each["name"] for each in tree["columns"]}
        assert {"named.rows", "named.lists"} <= columns
        if tree["name"] == "t0":
            continue
        assert {"odd.couple.a", "odd.couple.w"} <= columns
        single = {name: reason for name, reason in reasons.items() if name.startswith("odd.single")}
        if tree["name"] == "t99":
            assert set(single) == {"odd.single", "odd.single.a", "odd.single.w"}
            assert all("has not been written" in reason for reason in single.values())
        else:
            assert not single and {"odd.single.a", "odd.single.w"} <= columns


def test_lists_of_enumerations_have_a_reason(call, banks):
    """The file says nothing of them but their name."""
    for tree in json.loads(call("inspect", "--json", banks[0]).stdout)["trees"]:
        reasons = {each["name"]: each["reason"] for each in tree["unsupported"]}
        assert "the file does not describe class Mood" in reasons["moods.list"]
        assert "moods.map.first" not in reasons


def test_damaged_copies_are_read_or_refused(verify_damaged_copies, banks):
    """Never a crash."""
    verify_damaged_copies(banks[0], seed=11)
