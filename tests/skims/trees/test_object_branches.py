# SPDX-License-Identifier: BSD-3-Clause
"""Branches of ROOT's own classes: matrices, references, TClonesArray and objects that are not split, against ROOT."""

import json

import pytest
import uproot
from exit_codes import DONE
from prepared_root import prepared_root

NUM_EVENTS = 60
SPLITS = (0, 1, 99)

CLASSES = r"""
class Hit : public TObject {
 public:
   int id = 0; float e = 0; std::vector<float> w; Double_t a[2] = {0, 0}; TString words[2];
   ClassDef(Hit, 3)
};
struct CountBase { int before = 7; int n = 0; virtual ~CountBase() {} };
struct Counted : CountBase { float *a = nullptr; //[n]
   int after = 5; };
struct Holder {
   int first = 1; TMatrixD m; TMatrixDSym s; TVectorD v; TRef ref; TRefArray refs; TDatime when; TArrayF arr; Counted counted;
   int last = 9;
};

struct Texts { int first = 1; TString words[3]; TNamed named[2]; TObject bare[2]; int last = 9; };

struct Objects {
   TLorentzVector *p4 = new TLorentzVector;
   TH1F *h = new TH1F("h", "h", 3, 0, 3);
   TClonesArray *clones = new TClonesArray("Hit"), *lone = new TClonesArray("TLorentzVector");
   TClonesArray *slow = new TClonesArray("TLorentzVector");
   TMatrixD *m = new TMatrixD;
   TMatrixDSym *s = new TMatrixDSym;
   TMatrixFSym *sf = new TMatrixFSym;
   TVectorD *v = new TVectorD;
   TRef *ref = new TRef;
   TRefArray *refs = new TRefArray;
   Counted *counted = new Counted;
   Holder *holder = new Holder;
   Texts *texts = new Texts;
   std::vector<TNamed *> targets;

   Objects() { h->SetDirectory(nullptr); slow->BypassStreamer(false); }

   void book(TTree &tree, int split) {
      tree.Branch("p4", &p4, 4000, split);
      tree.Branch("h", &h, 4000, split);
      tree.Branch("clones", &clones, 4000, split);
      tree.Branch("lone", &lone, 4000, split);
      tree.Branch("slow", &slow, 4000, split);
      tree.Branch("m", &m, 4000, split);
      tree.Branch("s", &s, 4000, split);
      tree.Branch("sf", &sf, 4000, split);
      tree.Branch("v", &v, 4000, split);
      tree.Branch("ref", &ref, 4000, split);
      tree.Branch("refs", &refs, 4000, split);
      tree.Branch("counted", &counted, 4000, split);
      tree.Branch("holder.", &holder, 4000, split);
      tree.Branch("texts.", &texts, 4000, split);
   }

   static void set(Counted &counted, int n, float value) {
      counted.n = n;
      delete[] counted.a;
      counted.a = new float[4];
      for (int k = 0; k < 4; ++k) counted.a[k] = value + 0.5f * k;
   }

   void fill(int x) {
      p4->SetPxPyPzE(x, -x, 0.5 * x, 2 * x);
      h->Fill(x % 3);
      clones->Clear("C"); lone->Clear(); slow->Clear();
      for (int k = 0; k < x % 4; ++k) {
         auto *hit = new ((*clones)[k]) Hit;
         hit->id = 10 * x + k; hit->e = k + 0.5f; hit->w.assign(k, x); hit->a[0] = x; hit->a[1] = k;
         for (int word = 0; word < 2; ++word) hit->words[word] = TString('a' + k, 40 * word + x % 7);
         new ((*lone)[k]) TLorentzVector(x, k, -k, x + k);
         new ((*slow)[k]) TLorentzVector(-x, k, -k, x + k);
      }
      const int columns = 1 + x % 3, rows = 1 + x % 4;
      m->ResizeTo(2, columns); s->ResizeTo(rows, rows); sf->ResizeTo(rows, rows); v->ResizeTo(x % 5);
      for (int i = 0; i < 2; ++i) for (int j = 0; j < columns; ++j) (*m)(i, j) = 100 * x + 10 * i + j;
      for (int i = 0; i < rows; ++i)
         for (int j = 0; j <= i; ++j) {
            (*s)(i, j) = (*s)(j, i) = 100 * x + 10 * i + j;
            (*sf)(i, j) = (*sf)(j, i) = x + 10 * i + j;
         }
      for (int i = 0; i < x % 5; ++i) (*v)(i) = x + 0.25 * i;
      targets.push_back(new TNamed("a", "b"));
      *ref = targets.back();
      refs->Clear(); holder->refs.Clear();
      const int last = targets.size() - 1;
      for (int k = 0; k < x % 3; ++k) { refs->Add(targets[last - k]); holder->refs.Add(targets[last - k]); }
      set(*counted, x % 4, x);
      holder->first = x; holder->last = -x;
      holder->m.ResizeTo(*m); holder->m = *m; holder->s.ResizeTo(*s); holder->s = *s; holder->v.ResizeTo(*v); holder->v = *v;
      holder->ref = targets.back();
      holder->when.Set(20200101 + x % 20, 120000 + x % 60);
      holder->arr.Set(x % 3);
      for (int k = 0; k < x % 3; ++k) holder->arr[k] = x + k;
      set(holder->counted, x % 4, -x);
      texts->first = x; texts->last = -x;
      for (int k = 0; k < 3; ++k) texts->words[k] = TString('w', 5 * k + x % 70);
      for (int k = 0; k < 2; ++k) texts->named[k].SetNameTitle(TString('n', k + x % 4), TString('t', x % 3));
   }
};

void write_objects(const char *path, int entries) {
   TFile file(path, "RECREATE");
   const auto level = std::exchange(gErrorIgnoreLevel, kError);  // it warns of what cannot be split
   for (const int split : {0, 1, 99}) {
      TTree tree(("t" + std::to_string(split)).c_str(), "objects");
      auto *objects = new Objects;
      Int_t x = 0;
      tree.Branch("x", &x);
      objects->book(tree, split);
      for (x = 0; x < entries; ++x) { objects->fill(x); tree.Fill(); }
      file.cd();
      tree.Write();
   }
   gErrorIgnoreLevel = level;
}
"""

READ = """
import json

def numbers(pointer, count):
    return [pointer[k] for k in range(count)]

def matrix(each):
    return [each[i][j] for i in range(each.GetNrows()) for j in range(each.GetNcols())]

def references(each):
    return [each.GetUID(k) & 0xffffff for k in range(each.GetLast() + 1)]

def clones(each, value):
    return [value(each.At(k)) for k in range(each.GetEntriesFast())]

VALUES = {
    "p4.fX": lambda e: e.p4.X(),
    "p4.fE": lambda e: e.p4.E(),
    "h": lambda e: numbers(e.h.GetArray(), e.h.GetSize()),
    "clones.id": lambda e: clones(e.clones, lambda hit: hit.id),
    "clones.e": lambda e: clones(e.clones, lambda hit: hit.e),
    "clones.w": lambda e: clones(e.clones, lambda hit: list(hit.w)),
    "clones.a": lambda e: clones(e.clones, lambda hit: numbers(hit.a, 2)),
    "lone.fY": lambda e: clones(e.lone, lambda p: p.Y()),
    "lone.fE": lambda e: clones(e.lone, lambda p: p.E()),
    "slow.fX": lambda e: clones(e.slow, lambda p: p.X()),
    "slow.fE": lambda e: clones(e.slow, lambda p: p.E()),
    "m.fElements": lambda e: matrix(e.m),
    "s.fElements": lambda e: matrix(e.s),
    "sf.fElements": lambda e: matrix(e.sf),
    "v.fElements": lambda e: [e.v[k] for k in range(e.v.GetNrows())],
    "ref": lambda e: e.ref.GetUniqueID() & 0xffffff,
    "refs": lambda e: references(e.refs),
    "counted.a": lambda e: numbers(e.counted.a, e.counted.n),
    "counted.after": lambda e: e.counted.after,
    "holder.m.fElements": lambda e: matrix(getattr(e, "holder.").m),
    "holder.s.fElements": lambda e: matrix(getattr(e, "holder.").s),
    "holder.v.fElements": lambda e: [getattr(e, "holder.").v[k] for k in range(getattr(e, "holder.").v.GetNrows())],
    "holder.ref": lambda e: getattr(e, "holder.").ref.GetUniqueID() & 0xffffff,
    "holder.refs": lambda e: references(getattr(e, "holder.").refs),
    "holder.when": lambda e: getattr(e, "holder.").when.Get(),
    "holder.arr": lambda e: numbers(getattr(e, "holder.").arr.GetArray(), getattr(e, "holder.").arr.GetSize()),
    "holder.counted.a": lambda e: numbers(getattr(e, "holder.").counted.a, getattr(e, "holder.").counted.n),
    "holder.last": lambda e: getattr(e, "holder.").last,
    "clones.words": lambda e: clones(e.clones, lambda hit: [str(hit.words[k]) for k in range(2)]),
    "texts.first": lambda e: getattr(e, "texts.").first,
    "texts.words": lambda e: [str(getattr(e, "texts.").words[k]) for k in range(3)],
    "texts.named.fName": lambda e: [getattr(e, "texts.").named[k].GetName() for k in range(2)],
    "texts.named.fTitle": lambda e: [getattr(e, "texts.").named[k].GetTitle() for k in range(2)],
    "texts.last": lambda e: getattr(e, "texts.").last,
}

file = ROOT.TFile(sys.argv[1])
for split in (0, 1, 99):
    tree = file.Get(f"t{split}")
    values = {name: [] for name in VALUES}
    for event in tree:
        for name, value in VALUES.items():
            values[name].append(value(event))
    print(json.dumps(values))
"""


@pytest.fixture(scope="module")
def root():
    with prepared_root(f"ROOT.gInterpreter.Declare({CLASSES!r})") as process:
        yield process


@pytest.fixture(scope="module")
def objects(root, tmp_path_factory):
    """A file with one tree for each split level."""
    path = tmp_path_factory.mktemp("objects") / "objects.root"
    root.run("ROOT.write_objects(sys.argv[1], int(sys.argv[2]))", path, NUM_EVENTS)
    return path


@pytest.fixture(scope="module")
def of_root(root, objects):
    """By split level and name what ROOT reads."""
    return dict(zip(SPLITS, map(json.loads, root.run(READ, objects).splitlines()), strict=True))


@pytest.fixture(scope="module")
def shown(call, objects):
    done = call("inspect", "--json", objects)
    assert done.returncode == DONE, done.stderr
    return {tree["name"]: tree for tree in json.loads(done.stdout)["trees"]}


@pytest.fixture(scope="module", params=SPLITS)
def converted(request, call, objects, tmp_path_factory):
    """The split level, and all columns of its tree."""
    path = tmp_path_factory.mktemp("converted") / "c.root"
    done = call("convert", f"{objects}:t{request.param}", "-o", path, "--name", "Events")
    assert done.returncode in (DONE, 3), done.stderr
    return request.param, uproot.open(path)["Events"].arrays()


def column_of(fields, name):
    """What "p4.fX" is called in an RNTuple, in which members of members may stand between."""
    first, *middle = name.split(".")
    found = [
        field
        for field in fields
        if field.split("_")[0] == first
        and (field.split("_")[1:] == [] if not middle else field.endswith("_" + middle[-1]))
        and all(each in field.split("_") for each in middle)
    ]
    assert len(found) == 1, (name, found)
    return found[0]


def test_values_are_those_of_root(converted, of_root):
    split, columns = converted
    plain = [field for field in columns.fields if "." not in field and not field.endswith("_")]
    different = []
    for name, expected in of_root[split].items():
        found = columns[column_of(plain, name)].to_list()
        if found != expected:
            different.append(name)
    assert different == []


def test_what_is_not_read_are_pointers_of_histograms(shown):
    for split in SPLITS:
        reasons = {each["name"]: each["reason"] for each in shown[f"t{split}"]["unsupported"]}
        lists = [f"h.f{axis}axis.f{what}" for axis in "XYZ" for what in ("Labels", "ModLabs")]
        # The numbers of a TObject are columns where they are a branch of their own, and those of several are not.
        assert set(reasons) == {*lists, "h.fFunctions", *(["texts.bare"] if split > 0 else [])}


def test_verify_reads_all_of_them(call, objects):
    done = call("verify", objects)
    assert done.returncode == DONE, done.stdout


def test_references_find_their_objects(job, objects, of_root, tmp_path):
    config = {"schema_version": 1, "samples": {"a": {"files": [f"{objects}:t0"]}}}
    config["skims"] = {"s": {"file": "s.root", "columns": {"found": "refs == ref"}}}
    done = job(config)
    assert done.returncode == DONE, done.stderr
    found = uproot.open(tmp_path / "s.root")["Events"]["found"].array().to_list()
    values = of_root[0]
    assert found == [
        [each == ref for each in refs] for ref, refs in zip(values["ref"], values["refs"], strict=True)
    ]
    assert any(True in each for each in found)


def test_damaged_copies_are_read_or_refused(verify_damaged_copies, objects):
    """Never a crash."""
    verify_damaged_copies(objects, seed=3)
