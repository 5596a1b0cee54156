# SPDX-License-Identifier: BSD-3-Clause
"""Branches of classes: each becomes columns or is listed, and what cannot be decoded is not called damaged."""

import json
import re

import pytest
import ROOT
import uproot
from exit_codes import DONE, FAILED, INCOMPLETE, WRONG_USAGE
from tree_files import tree_files_for_uproot

ROOT.gInterpreter.Declare(
    """
    struct EmptyClass {};
    struct CustomClass { int a = 1; float b = 2; };
    struct HolderOfCustom { int before = 3; CustomClass custom; int after = 4; };
    struct HolderOfMany {
      int first = 1; TDatime when; TArrayI array; TRef ref; TRefArray refs; TBits bits; TMatrixDSym matrix; TString text;
      TNamed *pointer = nullptr; TVector3 vector; int last = 7;
    };
    struct PlainPoint { int q = 0; float x = 0; };
    struct HolderOfPointers {
      int first = 1; int n = 0; PlainPoint *counted = nullptr; //[n]
      TNamed *two[2] = {nullptr, nullptr}; std::vector<int> *lists[2] = {new std::vector<int>, new std::vector<int>};
      TNamed *owned[2] = {new TNamed, new TNamed}; //->
      int last = 7;
    };
    struct HoldersOfPointers { int before = 3; std::vector<HolderOfPointers> holders; int after = 4; };
    struct HolderOfDatime { int before = 3; TDatime when; TVector3 vector; int after = 4; };

    // Not what the members of the class are.
    void StreamCustomClass(TBuffer &buffer, void *object) {
      auto *custom = static_cast<CustomClass *>(object);
      if (buffer.IsReading()) return;
      buffer << Short_t(custom->a) << custom->b << custom->a << custom->a;
    }

    template <typename T, typename Set>
    void WriteObjects(TFile &file, std::string name, int split, int entries, Set set, int basket = 32000) {
      TTree tree((name + "_" + std::to_string(split)).c_str(), "objects");
      Int_t x = 0;
      auto *object = new T;
      tree.Branch("x", &x);
      tree.Branch("o", &object, basket, split);
      for (x = 0; x < entries; ++x) { set(*object, x); tree.Fill(); }
      file.cd();
      tree.Write();
    }

    void WriteManyObjects(const char *path) {
      TFile file(path, "RECREATE");
      TClass *custom = TClass::GetClass("CustomClass");
      custom->GetStreamerInfo();
      custom->Property();  // or it would find its streamer afterwards
      custom->SetStreamerFunc(StreamCustomClass);
      const auto level = std::exchange(gErrorIgnoreLevel, kError);  // it warns of what cannot be split
      const auto nothing = [](auto &, int) {};
      for (const int split : {0, 1, 99}) {
        WriteObjects<TRef>(file, "TRef", split, 20, nothing);
        WriteObjects<TRefArray>(file, "TRefArray", split, 20, nothing);
        WriteObjects<TBits>(file, "TBits", split, 20, nothing);
        WriteObjects<TObject>(file, "TObject", split, 20, nothing);
        WriteObjects<TNamed>(file, "TNamed", split, 20, nothing);
        WriteObjects<TString>(file, "TString", split, 20, nothing);
        WriteObjects<TUUID>(file, "TUUID", split, 20, nothing);
        WriteObjects<TList>(file, "TList", split, 20, nothing);
        WriteObjects<TLorentzVector>(file, "TLorentzVector", split, 20, nothing);
        WriteObjects<TMatrixD>(file, "TMatrixD", split, 20, [](TMatrixD &matrix, int) { matrix.ResizeTo(2, 3); });
        WriteObjects<TMatrixDSym>(file, "TMatrixDSym", split, 20,
                                  [](TMatrixDSym &matrix, int) { matrix.ResizeTo(3, 3); });
        WriteObjects<TArrayI>(file, "TArrayI", split, 20, [](TArrayI &array, int i) {
          array.Set(i % 4);
          for (int k = 0; k < i % 4; ++k) array[k] = 10 * i + k;
        });
        WriteObjects<TDatime>(file, "TDatime", split, 20, [](TDatime &time, int i) { time.Set(20000101 + i, i); });
        WriteObjects<EmptyClass>(file, "EmptyClass", split, 20, nothing);
        WriteObjects<HolderOfCustom>(file, "HolderOfCustom", split, 20,
                                     [](HolderOfCustom &holder, int i) { holder.before = i; });
        WriteObjects<HolderOfMany>(file, "HolderOfMany", split, 20,
                                   [](HolderOfMany &holder, int i) { holder.first = i; });
        TTree clones(("TClonesArray_" + std::to_string(split)).c_str(), "clones");
        auto *array = new TClonesArray("TNamed");
        clones.Branch("o", &array, 32000, split);
        for (int i = 0; i < 20; ++i) { array->Clear(); if (i % 2) new ((*array)[0]) TNamed("a", "b"); clones.Fill(); }
        clones.Write();
      }
      gErrorIgnoreLevel = level;
    }

    void SetPointers(HolderOfPointers &holder, int i) {
      holder.first = i; holder.last = -i; holder.n = i % 3; holder.counted = new PlainPoint[3];
      for (int k = 0; k < 2; ++k) {
        holder.two[k] = (i + k) % 2 ? new TNamed("a", "b") : nullptr;
        holder.lists[k] = new std::vector<int>(i % 2 + k, i);
        holder.owned[k] = new TNamed(Form("o%d", i + k), "");
      }
    }

    void WritePointers(const char *path) {
      TFile file(path, "RECREATE");
      const auto level = std::exchange(gErrorIgnoreLevel, kError);
      for (const int split : {0, 1, 99}) {
        WriteObjects<HolderOfPointers>(file, "one", split, 20, SetPointers);
        WriteObjects<HoldersOfPointers>(file, "many", split, 20, [](HoldersOfPointers &many, int i) {
          many.after = -i; many.holders.assign(i % 4, HolderOfPointers());
          for (int k = 0; k < i % 4; ++k) SetPointers(many.holders[k], i + k);
        });
      }
      gErrorIgnoreLevel = level;
    }

    void WriteDatimes(const char *path, int entries) {
      TFile file(path, "RECREATE", "", 0);
      WriteObjects<HolderOfDatime>(file, "t", 0, entries,
                                   [](HolderOfDatime &holder, int i) { holder.before = i; holder.vector.SetX(i); }, 1000);
    }
    """
)


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    path = tmp_path_factory.mktemp("objects") / "objects.root"
    ROOT.WriteManyObjects(str(path))
    return path


@pytest.fixture(scope="module")
def shown(call, objects):
    """The trees of `objects` as `inspect` shows them, by name."""
    return shown_trees(call, objects)


def shown_trees(call, path):
    done = call("inspect", "--json", path)
    assert done.returncode == DONE, done.stderr
    return {tree["name"]: tree for tree in json.loads(done.stdout)["trees"]}


def names_in(tree):
    return [each["name"] for each in tree["columns"]], [each["name"] for each in tree["unsupported"]]


def unmentioned(path, trees):
    """Branches with data, as uproot sees them, that are neither columns nor listed."""
    missing = []
    with uproot.open(path) as file:
        for name, tree in trees.items():
            mentioned = ["." + each + "." for names in names_in(tree) for each in names]
            for branch in file[name].itervalues(recursive=True):
                last = re.sub(r"\[.*\]$", "", branch.name).rstrip(".").split(".")[-1]
                has_data = branch.num_baskets > 0 and not branch.branches
                if has_data and not any(f".{last}." in each for each in mentioned):
                    missing.append((name, branch.name))
    return missing


def test_every_branch_is_a_column_or_listed(objects, shown):
    assert len(shown) == 51
    assert unmentioned(objects, shown) == []
    for name, tree in shown.items():
        columns, unsupported = names_in(tree)
        assert [each for each in columns + unsupported if each.startswith("o")], name
        assert all(each["reason"] for each in tree["unsupported"])


FILES = [
    path for path in tree_files_for_uproot() if path.name != "embedded_genoff.root"
]  # uproot fails on it


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_branch_of_files_made_by_others_is_a_column_or_listed(call, path):
    assert unmentioned(path, shown_trees(call, path)) == []


def test_what_cannot_be_decoded_is_said_of_its_branch(shown):
    for name in ("TList_99", "EmptyClass_99"):
        columns, unsupported = names_in(shown[name])
        assert columns == ["x"], name
        assert unsupported[0].startswith("o"), name
    assert set(names_in(shown["HolderOfCustom_99"])[0]) == {"x", "o.before", "o.after"}
    assert names_in(shown["HolderOfCustom_0"]) == (["x"], ["o"])
    for name in ("HolderOfCustom_0", "HolderOfCustom_99"):
        assert "streamer of its own" in shown[name]["unsupported"][-1]["reason"], name
    assert set(names_in(shown["TObject_99"])[0]) == {"x", "o.fUniqueID", "o.fBits"}
    assert "o.TObject.fBits" in names_in(shown["TNamed_1"])[0]


def test_sound_files_are_not_called_damaged(call, objects, shown):
    done = call("verify", objects)
    assert done.returncode == DONE, done.stdout
    assert sum(
        line.startswith(("readable ", "sound ")) and "TTree" in line for line in done.stdout.splitlines()
    ) == len(shown)
    (line,) = [line for line in done.stdout.splitlines() if '"HolderOfCustom_99"' in line]
    assert "1 branch that cannot be read" in line


def test_trees_that_nothing_can_be_read_of_are_not_called_sound(call, tmp_path):
    path = tmp_path / "list.root"
    with ROOT.TFile.Open(str(path), "RECREATE") as file:
        tree, objects = ROOT.TTree("t", ""), ROOT.TList()
        tree.Branch("objects", objects, 32000, 0)
        tree.Fill()
        file.WriteObject(tree, "t")
        tree.SetDirectory(ROOT.nullptr)
    done = call("verify", path)
    assert done.returncode == DONE, done.stdout
    assert done.stdout.startswith("readable ")
    assert "0 baskets, 0 B, 1 branch that cannot be read" in done.stdout


@pytest.mark.parametrize("name", ["TList_99", "HolderOfCustom_0", "HolderOfCustom_99"])
def test_conversions_leave_out_what_cannot_be_decoded(call, objects, shown, tmp_path, name):
    done = call("convert", f"{objects}:{name}", "-o", tmp_path / "out.root")
    assert done.returncode == INCOMPLETE, done.stderr
    columns, unsupported = names_in(shown[name])
    assert f'"{unsupported[0]}"' in done.stdout + done.stderr
    with uproot.open(tmp_path / "out.root") as file:
        assert file[name]["x"].array().to_list() == list(range(20))
        assert {column.replace(".", "_") for column in columns} <= set(file[name].keys())


def values_of(job, tmp_path, path, name, column):
    config = {"schema_version": 1, "samples": {"a": {"files": [f"{path}:{name}"]}}}
    config["skims"] = {"s": {"file": "s.root", "columns": {"v": column}}}
    done = job(config)
    assert done.returncode == DONE, done.stderr
    with uproot.open(tmp_path / "s.root") as file:
        return file["Events"]["v"].array().to_list()


@pytest.mark.parametrize("split", [0, 1, 99])
def test_classes_whose_streamers_are_known_are_read(job, objects, tmp_path, split):
    file = ROOT.TFile.Open(str(objects))
    times = [int(event.o.Get()) for event in file.Get(f"TDatime_{split}")]
    assert values_of(job, tmp_path, objects, f"TDatime_{split}", "o") == times
    arrays = [list(map(int, event.o)) for event in file.Get(f"TArrayI_{split}")]
    assert values_of(job, tmp_path, objects, f"TArrayI_{split}", "o") == arrays
    assert len(arrays[3]) == 3


def test_only_runs_that_use_such_a_branch_fail(job, objects, tmp_path):
    assert values_of(job, tmp_path, objects, "HolderOfCustom_99", "o.before + x") == list(range(0, 40, 2))
    config = json.loads((tmp_path / "a.json").read_text())
    config["skims"]["s"]["columns"]["v"] = "o.custom.a"
    for name in ("HolderOfCustom_99", "HolderOfCustom_0"):
        config["samples"]["a"]["files"] = [f"{objects}:{name}"]
        done = job(config)
        assert done.returncode == WRONG_USAGE
        assert "o.custom.a" in done.stderr
        assert "streamer of its own" in done.stderr


def test_damage_of_such_a_branch_is_damage(call, tmp_path):
    """One entry of many that is not what its class says."""
    ROOT.WriteDatimes(str(tmp_path / "a.root"), 200)
    with uproot.open(tmp_path / "a.root") as file:
        branch = file["t_0"]["o"]
        assert branch.num_baskets > 5
        seek = [int(each) for each in branch.member("fBasketSeek")[: branch.num_baskets]]
    content = (tmp_path / "a.root").read_bytes()
    assert call("verify", tmp_path / "a.root").returncode == DONE
    for number in (0, 2, len(seek) - 1):
        changed = bytearray(content)
        # The version of the TVector3 in an entry in the middle of a basket.
        place = content.index(b"\x40\x00\x00", seek[number] + 400) + 4
        changed[place + 1] ^= 64
        (tmp_path / "b.root").write_bytes(changed)
        done = call("verify", tmp_path / "b.root")
        assert done.returncode == FAILED, number
        assert f"basket {number} " in done.stdout
        done = call("convert", tmp_path / "b.root", "-o", tmp_path / "out.root")
        assert done.returncode == FAILED


@pytest.fixture(scope="module")
def pointers(tmp_path_factory):
    path = tmp_path_factory.mktemp("pointers") / "pointers.root"
    ROOT.WritePointers(str(path))
    return path


@pytest.mark.parametrize("split", (0, 1, 99))
def test_members_behind_pointers_are_read(call, pointers, tmp_path, split):
    """Fixed arrays of pointers, and objects that a member counts."""
    expected = {
        "first": lambda i: i,
        "n": lambda i: i % 3,
        "lists": lambda i: [[i] * (i % 2), [i] * (i % 2 + 1)],
        "owned_fName": lambda i: [f"o{i}", f"o{i + 1}"],
        "last": lambda i: -i,
    }
    for tree, name_of in ((f"one_{split}", "o_{}"), (f"many_{split}", "o_holders_{}")):
        path = tmp_path / f"{tree}.root"
        done = call("convert", f"{pointers}:{tree}", "-o", path, "--name", "Events")
        assert done.returncode in (DONE, INCOMPLETE), done.stderr
        columns = uproot.open(path)["Events"].arrays()
        names = {name.replace(".", "_"): name for name in columns.fields}
        for member, value in expected.items():
            written = [
                value(i) if tree.startswith("one") else [value(i + k) for k in range(i % 4)]
                for i in range(20)
            ]
            assert columns[names[name_of.format(member)]].to_list() == written, (tree, member)


def test_pointers_and_counted_objects_have_a_reason(call, pointers):
    trees = shown_trees(call, pointers)
    for name, tree in trees.items():
        reasons = {each["name"].split(".")[-1]: each["reason"] for each in tree["unsupported"]}
        assert reasons["counted"] == 'objects that "n" counts cannot be read', name
        assert reasons["two"] == "pointers to TNamed cannot be followed", name
