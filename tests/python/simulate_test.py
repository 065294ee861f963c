"""tutti.simulate and tutti.critical_path: the program's figures, in this process, and it stays one's own."""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

import module

module.enter()
import tutti  # noqa: E402

CLUSTER = "example-cluster"
# Half a minute of processor time.
LONG = dict(collective="alltoall", machine="leonardo-booster", algorithm="pairwise", nodes=400, ppn=8, bytes="16M", placement="scattered:1",
            progress=False)


def program(*words):
    return subprocess.run([module.PROGRAM, *words], capture_output=True, text=True, check=True).stdout


def rows(frame):
    return frame.to_dict("records") if hasattr(frame, "to_dict") else frame


class Simulate(unittest.TestCase):
    def same(self, frame, *words):
        expected = list(csv.DictReader(io.StringIO(program("simulate", *words, "--csv", "-"))))
        written = {name: lambda value: f"{value:.6f}" for name in ("time_us", "p05_us", "p95_us", "mean_us")} | {"in_place": lambda value: str(value).lower()}
        got = [{name: written.get(name, str)(value) for name, value in row.items()} for row in rows(frame)]
        for row in [*expected, *got]:  # the program names the file that they are given by
            for name in ("counts", "neighbors"):
                if os.path.isabs(row.get(name, "")) or row.get(name) == "given":
                    row[name] = "given"
        self.assertEqual(got, expected)

    def test_RowsAreThoseOfTheProgram(self):
        self.same(tutti.simulate("bcast", machine=CLUSTER, algorithm=["binomial", "chain:segment=8K"], nodes=[1, 7, 8], ppn=2, bytes="0,1K,64K", root=1),
                  "bcast", "--machine", CLUSTER, "--algorithm", "binomial,chain:segment=8K", "--nodes", "1,7,8", "--ppn", "2",
                  "--bytes", "0,1K,64K", "--root", "1")
        self.same(tutti.simulate("allreduce", machine=CLUSTER, algorithm="all,default:open-mpi-4.1", ranks="2-5", osu_sizes="8:64", op="max"),
                  "allreduce", "--machine", CLUSTER, "--algorithm", "all,default:open-mpi-4.1", "--ranks", "2-5", "--osu-sizes", "8:64",
                  "--op", "max")
        self.same(tutti.simulate("barrier", machine=CLUSTER, algorithm="bruck", ranks=13, ppn=3, placement="cyclic", mode="skew:1e-6", seed=7),
                  "barrier", "--machine", CLUSTER, "--algorithm", "bruck", "--ranks", "13", "--ppn", "3", "--placement", "cyclic",
                  "--mode", "skew:1e-6", "--seed", "7")
        self.same(tutti.simulate("bcast", machine=CLUSTER, algorithm="binomial", ranks=5, bytes=64, mode="skew:1e-6:4"), "bcast", "--machine", CLUSTER,
                  "--algorithm", "binomial", "--ranks", "5", "--bytes", "64", "--mode", "skew:1e-6:4")
        self.same(tutti.simulate("reduce", machine=CLUSTER, algorithm="linear", ranks=5, bytes=64, element=8, in_place=True), "reduce", "--machine", CLUSTER,
                  "--algorithm", "linear", "--ranks", "5", "--bytes", "64", "--element", "8", "--in-place")

    def test_ChoicesWithPartsAreThoseOfTheProgram(self):
        choices = "hier(node=linear,global=knomial),hier(global=linear),binomial"
        self.same(tutti.simulate("bcast", machine=CLUSTER, algorithm=choices, nodes=3, ppn=2, bytes=64), "bcast", "--machine", CLUSTER,
                  "--algorithm", choices, "--nodes", "3", "--ppn", "2", "--bytes", "64")

    def test_IrregularCallsAreThoseOfTheProgram(self):
        on = ("--machine", CLUSTER, "--ranks", "3", "--algorithm", "all")
        asked = dict(machine=CLUSTER, ranks=3)
        self.same(tutti.simulate("allgatherv", bytes="0,10,64K", counts="zipf:1.2", **asked), "allgatherv", *on, "--bytes", "0,10,64K",
                  "--counts", "zipf:1.2")
        self.same(tutti.simulate("neighbor_alltoallv", bytes="64K", counts="one", neighbors="3", **asked), "neighbor_alltoallv", *on,
                  "--bytes", "64K", "--counts", "one", "--neighbors", "3")
        self.same(tutti.simulate("reduce_scatter", machine="marenostrum5-acc", algorithm="pairwise", nodes=32, bytes="1M", counts="one"), "reduce_scatter",
                  "--machine", "marenostrum5-acc", "--algorithm", "pairwise", "--nodes", "32", "--ppn", "1", "--bytes", "1M", "--counts", "one")
        with tempfile.TemporaryDirectory() as folder:
            files = {name: os.path.join(folder, name) for name in ("ranks", "pairs", "edges")}
            for name, text in (("ranks", "5 0 7000\n"), ("pairs", "0 1 2\n3 4 5\n6 7 8000\n"), ("edges", "0 1\n2 0\n")):
                with open(files[name], "w", encoding="ascii") as file:
                    file.write(text)
            self.same(tutti.simulate("gatherv", counts=[5, 0, 7000], root=2, **asked), "gatherv", *on, "--counts", files["ranks"], "--root", "2")
            self.same(tutti.simulate("alltoallv", counts=[[0, 1, 2], [3, 4, 5], [6, 7, 8000]], **asked), "alltoallv", *on, "--counts",
                      files["pairs"])
            self.same(tutti.simulate("neighbor_alltoall", neighbors=[(0, 1), (2, 0)], bytes="1K", **asked), "neighbor_alltoall", *on,
                      "--neighbors", files["edges"], "--bytes", "1K")

    def test_WhatACollectiveDoesNotHaveIsRefused(self):
        asked = dict(machine=CLUSTER, ranks=3)
        for collective, arguments, expected in (
                ("barrier", dict(bytes=64), "moves no data"), ("allgather", dict(bytes=64, counts="one"), "equal blocks"),
                ("allgatherv", dict(bytes=64, counts=[1, 2, 3]), "they say the size"), ("allgatherv", dict(counts=[1, 2]), "3"),
                ("neighbor_allgather", dict(bytes=64), "neighbors"), ("allgather", dict(bytes=64, neighbors="3"), "neighbors"),
                ("neighbor_allgatherv", dict(counts=[1, 2, 3], neighbors="3"), "expected a text"),
                ("allreduce", dict(bytes=64, root=2), "root"), ("alltoall", dict(bytes=64, op="max"), "operator"),
                ("bcast", dict(bytes=64, in_place=True), "in place"), ("barrier", dict(element=4), "elements"),
                ("alltoallv", dict(counts=[[1, 2, 3], [4, 5], [7, 8, 9]]), "a row for each rank"), ("gatherv", dict(counts=[1.5, 2, 3]), "whole"),
                ("neighbor_alltoall", dict(bytes=64, neighbors=[1, 2]), "pairs of ranks"), ("neighbor_alltoall", dict(bytes=64, neighbors=[]), "one edge")):
            with self.subTest(collective=collective, **arguments), self.assertRaisesRegex(tutti.InputError, expected):
                tutti.simulate(collective, **asked, **arguments)

    def test_CountsOfPairsAreARowForEachRank(self):
        for collective, counts in (("alltoallv", [[1], [2, 3, 4, 5], [6, 7, 8, 9]]), ("alltoallv", list(range(9))), ("gatherv", [[1, 2], [3]]), ("gatherv", [])):
            with self.subTest(counts=counts), self.assertRaises(tutti.InputError):
                tutti.simulate(collective, machine=CLUSTER, algorithm="linear", ranks=3, counts=counts)

    def test_AnyNumberOfJobsGivesTheSame(self):
        asked = dict(collective="allgather", machine=CLUSTER, nodes="2-9", ppn=1, bytes="64,64K")
        first, second = (rows(tutti.simulate(**asked, jobs=jobs)) for jobs in (1, 3))
        self.assertGreater(len(first), 100)
        self.assertEqual(first, second)

    def test_TheOtherEngineIsFoundToo(self):
        if "simgrid" not in tutti._core.engine_names():
            self.skipTest("built without SimGrid")
        asked = dict(collective="bcast", machine=CLUSTER, algorithm="binomial", nodes=3, bytes="1K")
        one, other = (rows(tutti.simulate(**asked, engine=engine))[0]["time_us"] for engine in ("fast", "simgrid"))
        self.assertAlmostEqual(one, other, places=3)

    def test_WithoutPandasRowsAreDictionaries(self):
        script = ("import sys; sys.modules['pandas'] = None\n"
                  "import importlib.util as util; find = util.find_spec\n"
                  "util.find_spec = lambda name, package=None: None if name == 'pandas' else find(name, package)\n"
                  "import tutti; rows = tutti.simulate('bcast', machine='example-cluster', algorithm='linear', nodes=2, bytes=8)\n"
                  "assert type(rows) is list and rows[0]['ranks'] == 2 and rows[0]['time_us'] > 0, rows\n"
                  "assert type(tutti.machines()) is list")
        subprocess.run([sys.executable, "-B", "-c", script], check=True)

    def test_WithPandasTheyAreAFrame(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas (Debian: python3-pandas)")
        frame = tutti.simulate("bcast", machine=CLUSTER, algorithm="linear", nodes=[2, 3], bytes=[8, 16])
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(list(frame.columns), tutti.simulation.COLUMNS)
        self.assertEqual(list(frame.ranks), [2, 2, 3, 3])

    def test_BadInputIsAValueErrorThatSaysWhatWasExpected(self):
        good = dict(collective="bcast", machine=CLUSTER, algorithm="linear", nodes=2, bytes=8)
        for change, text in (({"machine": "nowhere"}, r"\Anowhere:1: expected a machine file, or one of "),
                             ({"collective": "bcats"}, r"unknown collective 'bcats'.*bcast"),
                             ({"algorithm": "binomail"}, "binomail"), ({"algorithm": []}, r"\Aalgorithm: expected at least one"),
                             ({"bytes": None}, r"\Aexpected one of bytes and osu_sizes\Z"), ({"ppn": 300}, r"\Appn 300: "),
                             ({"nodes": "x"}, "'x': expected a whole number"), ({"nodes": 0}, r"\Anodes 0: expected 1 or more"),
                             ({"root": 9}, r"\Aroot 9: expected a rank of 2"), ({"engine": "slow"}, "slow"), ({"mode": "fast"}, "fast"),
                             ({"nodes": True}, r"\Anodes: True: expected a whole number"), ({"nodes": 2.0}, r"\Anodes: 2\.0: expected a whole number"),
                             ({"bytes": float("nan")}, r"\Abytes: nan: expected a whole number"), ({"bytes": b"8"}, r"\Abytes: b'8': expected a whole number"),
                             ({"bytes": [8, 1e6]}, r"\Abytes: 1000000\.0: expected a whole number"),
                             ({"seed": -1}, r"\Aseed: -1: expected a whole number from 0 to 18446744073709551615\Z"), ({"root": 1 << 40}, r"\Aroot: 1"), ({"element": 0}, r"\Aelement: "), ({"jobs": 0}, r"\Ajobs: "), ({"op": "plus"}, "plus")):
            with self.subTest(change), self.assertRaisesRegex(tutti.InputError, text) as caught:
                tutti.simulate(**{**good, **change})
            self.assertIsInstance(caught.exception, ValueError)
        with self.assertRaises(TypeError):
            tutti.simulate(**{**good, "algorithm": [3]})

    def test_SeveralNumbersMayBeTextsToo(self):
        rows = tutti.simulate("bcast", machine=CLUSTER, algorithm="linear", nodes=[2, "3-4"], bytes=[8, "4K"])
        self.assertEqual(sorted({(row.nodes, row.bytes) for row in rows.itertuples()}), [(n, b) for n in (2, 3, 4) for b in (8, 4096)])

    def test_AMachineFileThatIsWrongIsRefusedWithItsLine(self):
        text = tutti.machine(CLUSTER).text
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace('"network"', '"netwrk"', 1))
            with self.assertRaisesRegex(tutti.InputError, r"mine\.json:\d+: .*expected"):
                tutti.machine(path)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            self.assertEqual(tutti.machine(path).nodes, tutti.machine(CLUSTER).nodes)

    def test_WhatIsLeftOutIsAWarning(self):
        with self.assertWarnsRegex(tutti.TuttiWarning, "two_proc"):
            frame = tutti.simulate("allgather", machine=CLUSTER, algorithm="two_proc,ring", nodes=[2, 3], bytes=60)
        self.assertEqual([(row["algorithm"], row["ranks"]) for row in rows(frame)], [("two_proc", 2), ("ring", 2), ("ring", 3)])

    def test_ASweepOfRanksThatGoesFromANodeEachToFullNodesIsAWarning(self):
        with self.assertWarnsRegex(tutti.TuttiWarning, "ranks without ppn: up to 16 ranks have a node each"):
            tutti.simulate("barrier", machine=CLUSTER, algorithm="bruck", ranks="16-17")

    def test_ProgressIsTold(self):
        said = []
        frame = tutti.simulate("allreduce", machine=CLUSTER, nodes="2-9", bytes="8,64K", progress=lambda done, of: said.append((done, of)))
        self.assertEqual(said[-1], (len(frame), len(frame)))
        self.assertEqual(said, sorted(said))
        with self.assertRaises(ZeroDivisionError):
            tutti.simulate("bcast", machine=CLUSTER, nodes=2, bytes=8, progress=lambda done, of: 1 // 0)

    def test_OtherThreadsOfPythonRunMeanwhile(self):
        turns, ended = [], threading.Event()

        def count():
            while not ended.is_set():
                turns.append(time.monotonic())
                time.sleep(0.002)

        spans, native = [], tutti._core.simulate

        def timed(**asked):
            began = time.monotonic()
            try:
                return native(**asked)
            finally:
                spans.append((began, time.monotonic()))

        thread = threading.Thread(target=count)
        thread.start()
        with mock.patch.object(tutti._core, "simulate", timed):
            tutti.simulate("alltoall", machine="leonardo-booster", nodes=100, ppn=8, bytes="1M", algorithm="linear", placement="scattered:1",
                           jobs=1, progress=False)
        ended.set()
        thread.join()
        ((began, end),) = spans
        late = [turn for turn in turns if began + 0.5 * (end - began) < turn < began + 0.9 * (end - began)]  # planning comes first
        self.assertGreater(len(late), 3, f"{len(turns)} turns in {end - began} s")

    def test_CtrlCRaisesAtOnceAndWhatIsUnderWayStopsSoon(self):
        script = ("import os, signal, threading, time, tutti\n"
                  "threads = lambda: len(os.listdir('/proc/self/task'))\n"
                  "idle = threads()\n"
                  "def interrupt():\n"
                  "    while threads() < idle + 2: time.sleep(0.01)\n"  # this one, and one that simulates
                  "    os.kill(os.getpid(), signal.SIGINT)\n"
                  "thread = threading.Thread(target=interrupt)\n"
                  f"asked = {LONG!r}\n"
                  "try:\n"
                  "    thread.start(); tutti.simulate(**asked)\n"
                  "except KeyboardInterrupt:\n"
                  "    thread.join()\n"
                  "    while threads() > idle: time.sleep(0.01)\n"
                  "    print('interrupted', 'soon' if time.process_time() < 12 else f'after {time.process_time()} s', flush=True); os._exit(0)\n"
                  "print('done')")
        done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True, timeout=300, check=True)
        self.assertEqual((done.stdout, done.stderr), ("interrupted soon\n", ""))

    def test_WhatIsGivenUpDoesNotDisturbTheEndOfTheProcess(self):
        script = ("import tutti\n"
                  "def stop(done, of): raise StopIteration\n"
                  "try:\n"
                  "    tutti.simulate('alltoall', machine='example-cluster', nodes=16, ppn=8, bytes='64K', algorithm='all', progress=stop)\n"
                  "except StopIteration:\n"
                  "    print('stopped')")
        done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True, timeout=500, check=True)
        self.assertEqual((done.stdout, done.stderr), ("stopped\n", ""))


class CriticalPath(unittest.TestCase):
    def test_HasNoGapsAndIsThatOfTheProgram(self):
        call = tutti.critical_path("allreduce", machine=CLUSTER, algorithm="ring", nodes=5, ppn=1, bytes="64K")
        told = json.loads(program("simulate", "allreduce", "--machine", CLUSTER, "--algorithm", "ring", "--nodes", "5", "--ppn", "1",
                                  "--bytes", "64K", "--json"))[0]
        path = rows(call.path)
        self.assertEqual(call.time_us, told["time_us"])
        self.assertEqual(path[0]["from_us"], 0)
        self.assertAlmostEqual(path[-1]["to_us"], call.time_us, places=5)  # times are rounded to a grid
        for one, following in zip(path, path[1:]):
            self.assertEqual(one["to_us"], following["from_us"])
        self.assertEqual(rows(call.bounds), told["bounds"])
        self.assertEqual([second * 1e6 for second in call.seconds_per_rank], told["time_us_per_rank"])
        self.assertEqual(call.bytes_per_level, told["bytes_per_level"])
        self.assertAlmostEqual(sum(row["us"] for row in rows(call.bounds)), call.time_us, places=5)
        self.assertEqual(sum(row["kind"] == "message" for row in rows(call.events)), call.row["messages"])

    def test_IsOfOneCall(self):
        with self.assertRaisesRegex(tutti.InputError, "expected one algorithm, one size and one number of ranks, not 2 runs"):
            tutti.critical_path("bcast", machine=CLUSTER, algorithm="linear", nodes=[2, 3], bytes=8)

    def test_IsWrittenAsATrace(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            tutti.critical_path("bcast", machine=CLUSTER, algorithm="binomial", nodes=3, bytes=8).save_trace(path)
            with open(path, encoding="utf-8") as file:
                self.assertTrue(json.load(file))
            self.assertEqual(os.listdir(folder), ["trace.json"])


class Machines(unittest.TestCase):
    def test_AreThoseOfTheProgram(self):
        told = {row["name"]: row for row in json.loads(program("machines", "--json"))}
        got = {row["name"]: row for row in rows(tutti.machines())}
        self.assertEqual(got, told)
        self.assertEqual(len(tutti.figures(CLUSTER)), told[CLUSTER]["figures"])

    def test_AreShownByNameAndSize(self):
        self.assertEqual(repr(tutti.machine(CLUSTER)), "<tutti.Machine example-cluster: 16 nodes of 8 cores>")

    def test_TellWhatAMessageTakes(self):
        machine = tutti.machine(CLUSTER)
        self.assertLess(machine.message_seconds(0, 1, 8), machine.message_seconds(0, machine.cores_per_node, 8))
        for cores in ((0, 0), (-1, 1), (0, machine.nodes * machine.cores_per_node)):
            with self.assertRaises(tutti.InputError):
                machine.message_seconds(*cores, 8)

    def test_AreMadeOfDictionaries(self):
        changed = json.loads(tutti.machine(CLUSTER).text)
        self.assertEqual(tutti.machine(changed).nodes, tutti.machine(CLUSTER).nodes)
        changed["network"]["fat_tree"]["layers"][0]["bandwidth_bytes_per_second"] /= 8
        changed["name"] = "tapered"
        asked = dict(collective="alltoall", algorithm="linear", nodes=8, ppn=1, bytes="8M")
        before, after = (rows(tutti.simulate(machine=machine, **asked))[0] for machine in (CLUSTER, changed))
        self.assertEqual(after["system"], "tapered")
        self.assertGreater(after["time_us"], 2 * before["time_us"])
        self.assertEqual(tutti.tune(changed, nodes=2, bytes=8, collectives="bcast", confirm="none").machine, "tapered")
        changed["network"]["fat_tree"]["nodes_per_leaf"] = 0
        with self.assertRaisesRegex(tutti.InputError, r"\Amachine:\d+: /network/fat_tree/nodes_per_leaf: expected"):
            tutti.machine(changed)

    def test_TheVersionIsTheProgramsOwn(self):
        self.assertEqual(f"tutti {tutti.__version__}\n", program("--version"))


if __name__ == "__main__":
    unittest.main()
