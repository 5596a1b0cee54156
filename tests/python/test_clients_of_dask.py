# SPDX-License-Identifier: BSD-3-Clause
"""What is given to a run as a client of Dask, and what is said where its workers are gone."""

import asyncio
import threading
import types

import distributed
import pytest
import skimline as sk
from dask_cluster import no_workers
from skimline import distribution, requested_parts
from skimline.errors import ConfigError, warn

pytestmark = pytest.mark.usefixtures("outputs_of_parts")


def test_executors_of_dask_are_executors(config, run_in, dask):
    expected = run_in(config, "here")
    assert run_in(config, "there", executor=dask.get_executor()) == expected
    with pytest.raises(ConfigError, match="the executor has no way from worker to worker"):
        run_in(config, "by a tree", executor=dask.get_executor(), reduce="tree")


def test_clients_of_dask_that_cannot_be_waited_for(config, run_in, dask):
    async def run_there():
        async with distributed.Client(dask.scheduler.address, asynchronous=True) as client:
            run_in(config, "there", executor=client)

    with pytest.raises(ConfigError, match="executor is a Client of Dask that is asynchronous"):
        asyncio.run(run_there())
    with distributed.Client(dask.scheduler.address, set_as_default=False) as client:
        pass
    with pytest.raises(ConfigError, match="executor is a Client of Dask that is closed"):
        run_in(config, "closed", executor=client)


def test_a_cluster_without_workers_is_waited_for_and_told(config, run_in, tmp_path, monkeypatch):
    expected = run_in(config, "here")
    monkeypatch.setattr(distribution, "_LOOKS_WITHOUT_WORKERS", 3)
    with no_workers(tmp_path) as client:
        threading.Timer(5, client.cluster.scale, [1]).start()
        with pytest.warns(sk.RunWarning, match="the cluster of Dask has no worker: the run goes on when"):
            assert run_in(config, "later", executor=client) == expected


def test_warnings_of_the_program_have_no_lines_of_python(monkeypatch, capfd):
    def compute(*_):
        warn("nobody is there", sk.RunWarning)

    monkeypatch.setitem(requested_parts._DEEDS, "compute", compute)
    assert requested_parts.answer('{"do": "compute"}', lambda: False) == (True, "null")
    assert capfd.readouterr().err == "skimline: warning: nobody is there\n"


def test_large_results_are_waited_for_without_a_limit():
    """With one, Dask breaks off transfers that take longer, and says under load that parts were lost."""

    class Transfer:
        client = types.SimpleNamespace(status="running")

        def add_done_callback(self, function):
            threading.Timer(0.3, function, [self]).start()

        def result(self, timeout=None):
            assert timeout is None
            return 7

    assert distribution.result_of(Transfer(), None) == 7
    with pytest.raises(distribution.Stopped):
        distribution.result_of(Transfer(), lambda: True)
