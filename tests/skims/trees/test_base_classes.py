# SPDX-License-Identifier: BSD-3-Clause
"""Base classes of ROOT in a TClonesArray, whose objects are stored member by member: read, or listed with the reason."""

import json

import pytest
import uproot
from exit_codes import DONE, INCOMPLETE
from prepared_root import prepared_root

# With six objects in each entry, their 60 bytes of TRef look like five references.
NUM_EVENTS = 20
NUM_OBJECTS = 6
BASES = {
    "Named": "TNamed",
    "Pointing": "TRef",
    "Filled": "TObject, public TArrayF",
    "Moving": "TLorentzVector",
}
CLASSES = "".join(
    f"class {name} : public {bases} {{ public: int id = 0; ClassDef({name}, 1) }};"
    for name, bases in BASES.items()
)
WRITE = (
    CLASSES
    + r"""
class MoreNamed : public Named { public: float x = 0; ClassDef(MoreNamed, 1) };

void write_bases(const char *path, int entries, int count) {
   TFile file(path, "RECREATE");
   for (const int split : {0, 99}) {
      TTree tree(("t" + std::to_string(split)).c_str(), "");
      std::vector<TClonesArray *> lists;
      for (const char *name : {"Named", "MoreNamed", "Pointing", "Filled", "Moving"}) lists.push_back(new TClonesArray(name));
      for (auto *&list : lists) tree.Branch(list->GetClass()->GetName(), &list, 4000, split);
      for (int x = 0; x < entries; ++x) {
         for (auto *list : lists) list->Clear("C");
         for (int k = 0; k < count; ++k) {
            auto *named = new ((*lists[0])[k]) Named;
            auto *more = new ((*lists[1])[k]) MoreNamed;
            for (Named *each : {named, static_cast<Named *>(more)}) each->SetNameTitle(Form("n%d", x), Form("t%d", k));
            auto *pointing = new ((*lists[2])[k]) Pointing;
            auto *filled = new ((*lists[3])[k]) Filled;
            auto *moving = new ((*lists[4])[k]) Moving;
            more->x = 0.5f * k;
            filled->Set(k);
            moving->SetE(x);
            for (int *id : {&named->id, &more->id, &pointing->id, &filled->id, &moving->id}) *id = 10 * x + k;
         }
         tree.Fill();
      }
      tree.Write();
   }
}
"""
)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("bases") / "bases.root"
    with prepared_root(f"ROOT.gInterpreter.Declare({WRITE!r})") as root:
        root.run(
            "ROOT.write_bases(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))", path, NUM_EVENTS, NUM_OBJECTS
        )
    return path


def columns_of(call, path, tree, tmp_path):
    done = call("convert", f"{path}:{tree}", "-o", "c.root", "--name", "Events", cwd=tmp_path)
    columns = uproot.open(tmp_path / "c.root")["Events"].arrays()
    return done, {name: columns[name].to_list() for name in columns.fields}


def per_object(value):
    return [[value(x, k) for k in range(NUM_OBJECTS)] for x in range(NUM_EVENTS)]


@pytest.mark.parametrize("tree", ["t0", "t99"])
@pytest.mark.parametrize("name", ["Named", "MoreNamed"])
def test_names_are_read(call, path, tmp_path, tree, name):
    """Not split, each object has the bytes of a TNamed where the members of the others follow one another."""
    _, columns = columns_of(call, path, tree, tmp_path)
    assert columns[f"{name}_fName"] == per_object(lambda x, k: f"n{x}")
    assert columns[f"{name}_fTitle"] == per_object(lambda x, k: f"t{k}")
    assert columns[f"{name}_id"] == per_object(lambda x, k: 10 * x + k)
    if name == "MoreNamed":
        assert columns["MoreNamed_x"] == per_object(lambda x, k: 0.5 * k)


def test_those_that_are_not_split_are_listed(call, path, tmp_path):
    """Where the members of the class around them are."""
    done, columns = columns_of(call, path, "t99", tmp_path)
    assert done.returncode == INCOMPLETE, done.stderr
    others = {name: bases.split()[-1] for name, bases in BASES.items() if name != "Named"}
    for name in others:
        assert columns[f"{name}_id"] == per_object(lambda x, k: 10 * x + k)
    shown = json.loads(call("inspect", "--json", f"{path}:t99").stdout)["trees"][0]
    reasons = {each["name"]: each["reason"] for each in shown["unsupported"]}
    assert set(reasons) == {f"{name}.{base}" for name, base in others.items()}
    assert all("base class that is not split" in reason for reason in reasons.values())


def test_they_are_no_damage(call, path):
    done = call("verify", path)
    assert done.returncode == DONE, done.stdout
