# SPDX-License-Identifier: BSD-3-Clause
"""TTrees of all kinds of branches and writers, merged basket by basket: as ROOT and uproot read them."""

import os
import resource
import shutil
import subprocess
from pathlib import Path

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DONE, FAILED
from tree_files import data_folder, sample_files

ROOT = pytest.importorskip("ROOT", reason="ROOT is the oracle of these tests")
from root_trees import write_kinds, write_numbers  # noqa: E402

ROOT.gInterpreter.Declare(
    """
    // In what a tree differs from others one behind the other: numbers of entries, bytes read of each entry,
    // all values of plain leaves. Empty if in nothing.
    std::string DifferenceOfTrees(const char *merged, const std::vector<std::string> &parts, const char *name) {
      auto file = std::unique_ptr<TFile>(TFile::Open(merged));
      if (!file || file->TestBit(TFile::kRecovered)) return "not readable";
      auto *tree = file->Get<TTree>(name);
      if (!tree) return "no tree";
      Long64_t entry = 0;
      for (const auto &path : parts) {
        auto part = std::unique_ptr<TFile>(TFile::Open(path.c_str()));
        auto *from = part->Get<TTree>(name);
        for (Long64_t i = 0; i < from->GetEntries(); ++i, ++entry) {
          const auto place = " of entry " + std::to_string(entry);
          if (tree->GetEntry(entry) != from->GetEntry(i)) return "bytes" + place;
          for (auto *object : *from->GetListOfLeaves()) {
            auto *theirs = static_cast<TLeaf *>(object);
            if (theirs->InheritsFrom("TLeafElement") || theirs->InheritsFrom("TLeafObject")) continue;
            auto *branch = theirs->GetBranch();
            auto *ours = tree->GetLeaf(branch->GetName(), theirs->GetName());
            if (!ours) return std::string("no leaf ") + theirs->GetName();
            const int length = theirs->GetLen();
            if (theirs->InheritsFrom("TLeafC")) {
              if (strcmp((char *)ours->GetValuePointer(), (char *)theirs->GetValuePointer()))
                return std::string(theirs->GetName()) + place;
            } else if (ours->GetLen() != length) {
              return std::string("length of ") + theirs->GetName() + place;
            } else if (memcmp(ours->GetValuePointer(), theirs->GetValuePointer(), length * theirs->GetLenType())) {
              return std::string(theirs->GetName()) + place;
            }
          }
        }
      }
      return entry == tree->GetEntries() ? "" : "number of entries";
    }

    std::vector<Long64_t> ClusterBegins(const char *path, const char *name, Long64_t shift) {
      auto file = std::unique_ptr<TFile>(TFile::Open(path));
      auto *tree = file->Get<TTree>(name);
      std::vector<Long64_t> begins;
      auto clusters = tree->GetClusterIterator(0);
      for (auto begin = clusters(); begin < tree->GetEntries(); begin = clusters()) begins.push_back(begin + shift);
      return begins;
    }

    // Lists, nested lists and texts as classes, and an index.
    void WriteClasses(const char *path, int entries, int first, bool indexed) {
      auto file = std::unique_ptr<TFile>(TFile::Open(path, "RECREATE", "", 404));
      TTree tree("dir", "classes");
      tree.SetAutoFlush(40);
      int run = 0, event = 0;
      std::vector<float> list; std::vector<std::vector<int>> nested; std::string text;
      std::vector<std::string> texts;
      tree.Branch("run", &run); tree.Branch("event", &event); tree.Branch("list", &list, 500);
      tree.Branch("nested", &nested, 700); tree.Branch("text", &text, 300); tree.Branch("texts", &texts, 300);
      for (int i = first; i < first + entries; ++i) {
        run = 3 - i / 100; event = (i * 37) % 100;
        list.assign(i % 5, 0.5f * i); nested.assign(i % 3, std::vector<int>(i % 4, i));
        text = std::string(i % 7, 'a' + i % 26); texts.assign(i % 4, text);
        tree.Fill();
      }
      tree.SetAlias("twice", "2 * event");
      if (indexed) tree.BuildIndex("run", "event");
      tree.Write();
    }

    void WriteFriends(const char *path, const char *where, int more = 0) {
      auto file = std::unique_ptr<TFile>(TFile::Open(path, "RECREATE"));
      int x = 0, y = 0;
      TTree other("other", ""); other.Branch("y", &y);
      TTree tree("t", ""); tree.Branch("x", &x);
      for (int i = 0; i < 20; ++i) { x = i; y = i * i; tree.Fill(); other.Fill(); }
      for (int i = 0; i < more; ++i) other.Fill();
      tree.AddFriend("other", where);
      other.Write(); tree.Write();
    }

    void WriteClones(const char *path, int longest) {
      auto file = std::unique_ptr<TFile>(TFile::Open(path, "RECREATE"));
      TTree tree("t", "");
      auto *points = new TClonesArray("TLorentzVector");
      // That it is split though its class writes itself.
      const auto ignored = std::exchange(gErrorIgnoreLevel, kError);
      tree.Branch("points", &points, 32000, 99);
      gErrorIgnoreLevel = ignored;
      for (int entry = 0; entry < 51; ++entry) {
        points->Clear();
        for (int i = 0; i < entry % (longest + 1); ++i) new ((*points)[i]) TLorentzVector(0, 0, i, entry);
        tree.Fill();
      }
      tree.Write();
    }

    void WriteUserInfo(const char *path) {
      auto file = std::unique_ptr<TFile>(TFile::Open(path, "RECREATE"));
      int x = 0;
      TTree tree("t", ""); tree.Branch("x", &x); tree.Fill();
      tree.GetUserInfo()->Add(new TNamed("who", "me"));
      tree.Write();
    }
    """
)


def call(skimline: Path, *arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    command = [skimline, "merge", "-f", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def merge(skimline: Path, target: Path, *arguments: object) -> str:
    done = call(skimline, target, *arguments)
    assert done.returncode == DONE, done.stderr
    return done.stdout


def paths(*parts: Path) -> "ROOT.std.vector":
    return ROOT.std.vector["std::string"]([str(part) for part in parts])


def assert_merged(target: Path, *parts: Path, name: str = "t", by_root: bool = True) -> None:
    """`by_root` is whether ROOT reads the parts."""
    wrong = set().union(
        *(names for begin, names in WRONG_IN_UPROOT.items() if parts[0].name.startswith(begin))
    )
    if by_root:
        assert str(ROOT.DifferenceOfTrees(str(target), paths(*parts), name)) == ""
    with uproot.open(target) as file:
        merged = file[name]
        trees = [uproot.open(part)[name] for part in parts]
        assert merged.num_entries == sum(tree.num_entries for tree in trees)
        assert merged.keys() == trees[0].keys()
        for key in merged.keys():
            if key.split("/")[-1] in wrong:
                continue
            try:
                expected = [tree[key].array() for tree in trees]
            except Exception:  # what uproot does not read of the parts
                continue
            assert same(merged[key].array(), expected), key


def same(found: ak.Array, parts: list[ak.Array]) -> bool:
    return repr(ak.to_list(found)) == repr([value for part in parts for value in ak.to_list(part)])


@pytest.fixture
def kinds(tmp_path: Path) -> list[Path]:
    return [
        write_kinds(tmp_path / f"{seed}.root", entries=entries, seed=seed, cluster=cluster)
        for seed, entries, cluster in ((1, 1000, 130), (2, 333, 100), (3, 1, 130), (4, 700, 130))
    ]


@pytest.mark.parametrize("options", [(), ("--no-verify",), ("--compression", "zlib:1")], ids=str)
def test_plain_branches(kinds, skimline: Path, tmp_path: Path, options) -> None:
    target = tmp_path / "m.root"
    merge(skimline, target, *options, *kinds)
    assert_merged(target, *kinds)


@pytest.mark.parametrize("compression", [0, 101, 207, 404])
def test_compressions(skimline: Path, tmp_path: Path, compression: int) -> None:
    parts = [
        write_kinds(tmp_path / f"{seed}.root", entries=300, seed=seed, compression=compression)
        for seed in (1, 2)
    ]
    merge(skimline, tmp_path / "m.root", *parts)
    assert_merged(tmp_path / "m.root", *parts)


@pytest.mark.parametrize("first", [0, 2], ids=["of many entries", "of one entry"])
def test_clusters_sizes_and_ranges_of_leaves(kinds, skimline: Path, tmp_path: Path, first: int) -> None:
    target, kinds = tmp_path / "m.root", kinds[first:] + kinds[:first]
    merge(skimline, target, *kinds)
    expected, shift = [], 0
    files = [ROOT.TFile.Open(str(path)) for path in kinds]
    trees = [file.Get("t") for file in files]
    for path, tree in zip(kinds, trees, strict=True):
        expected += list(ROOT.ClusterBegins(str(path), "t", shift))
        shift += tree.GetEntries()
    assert list(ROOT.ClusterBegins(str(target), "t", 0)) == expected
    file = ROOT.TFile.Open(str(target))
    merged = file.Get("t")
    for leaf in merged.GetListOfLeaves():
        name = leaf.GetName()
        if leaf.ClassName() in ("TLeafI", "TLeafS", "TLeafC"):
            assert leaf.GetMaximum() == max(tree.GetLeaf(name).GetMaximum() for tree in trees), name
        if leaf.ClassName() == "TLeafC":
            assert leaf.GetLenStatic() == max(tree.GetLeaf(name).GetLenStatic() for tree in trees)
    for branch in merged.GetListOfBranches():
        others = [tree.GetBranch(branch.GetName()) for tree in trees]
        assert branch.GetZipBytes() == sum(other.GetZipBytes() for other in others)
        assert branch.GetTotBytes() == sum(other.GetTotBytes() for other in others)
    assert merged.GetZipBytes() == sum(tree.GetZipBytes() for tree in trees)


def test_later_files_may_have_longer_collections(skimline: Path, tmp_path: Path) -> None:
    """ROOT reads no more elements of a TClonesArray than the branch says that there are at the most."""
    for number, longest in enumerate((2, 50, 7)):
        ROOT.WriteClones(str(tmp_path / f"{number}.root"), longest)
    parts = [tmp_path / f"{number}.root" for number in range(3)]
    merge(skimline, tmp_path / "m.root", *parts)
    assert_merged(tmp_path / "m.root", *parts)
    file = ROOT.TFile.Open(str(tmp_path / "m.root"))
    tree = file.Get("t")
    assert tree.GetBranch("points").GetMaximum() == 50
    counts = [tree.Draw("points.fE", "", "goff", 51, 51 * part) for part in range(3)]
    assert counts == [sum(entry % (longest + 1) for entry in range(51)) for longest in (2, 50, 7)]


def test_lists_texts_and_their_index(skimline: Path, tmp_path: Path) -> None:
    parts = [tmp_path / f"{number}.root" for number in range(3)]
    for number, path in enumerate(parts):
        ROOT.WriteClasses(str(path), 90, 90 * number, True)
    merge(skimline, tmp_path / "m.root", *parts)
    assert_merged(tmp_path / "m.root", *parts, name="dir")
    file = ROOT.TFile.Open(str(tmp_path / "m.root"))
    tree = file.Get("dir")
    for entry in range(tree.GetEntries()):
        assert tree.GetEntryNumberWithIndex(3 - entry // 100, (entry * 37) % 100) == entry
    assert tree.GetAlias("twice") == "2 * event"
    assert tree.Draw("twice:list", "", "goff") == sum(entry % 5 for entry in range(270))


def test_files_without_the_index_are_not_merged_with_others(skimline: Path, tmp_path: Path) -> None:
    for number, indexed in enumerate((True, False)):
        ROOT.WriteClasses(str(tmp_path / f"{number}.root"), 9, 0, indexed)
    done = call(skimline, tmp_path / "m.root", tmp_path / "0.root", tmp_path / "1.root")
    assert done.returncode == FAILED
    assert "weight, aliases, friends or index are not those of" in done.stderr


def test_friends(skimline: Path, tmp_path: Path) -> None:
    inside, outside = tmp_path / "in.root", tmp_path / "out.root"
    ROOT.WriteFriends(str(inside), "")
    shutil.copy(inside, tmp_path / "copy.root")
    ROOT.WriteFriends(str(outside), "elsewhere.root")
    merge(skimline, tmp_path / "m.root", "--allow-overlap", inside, tmp_path / "copy.root")
    file = ROOT.TFile.Open(str(tmp_path / "m.root"))
    assert file.Get("t").Draw("x * x - other.y", "x * x == other.y", "goff") == 40
    done = call(skimline, tmp_path / "n.root", outside)
    assert done.returncode == FAILED
    assert 'the friend "other" lies in another file, elsewhere.root' in done.stderr


def test_friends_of_other_lengths_are_refused_before_others(skimline: Path, tmp_path: Path) -> None:
    even, longer, last = (tmp_path / f"{name}.root" for name in ("even", "longer", "last"))
    for path, more in ((even, 0), (longer, 2), (last, 2)):
        ROOT.WriteFriends(str(path), "", more)
    done = call(skimline, tmp_path / "m.root", longer, last)
    assert done.returncode == FAILED
    assert 'the friend "other" has not as many entries as the tree' in done.stderr
    assert f"would go with others, in {longer}\n" in done.stderr
    merge(skimline, tmp_path / "m.root", even, last)
    file = ROOT.TFile.Open(str(tmp_path / "m.root"))
    assert file.Get("t").Draw("x * x - other.y", "x * x == other.y", "goff") == 40


def test_objects_of_users_are_refused_by_name(skimline: Path, tmp_path: Path) -> None:
    ROOT.WriteUserInfo(str(tmp_path / "a.root"))
    done = call(skimline, tmp_path / "m.root", tmp_path / "a.root")
    assert done.returncode == FAILED
    assert "a list of user's objects (TList) cannot be merged" in done.stderr


def write_by_uproot(path: Path, seed: int, size: int = 500) -> Path:
    random = np.random.default_rng(seed)
    counts = random.integers(0, 5, size)
    with uproot.recreate(path, compression=uproot.LZ4(4)) as file:
        file.mktree("t", {"x": "f8", "n": "int32", "Jet": "var * float32"})
        for begin in range(0, size, 100):
            lists = ak.unflatten(
                random.random(counts[begin : begin + 100].sum()), counts[begin : begin + 100]
            )
            file["t"].extend({"x": random.random(100), "n": counts[begin : begin + 100], "Jet": lists})
    return path


def test_files_of_uproot(skimline: Path, tmp_path: Path) -> None:
    parts = [write_by_uproot(tmp_path / f"{seed}.root", seed) for seed in range(3)]
    merge(skimline, tmp_path / "m.root", *parts)
    assert_merged(tmp_path / "m.root", *parts)


# Why files of others cannot be merged.
REFUSED = {
    "fr.root": "lies in another file",
}
# Of classes without dictionaries, for which ROOT crashes, and lists of Float16_t, which ROOT 6.40 misreads where their
# offsets are generated.
WITHOUT_ROOT = {"ev_s0.root", "ev_s1.root", "ev_s99.root", "types_genoff.root"}
# What uproot 5.7 reads wrongly, by the beginnings of files.
WRONG_IN_UPROOT = {
    "types_": {"C", "f16r", "da"},
    "embedded_genoff": {"C"},
    "stl_genoff": {"s", "ts"},
    "ev_s": {"f16r", "parts.tlab", "ev.f16r", "ev.parts.tlab", "lead.one.a"},
}


@pytest.mark.thorough(quick=4)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of files without StreamerInfo
@pytest.mark.parametrize("path", sample_files(), ids=lambda path: path.name)
def test_files_made_by_others(skimline: Path, tmp_path: Path, path: Path) -> None:
    """Each with a copy of itself, tree by tree."""
    name = path.name
    copy = shutil.copy(path, tmp_path / "copy.root")
    with uproot.open(path) as file:
        trees = [
            key.split(";")[0]
            for key, kind in file.classnames(recursive=True).items()
            if kind in ("TTree", "TNtuple")
        ]
    for tree in trees:
        target = tmp_path / "m.root"
        done = call(skimline, target, "--allow-overlap", "--include", tree, path, copy)
        if done.returncode != DONE:
            assert REFUSED[name] in done.stderr
            continue
        assert_merged(target, path, Path(copy), name=tree, by_root=name not in WITHOUT_ROOT)


@pytest.mark.thorough
def test_baskets_in_the_object_of_the_tree(skimline: Path, tmp_path: Path) -> None:
    source = data_folder() / "nanoAOD_2015_CMS_Open_Data_ttbar.root"
    if not source.exists():
        pytest.skip("needs files made by others: set SKIMLINE_TEST_DATA to their folder")
    copy = Path(shutil.copy(source, tmp_path / "copy.root"))
    target = tmp_path / "m.root"
    merge(skimline, target, "--allow-overlap", "--include", "Events", source, copy)
    assert_merged(target, source, copy, name="Events")


def differing(tmp_path: Path) -> list[Path]:
    return [
        write_numbers(tmp_path / "1.root", extra="weight"),
        write_numbers(tmp_path / "2.root", number="Float_t"),
        write_numbers(tmp_path / "3.root", number="Float_t", extra="other"),
    ]


def test_all_differences_are_listed(skimline: Path, tmp_path: Path) -> None:
    one, two, three = differing(tmp_path)
    done = call(skimline, tmp_path / "m.root", one, two, three)
    assert done.returncode == FAILED
    assert f'"number" is number/I in {one} and number/F in {two} and 1 more' in done.stderr
    assert f'"Jet_pt" is Jet_pt[nJet]/I in {one} and Jet_pt[nJet]/F in {two} and 1 more' in done.stderr
    assert f'"weight" is missing in {two} and 1 more' in done.stderr
    assert f'"other" is missing in {one}, and is in {three}' in done.stderr
    assert '"nJet"' not in done.stderr
    assert not (tmp_path / "m.root").exists()


def test_branches_with_other_numbers_of_entries(skimline: Path, tmp_path: Path) -> None:
    ROOT.WriteUneven(str(tmp_path / "a.root"), 50)
    done = call(skimline, tmp_path / "m.root", tmp_path / "a.root")
    assert done.returncode == FAILED
    assert '"less" has 47 of 50 entries in' in done.stderr
    assert '"more" has 55 of 50 entries in' in done.stderr


def test_a_tree_and_an_ntuple_of_one_name(skimline: Path, tmp_path: Path) -> None:
    write_numbers(tmp_path / "1.root")
    with uproot.recreate(tmp_path / "2.root") as file:
        file.mkrntuple("t", {"number": np.arange(3)})
    done = call(skimline, tmp_path / "m.root", tmp_path / "1.root", tmp_path / "2.root")
    assert done.returncode == FAILED
    assert '"t" is a TTree in' in done.stderr


def basket_of(path: Path, branch: str, number: int) -> tuple[int, int]:
    """Where the payload of a basket begins, and its size."""
    with uproot.open(path) as file:
        found = file["t"][branch]
        basket = found.basket(number)
        return found.member("fBasketSeek")[number] + basket.member("fKeylen"), basket.compressed_bytes


def damage(path: Path, branch: str, number: int) -> None:
    begin, size = basket_of(path, branch, number)
    content = bytearray(path.read_bytes())
    content[begin + size // 2] ^= 0x10
    path.write_bytes(content)


def test_a_damaged_basket_is_an_error_with_its_place(skimline: Path, tmp_path: Path) -> None:
    parts = [
        write_kinds(tmp_path / f"{seed}.root", entries=2000, basket=4000, seed=seed, compression=404)
        for seed in (1, 2)
    ]
    damage(parts[1], "list", 2)
    target = tmp_path / "m.root"
    done = call(skimline, target, *parts)
    assert done.returncode == FAILED
    assert f'{parts[1]}: TTree "t", branch "list", basket 2, entries ' in done.stderr
    assert not target.exists()
    merge(skimline, target, "--no-verify", *parts)
    verified = subprocess.run([skimline, "verify", target], capture_output=True, text=True, check=False)
    assert verified.returncode == FAILED


def test_merging_in_a_tree_gives_the_bytes_of_merging_at_once(kinds, skimline: Path, tmp_path: Path) -> None:
    merge(skimline, tmp_path / "all.root", *kinds)
    merge(skimline, tmp_path / "a.root", *kinds[:2])
    merge(skimline, tmp_path / "b.root", *kinds[2:])
    merge(skimline, tmp_path / "ab.root", tmp_path / "a.root", tmp_path / "b.root")
    merge(skimline, tmp_path / "again.root", tmp_path / "all.root")
    expected = (tmp_path / "all.root").read_bytes()
    assert (tmp_path / "ab.root").read_bytes() == expected
    assert (tmp_path / "again.root").read_bytes() == expected


def test_bytes_do_not_depend_on_threads(kinds, skimline: Path, tmp_path: Path) -> None:
    contents = []
    for threads in (1, 2, 5):
        merge(skimline, tmp_path / "m.root", "-j", threads, *kinds)
        contents.append((tmp_path / "m.root").read_bytes())
    assert contents[0] == contents[1] == contents[2]


def test_trees_histograms_and_ntuples(skimline: Path, tmp_path: Path) -> None:
    parts = []
    for seed in (1, 2):
        path = tmp_path / f"{seed}.root"
        with uproot.recreate(path) as file:
            file.mkrntuple("rows", {"y": np.arange(100.0) + seed})
            file["h"] = np.histogram(np.arange(100.0), 10, (0, 100))
        parts.append(write_numbers(write_kinds(path, name="dir/kinds", entries=200, seed=seed), first=seed))
    out = merge(skimline, tmp_path / "m.root", *parts)
    assert out.startswith("1 RNTuple, 2 TTrees, 1 histogram of 2 files")
    assert_merged(tmp_path / "m.root", *parts)
    assert_merged(tmp_path / "m.root", *parts, name="dir/kinds")
    with uproot.open(tmp_path / "m.root") as file:
        assert file["rows"]["y"].array().to_list() == [x + seed for seed in (1, 2) for x in range(100)]
        assert file["h"].values().tolist() == [20] * 10


def test_many_inputs_with_few_open_files(skimline: Path, tmp_path: Path) -> None:
    count, most = 600, 64
    parts = [write_numbers(tmp_path / f"{number}.root", entries=5, first=number) for number in range(count)]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

    done = call(skimline, tmp_path / "m.root", "-j", 2, *parts, preexec_fn=limit)
    assert done.returncode == DONE, done.stderr
    with uproot.open(tmp_path / "m.root") as file:
        numbers = file["t"]["number"].array().to_list()
    assert numbers == [number + entry for number in range(count) for entry in range(5)]
    assert os.listdir(tmp_path).count("m.root") == 1


def test_root_merges_merged_trees(kinds, skimline: Path, tmp_path: Path) -> None:
    merge(skimline, tmp_path / "m.root", *kinds[:2])
    merger = ROOT.TFileMerger(False)
    merger.OutputFile(str(tmp_path / "n.root"), True)
    for part in (tmp_path / "m.root", kinds[2]):
        merger.AddFile(str(part), False)
    assert merger.Merge()
    assert_merged(tmp_path / "n.root", *kinds[:3])
