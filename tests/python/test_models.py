# SPDX-License-Identifier: BSD-3-Clause
"""Models in expressions give what onnxruntime gives, however events are divided, and their mistakes are located."""

import json
import pickle
import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import awkward as ak
import jsonschema
import numpy as np
import package_program
import pytest
import skimline as sk
import uproot
from exit_codes import WRONG_USAGE
from onnx import TensorProto, helper
from onnx_models import FLOAT, evaluated, save, save_classifier, save_network, save_sum
from skimline import _core
from skimline.errors import ConfigError, Error, ExpressionError
from skimline.models import open_session

# What uproot writes has no checksums.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*without checksums"),
    pytest.mark.filterwarnings("ignore:.*values are not a number"),
]
NUM_EVENTS = 6000
ROOT = Path(__file__).resolve().parents[2]
INPUTS = ["pt", "eta", "charge"]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Events with lists, among them NaN and infinity, in clusters of 700, and their arrays."""
    path = tmp_path_factory.mktemp("data") / "events.root"
    random = np.random.default_rng(3)
    counts = random.integers(0, 6, NUM_EVENTS)
    total = int(counts.sum())
    pt = random.exponential(1, total).astype(np.float32)
    pt[::97] = np.nan
    pt[5::311] = np.inf
    jagged = lambda values: ak.unflatten(values, counts)  # noqa: E731
    events = {
        "met": random.exponential(2, NUM_EVENTS),
        "njet": random.integers(0, 9, NUM_EVENTS).astype(np.int32),
        "is_good": random.random(NUM_EVENTS) < 0.5,
        "pt": jagged(pt),
        "eta": jagged(random.normal(0, 1, total).astype(np.float32)),
        "charge": jagged(random.choice([-1, 1], total).astype(np.int32)),
    }
    with uproot.recreate(path) as file:
        for first in range(0, NUM_EVENTS, 700):
            part = {name: each[first : first + 700] for name, each in events.items()}
            file["Events"].extend(part) if first else file.__setitem__("Events", part)
    return path, ak.Array(events)


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    return save_network(tmp_path_factory.mktemp("network") / "network.onnx")


@pytest.fixture
def classifier(tmp_path):
    return save_classifier(tmp_path / "classifier.onnx", [[1, -2], [0.5, 3]])


def config_of(data, models, define, **more):
    return {
        "schema_version": 1,
        "samples": {"data": {"files": [str(data[0])]}},
        "models": models,
        "define": define,
        "skims": {"out": {"file": "out.root", "keep": list(define)}},
    } | more


def results(folder="."):
    with uproot.open(Path(folder) / "out.root") as file:
        return file["Events"].arrays()


def flat(array):
    return np.asarray(ak.flatten(array, axis=None))


def bits(array):
    return flat(array).tobytes()


@pytest.fixture
def computed(data, tmp_path, monkeypatch):
    """Runs definitions with models, and returns their values."""
    monkeypatch.chdir(tmp_path)

    def run(models, define, **options):
        more = options.pop("more", {})
        sk.run_config(config_of(data, models, define, **more), force=True, **options)
        return results()

    return run


def expected_scores(network, events, pt=None):
    """For each object of the events, one after the other."""
    pt = events.pt if pt is None else pt
    return evaluated(network, [flat(pt), flat(events.eta), flat(events.charge)])[:, 0]


# Values


def test_values_are_those_of_onnxruntime_per_object(computed, data, network):
    events = data[1]
    scores = computed({"score": {"file": str(network), "inputs": INPUTS}}, {"s": "score(pt, eta, charge)"}).s
    assert ak.num(scores).tolist() == ak.num(events.pt).tolist()
    np.testing.assert_allclose(flat(scores), expected_scores(network, events), rtol=3e-6)
    assert np.isnan(flat(scores)).sum() == np.isnan(flat(events.pt)).sum() > 50
    assert "float32" in str(scores.type)


def test_values_are_those_of_onnxruntime_per_event(computed, data, classifier):
    events = data[1]
    model = {"file": str(classifier), "inputs": ["met", "njet"]}
    models = {
        "first": model | {"output": "probabilities", "element": 0},
        "second": model | {"output": 1, "element": 1},
        "label": model | {"output": "label"},
    }
    names = {name: f"{name}(met, njet)" for name in models}
    found = computed(models, names)
    columns = [events.met, events.njet]
    expected = evaluated(classifier, columns, "probabilities")
    np.testing.assert_allclose(found.first, expected[:, 0], rtol=1e-6)
    np.testing.assert_allclose(found.second, expected[:, 1], rtol=1e-6)
    assert found.label.to_list() == evaluated(classifier, columns, "label").tolist()
    assert "int64" in str(found.label.type)
    assert 0 < sum(found.label) < NUM_EVENTS


def test_flat_arguments_are_repeated_beside_lists(computed, data, classifier):
    events = data[1]
    models = {"likely": {"file": str(classifier), "output": "probabilities", "element": 1}}
    found = computed(models, {"s": "likely(eta, met)", "c": "likely(eta, 0.5)"})
    met = ak.broadcast_arrays(events.met, events.eta)[0]
    for name, other in (("s", flat(met)), ("c", np.full(len(flat(met)), 0.5))):
        expected = evaluated(classifier, [flat(events.eta), other], "probabilities")[:, 1]
        np.testing.assert_allclose(flat(found[name]), expected, rtol=1e-6)


def test_inputs_of_one_number_may_have_any_order_and_type(computed, data, tmp_path):
    events = data[1]
    kinds = {"a": TensorProto.DOUBLE, "b": TensorProto.INT32, "c": TensorProto.BOOL, "d": TensorProto.INT64}
    path = save_sum(tmp_path / "sum.onnx", **kinds)
    models = {"as_it_is": {"file": str(path)}, "turned": {"file": str(path), "inputs": list("dcba")}}
    define = {
        "event": "3 * njet",
        "x": "as_it_is(met, njet, is_good, event)",
        "y": "turned(event, is_good, njet, met)",
    }
    found = computed(models, define)
    expected = events.met + events.njet + events.is_good + 3 * events.njet
    np.testing.assert_allclose(found.x, expected, rtol=1e-15)
    assert bits(found.x) == bits(found.y)


def test_models_of_a_fixed_number_of_objects(computed, data, network, tmp_path):
    for rows in (1, 5):
        path = save_network(tmp_path / f"by_{rows}.onnx", rows=rows)
        found = computed({"score": {"file": str(path)}}, {"s": "score(pt, eta, charge)"}).s
        np.testing.assert_allclose(flat(found), expected_scores(network, data[1]), rtol=3e-6)


# Division, threads


def test_bits_do_not_depend_on_threads_and_division(computed, data, network):
    """Events and objects alone, in batches of any size, behind any selection, have the bits that they have together."""
    models = {"score": {"file": str(network), "inputs": INPUTS}}
    define = {"s": "score(pt, eta, charge)"}
    whole = computed(models, define, threads=1).s
    assert bits(computed(models, define, threads=3).s) == bits(whole)
    assert bits(computed(models, define, limit_events=777).s) == bits(whole[:777])
    selected = computed(models, define, more={"select": [{"name": "few", "where": "njet == 3"}]}).s
    assert bits(selected) == bits(whole[data[1].njet == 3])
    computed(models, define, shard=(2, 3))
    with uproot.open("out.shard2of3.root") as file:
        part = file["Events"].arrays().s
    first = len(part) and NUM_EVENTS // 3
    assert bits(part) == bits(whole[first : first + len(part)])
    elements = computed(models, {"s": "score(pt[pt > 2], eta[pt > 2], charge[pt > 2])"}).s
    assert bits(elements) == bits(whole[data[1].pt > 2])


def test_what_depends_on_others_is_evaluated_alone(computed, data, tmp_path):
    """A model that takes the mean over the batch gives what it gives for one object."""
    nodes = [
        helper.make_node("ReduceMean", ["x"], ["mean"], axes=[0], keepdims=1),
        helper.make_node("Sub", ["x", "mean"], ["less"]),
        helper.make_node("Add", ["less", "one"], ["y"]),
    ]
    path = save(tmp_path / "mean.onnx", nodes, {"x": (FLOAT, ["n", 1])}, {"y": (FLOAT, ["n", 1])},
                {"one": np.array([1], np.float32)})  # fmt: skip
    found = computed({"f": {"file": str(path)}}, {"s": "f(njet)"}, limit_events=500).s
    assert found.to_list() == [1] * 500
    planned, _ = _core.plan(
        _core.Config("a.json", json.dumps(config_of(data, {"f": {"file": str(path)}}, {"s": "f(met)"})))
    )
    assert json.loads(planned)["models"][0]["evaluator"].endswith(", object by object")


def test_what_is_random_is_refused(data, tmp_path):
    nodes = [helper.make_node("RandomNormalLike", ["x"], ["y"])]
    path = save(tmp_path / "random.onnx", nodes, {"x": (FLOAT, ["n", 1])}, {"y": (FLOAT, ["n", 1])})
    with pytest.raises(ConfigError, match="gives other values each time"):
        _core.Config("a.json", json.dumps(config_of(data, {"f": {"file": str(path)}}, {"s": "f(met)"})))


# Variations, stores, executors


def test_variations_go_through(computed, data, network):
    events = data[1]
    more = {
        "variations": {"scale": {"columns": {"pt": {"up": "pt * 1.5f"}}}},
        "histograms": {"s": {"x": {"value": "s", "bins": 40, "range": [0, 1]}}},
        "output": {"histograms": "h.root"},
    }
    computed({"score": {"file": str(network), "inputs": INPUTS}}, {"s": "score(pt, eta, charge)"}, more=more)
    all_counts = []
    for name, factor in (("s__nominal", 1), ("s__scale_up", 1.5)):
        with uproot.open("h.root") as file:
            counts = file[name].values()
        all_counts.append(counts)
        values = expected_scores(network, events, events.pt * np.float32(factor))
        assert counts.sum() == np.isfinite(values).sum()
        expected, _ = np.histogram(values[np.isfinite(values)], 40, (0, 1))
        assert np.abs(counts - expected).sum() <= 2  # the last bits of values at edges
    assert not np.array_equal(*all_counts)


def histogram_config(data, path, **model):
    return config_of(data, {"score": {"file": str(path), "inputs": ["x", "y"]} | model}, {"s": "score(met, njet)"}) | {
        "skims": {},
        "histograms": {"s": {"x": {"value": "s", "bins": 40, "range": [0, 1]}}},
        "output": {"histograms": "h.root", "report": "report.json"},
    }  # fmt: skip


def run_with_store(config):
    del config["skims"]
    report = sk.run_config(config, store="store", force=True).report["store"]
    with uproot.open("h.root") as file:
        return report["computed"], file["s"].values()


def test_an_altered_model_takes_no_old_result(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    choice = {"output": "probabilities", "element": 1}
    path = save_classifier(tmp_path / "m.onnx", [[1, -2], [0.5, 3]])
    computed, first = run_with_store(histogram_config(data, path, **choice))
    assert computed > 0
    assert run_with_store(histogram_config(data, path, **choice))[0] == 0
    computed, other = run_with_store(histogram_config(data, path, output="probabilities", element=0))
    assert computed > 0 and not np.array_equal(other, first)
    save_classifier(path, [[1, -2], [0.5, 2.75]])
    computed, altered = run_with_store(histogram_config(data, path, **choice))
    assert computed > 0 and not np.array_equal(altered, first)
    save_classifier(path, [[1, -2], [0.5, 3]])
    computed, again = run_with_store(histogram_config(data, path, **choice))
    assert computed == 0 and np.array_equal(again, first)


def adler32(path):
    return f"adler32:{zlib.adler32(path.read_bytes()):08x}"


def test_the_record_and_the_plan_have_the_checksum(data, network, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = histogram_config(data, network) | {"define": {"s": "score(met, njet, 1)"}}
    config["models"]["score"]["inputs"] = INPUTS
    del config["skims"]
    (tmp_path / "a.json").write_text(json.dumps(config))
    sk.run_config("a.json")
    done = subprocess.run(
        package_program.command("show", "--json", "h.root"),
        capture_output=True,
        text=True,
        env=package_program.environment(),
        check=True,
    )
    (record,) = json.loads(done.stdout)["files"][0]["record"]["configs"]
    assert record["models"]["score"]["checksum"] == adler32(network)
    planned, text = _core.plan(_core.Config("a.json"))
    (model,) = json.loads(planned)["models"]
    assert (
        model["name"] == "score" and model["path"] == str(network) and model["checksum"] == adler32(network)
    )
    assert model["evaluator"].startswith("onnxruntime 1.")
    assert adler32(network) in text and "onnxruntime 1." in text


def test_workers_load_the_model_and_check_it(data, network, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = histogram_config(data, network) | {"define": {"s": "Sum(score(pt, eta, charge))"}}
    config["models"]["score"]["inputs"] = INPUTS
    del config["skims"]
    sk.run_config(config)
    here = (tmp_path / "h.root").read_bytes()
    with ThreadPoolExecutor(2) as pool:
        sk.run_config(config, executor=pool, force=True)
        assert (tmp_path / "h.root").read_bytes() == here
    (tmp_path / "a.json").write_text(json.dumps(config))
    command = package_program.command("run", "--force", "--processes", "2", "a.json")
    done = subprocess.run(
        command, capture_output=True, text=True, env=package_program.environment(), check=False
    )
    assert done.returncode == 0, done.stderr
    with uproot.open("h.root") as file:
        counts = file["s"].values()
    (tmp_path / "h.root").write_bytes(here)
    with uproot.open("h.root") as file:
        assert np.array_equal(counts, file["s"].values()) and counts.sum() > 0


def test_a_worker_with_another_model_is_an_error(data, tmp_path):
    path = save_classifier(tmp_path / "m.onnx", [[1, -2], [0.5, 3]])
    config = config_of(data, {"f": {"file": str(path), "output": "label"}}, {"s": "f(met, njet)"})
    resolved = _core.Config("a.json", json.dumps(config)).resolved
    save_classifier(path, [[1, -2], [0.5, 2.75]])
    with pytest.raises(ConfigError, match='has the checksum "adler32:'):
        _core.Config("a.json", resolved)


# Configs


def test_templates_variables_and_included_files(data, tmp_path, monkeypatch):
    """Files are looked for beside the config that names them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "part").mkdir()
    weights = {"loose": [[1, -2], [0.5, 3]], "tight": [[2, -2], [0.5, 1]]}
    for name, each in weights.items():
        save_classifier(tmp_path / "part" / f"{name}.onnx", each)
    template = {
        "for": {"wp": list(weights)},
        "file": "${wp}.onnx",
        "output": "probabilities",
        "element": "${n}",
    }
    part = {"variables": {"n": 1}, "models": {"at_${wp}": template}}
    (tmp_path / "part" / "part.json").write_text(json.dumps(part))
    define = {f"s_{name}": f"at_{name}(met, njet)" for name in weights}
    config = config_of(data, {}, define) | {"include": "part/part.json"}
    del config["models"]
    schema = json.loads((ROOT / "configs" / "schema" / "skimline-1.schema.json").read_text())
    for each in (config, part):
        jsonschema.Draft202012Validator(schema).validate(each)
    (tmp_path / "a.json").write_text(json.dumps(config))
    sk.run_config("a.json")
    found = results()
    for name in weights:
        expected = evaluated(
            tmp_path / "part" / f"{name}.onnx", [data[1].met, data[1].njet], "probabilities"
        )[:, 1]
        np.testing.assert_allclose(found[f"s_{name}"], expected, rtol=1e-6)
    command = package_program.command("validate", "--expand", "a.json")
    done = subprocess.run(
        command, capture_output=True, text=True, env=package_program.environment(), check=True
    )
    assert '"at_loose"' in done.stdout and "tight.onnx" in done.stdout and "${wp}" not in done.stdout


# Mistakes


def refused(data, model, define="f(met, njet)"):
    """The first lines of what is said of a model."""
    config = config_of(data, {"f": model}, {"s": define})
    with pytest.raises(ConfigError) as caught:
        _core.plan(_core.Config("a.json", json.dumps(config)))
    return [line for line in str(caught.value).splitlines() if line.startswith("a.json:")]


def test_bad_files_are_refused(data, classifier, tmp_path):
    (tmp_path / "text.onnx").write_text("no model")
    (tmp_path / "empty.onnx").write_bytes(b"")
    (tmp_path / "cut.onnx").write_bytes(classifier.read_bytes()[:-20])
    for name, said in (
        ("missing.onnx", "missing.onnx: cannot be read: No such file"),
        ("text.onnx", 'text.onnx" cannot be used: onnxruntime cannot read it: Failed to load model'),
        ("empty.onnx", "onnxruntime cannot read it: No graph"),
        ("cut.onnx", "onnxruntime cannot read it"),
        (".", "Is a directory"),
    ):
        (message,) = refused(data, {"file": str(tmp_path / name)})
        assert said in message and "ONNXRuntimeError" not in message


def test_numbers_in_other_files_are_refused(data, tmp_path, monkeypatch):
    """They would be in no checksum."""
    import onnx

    monkeypatch.chdir(tmp_path)
    path = save_network(tmp_path / "network.onnx", width=2)
    model = onnx.load(path)
    onnx.save_model(model, path, save_as_external_data=True, location="numbers.data", size_threshold=0)
    assert (tmp_path / "numbers.data").stat().st_size > 100
    (message,) = refused(data, {"file": str(path)})
    assert "onnxruntime cannot read it" in message


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ({}, 'the model has 2 outputs, say which one by "output": "label", "probabilities"'),
        ({"output": "probabilites"}, 'has no output "probabilites" (did you mean "probabilities"?)'),
        ({"output": 2}, 'has no output 2: it has "label", "probabilities"'),
        ({"output": -1}, '"output" must be a name or a number from 0'),
        ({"output": True}, '"output" must be a name or a number from 0'),
        (
            {"output": "probabilities"},
            'has 2 numbers for each object, say which one by "element", from 0 to 1',
        ),
        ({"output": "probabilities", "element": 2}, '"element" must be a number from 0 to 1'),
        ({"output": "probabilities", "element": "1"}, '"element" must be a number from 0 to 1'),
        ({"output": "label", "element": 1}, '"element" must be a number from 0 to 0'),
        ({"output": "label", "inputs": ["a"]}, "takes 2 numbers for each object, not 1"),
        ({"output": "label", "inputs": ["a", "a"]}, 'there is a second "a"'),
        ({"output": "label", "inputs": []}, '"inputs" must not be empty'),
        ({"output": "label", "inputs": "ab"}, '"inputs" must be'),
        ({"output": "label", "outputs": 1}, 'unknown key "outputs"'),
        ({"output": "label", "checksum": "adler32:00000000"}, 'has the checksum "adler32:'),
    ],
)
def test_wrong_keys_are_located(data, classifier, model, said):
    (message,) = refused(data, {"file": str(classifier)} | model)
    assert said in message


@pytest.mark.parametrize(
    ("model", "is_right"),
    [
        ({"output": "probabilities", "element": 1, "inputs": ["a", "b"]}, True),
        ({"output": 0}, True),
        ({"output": -1}, False),
        ({"output": True}, False),
        ({"element": -1}, False),
        ({"inputs": []}, False),
        ({"inputs": "ab"}, False),
        ({"outputs": 1}, False),
        ({"checksum": 1}, False),
    ],
)
def test_the_schema_agrees(data, classifier, model, is_right):
    schema = json.loads((ROOT / "configs" / "schema" / "skimline-1.schema.json").read_text())
    config = config_of(data, {"f": {"file": str(classifier)} | model}, {"s": "f(met, njet)"})
    assert jsonschema.Draft202012Validator(schema).is_valid(config) == is_right


def test_wrong_arguments_are_located(data, classifier, tmp_path):
    model = {"file": str(classifier), "inputs": ["first", "second"], "output": "label"}
    (message,) = refused(data, model, "f(met)")
    assert "2 arguments" in message or "f(float first, float second)" in message
    whole = {"file": str(save_sum(tmp_path / "sum.onnx", a=TensorProto.INT64, b=FLOAT))}
    (message,) = refused(data, whole)
    assert '"a" must be an integer, not a double' in message
    (message,) = refused(data, whole | {"inputs": ["b", "c"]})
    assert 'the model has no input "c": it has "a", "b"' in message


def test_inputs_that_are_open_are_refused_where_there_are_several(data, tmp_path):
    nodes = [helper.make_node("Concat", ["a", "b"], ["y"], axis=1)]
    shapes = {"a": (FLOAT, ["n", "k"]), "b": (FLOAT, ["n", 1])}
    path = save(tmp_path / "m.onnx", nodes, shapes, {"y": (FLOAT, ["n", "l"])})
    (message,) = refused(data, {"file": str(path), "inputs": ["x", "y", "z"]})
    assert "its inputs leave open how many numbers an object has" in message


def test_inputs_say_how_many_numbers_there_are(computed, data, tmp_path):
    nodes = [helper.make_node("ReduceSum", ["x", "axes"], ["y"], keepdims=1)]
    path = save(tmp_path / "m.onnx", nodes, {"x": (FLOAT, ["n", "k"])}, {"y": (FLOAT, ["n", 1])},
                {"axes": np.array([1])})  # fmt: skip
    found = computed({"f": {"file": str(path), "inputs": ["a", "b", "c"]}}, {"s": "f(met, njet, 2)"}).s
    np.testing.assert_allclose(found, data[1].met + data[1].njet + 2, rtol=1e-6)


def test_what_expressions_have_no_numbers_for_is_refused(data, tmp_path):
    half = TensorProto.FLOAT16
    nodes = [helper.make_node("Identity", ["x"], ["y"])]
    for shape, kind, said in (
        (["n", 2], half, 'input "x" is a tensor(float16), which expressions have no numbers for'),
        (["n", 2], TensorProto.STRING, "tensor(string)"),
        (["n", "m", "k"], FLOAT, "leaves open how large it is"),
        (["n", 1 << 30, 1 << 30], FLOAT, "none or more than 10000 numbers"),
        (["n", 10001], FLOAT, "none or more than 10000 numbers"),
        (["n", 0], FLOAT, "none or more than 10000 numbers"),
        (["n", "m"], FLOAT, 'name them by "inputs"'),
        ([1 << 40, 2], FLOAT, "at once"),
        ([], FLOAT, "is a single number for all objects"),
    ):
        path = save(tmp_path / "m.onnx", nodes, {"x": (kind, shape)}, {"y": (kind, shape)})
        (message,) = refused(data, {"file": str(path)})
        assert said in message


def test_old_versions_are_refused(data, classifier, monkeypatch):
    import onnxruntime

    monkeypatch.setattr(onnxruntime, "__version__", "1.20.3")
    monkeypatch.setattr("skimline.models._sessions", {})
    (message,) = refused(data, {"file": str(classifier)})
    assert "needs onnxruntime 1.21 or later, not 1.20.3" in message


def test_without_onnxruntime(data, classifier, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    monkeypatch.setattr("skimline.models._sessions", {})
    (message,) = refused(data, {"file": str(classifier)})
    assert "a model needs onnxruntime: pip install onnxruntime" in message


def test_the_program_without_python_says_so(skimline, data, classifier, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(config_of(data, {"f": {"file": str(classifier)}}, {"s": "f(met, njet)"})))
    done = subprocess.run([skimline, "run", path], capture_output=True, text=True, check=False)
    assert done.returncode == WRONG_USAGE
    assert "models are evaluated by the Python package: pip install 'skimline[models]'" in done.stderr
    assert not (tmp_path / "out.root").exists()


def test_unused_models_are_warned_of_and_files_are_not_overwritten(data, classifier, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = config_of(data, {"f": {"file": str(classifier), "output": 0}}, {"s": "met"})
    (warning,) = _core.Config("a.json", json.dumps(config)).warnings
    assert 'the model "f" is not used' in warning
    config["skims"]["out"]["file"] = "classifier.onnx"
    with pytest.raises(Error, match="the file of the model"):
        sk.run_config(config, force=True)
    assert classifier.stat().st_size > 100


# Frames


def test_frames_call_models(data, network, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    events = sk.open(data[0]).model("score", network, INPUTS).define("s", "score(pt, eta, charge)")
    arrays = events.arrays(["s"])
    np.testing.assert_allclose(flat(arrays.s), expected_scores(network, data[1]), rtol=3e-6)
    assert events.types["s"] == "ROOT::VecOps::RVec<float>" or "float" in events.types["s"]
    mass = events.hist("s", bins=40, range=(0, 1))
    described = sk.to_config(mass)
    assert described["models"] == {"score": {"file": str(network), "inputs": INPUTS}}
    again = sk.Frame.from_config(described)
    assert bits(again.arrays(["s"]).s) == bits(arrays.s)
    assert bits(pickle.loads(pickle.dumps(events)).arrays(["s"]).s) == bits(arrays.s)


def test_frames_check_models_where_they_are_given(data, classifier):
    events = sk.open(data[0])
    with pytest.raises(ConfigError, match="say which one by"):
        events.model("likely", classifier)
    events = events.model("likely", classifier, ["a", "b"], output="probabilities", element=1)
    with pytest.raises(ExpressionError, match="takes 2 arguments, not 1"):
        events.define("s", "likely(met)")
    assert len(events.define("s", "likely(met, njet)").arrays(["s"])) == NUM_EVENTS


def test_pickles_have_the_checksum(data, tmp_path):
    """Elsewhere, another model with this name is an error."""
    path = save_classifier(tmp_path / "m.onnx", [[1, -2], [0.5, 3]])
    frame = sk.open(data[0]).model("likely", path, output="label")
    (tmp_path / "frame").write_bytes(pickle.dumps(frame.define("s", "likely(met, njet)")))
    code = "import pickle, sys; print(len(pickle.load(open(sys.argv[1], 'rb')).arrays(['s'])))"
    command = [sys.executable, "-W", "ignore", "-c", code, tmp_path / "frame"]
    load = partial(subprocess.run, command, capture_output=True, text=True, env=package_program.environment())
    assert load().stdout == f"{NUM_EVENTS}\n"
    save_classifier(path, [[1, -2], [0.5, 2.75]])
    assert 'has the checksum "adler32:' in load().stderr


def test_a_session_is_shared(classifier):
    content = classifier.read_bytes()
    assert open_session(content) is open_session(content)
