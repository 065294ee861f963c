"""Tables, machines from measurements and pictures: what the program makes, looked at from Python."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import module

module.enter()
import tutti  # noqa: E402

CLUSTER = "example-cluster"
SMALL = dict(machine=CLUSTER, nodes="2-4", ppn=1, osu_sizes="8:64K", collectives="bcast,allreduce", confirm="none")
WORDS = ["tune", "--machine", CLUSTER, "--nodes", "2-4", "--ppn", "1", "--osu-sizes", "8:64K", "--collectives", "bcast,allreduce",
         "--confirm", "none"]


def rows(frame):
    return frame.to_dict("records") if hasattr(frame, "to_dict") else frame


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.table = tutti.tune(**SMALL, output=os.path.join(cls.folder, "table.json"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_AreThoseOfTheProgramByteForByte(self):
        subprocess.run([module.PROGRAM, *WORDS, "-o", self.path("own.json")], check=True, capture_output=True)
        self.assertEqual(read(self.path("table.json")), read(self.path("own.json")))
        self.table.save(self.path("saved.json"))
        self.assertEqual(read(self.path("saved.json")), read(self.path("own.json")))
        self.assertNotIn("part", "".join(os.listdir(self.folder)))

    def test_SayWhatTheirFileSays(self):
        told = json.loads(read(self.path("table.json")))
        self.assertEqual(self.table.machine, CLUSTER)
        got = rows(self.table.rules)
        self.assertEqual([(row["collective"], row["nodes"], row["ppn"], row["from_bytes"], row["algorithm"]) for row in got],
                         [(row["collective"], row["nodes"], row["ppn"], row["from_bytes"], row["algorithm"]) for row in told["rules"]])
        self.assertGreater(len(self.table.cells), len(got))
        for row in got:
            self.assertEqual(self.table.look_up(row["collective"], nodes=row["nodes"], bytes=row["from_bytes"])["algorithm"], row["algorithm"])

    def test_SayNoRegretWhereNobodyKnowsIt(self):
        told = json.loads(read(self.path("table.json")))
        rule = told["rules"][0]
        rule |= {"undecided": True, "regret": None, "margin": None}
        with open(self.path("undecided.json"), "w", encoding="utf-8") as file:
            json.dump(told, file)
        row = tutti.read_table(self.path("undecided.json")).look_up(rule["collective"], nodes=rule["nodes"], bytes=rule["from_bytes"])
        self.assertEqual((row["regret"], row["margin"], row["runner_up"]), (None, None, rule["runner_up"]))
        known = self.table.look_up(rule["collective"], nodes=rule["nodes"], bytes=rule["from_bytes"])
        self.assertGreaterEqual(known["regret"], 0)

    def test_KeepWholeNumbersWhole(self):
        ends = [row["to_bytes"] for row in rows(self.table.rules)]
        self.assertTrue(any(type(end) is int for end in ends), ends)
        self.assertFalse(any(isinstance(end, float) for end in ends), ends)

    def test_AreLookedUpAtExactlyOnePlace(self):
        rule = self.table.look_up("bcast", nodes=3, bytes=1 << 40)
        self.assertIsNone(rule["to_bytes"])
        self.assertIsNone(self.table.look_up("bcast", nodes=5, bytes=8))
        self.assertIsNone(self.table.look_up("gather", nodes=3, bytes=8))
        with self.assertRaises(tutti.InputError):
            self.table.look_up("bcats", nodes=3)

    def test_AreCompared(self):
        self.assertEqual(len(tutti.diff(self.table, self.table)), 0)
        other = tutti.tune(**{**SMALL, "algorithms": "linear,recursive_doubling"})
        differences = rows(tutti.diff(self.table, other))
        self.assertGreater(len(differences), 0)
        for row in differences:
            for size in (row["from_bytes"], row["to_bytes"] if isinstance(row["to_bytes"], int) else 1 << 40):
                said = [table.look_up(row["collective"], nodes=row["nodes"], bytes=int(size))["algorithm"] for table in (self.table, other)]
                self.assertEqual(said, [row["first"], row["second"]])

    def test_StandForTheirFilesWhereTheseAreGiven(self):
        self.assertEqual(len(tutti.diff(self.path("table.json"), self.table)), 0)
        with self.assertRaisesRegex(tutti.InputError, r"none\.json:1: "):
            tutti.plot.selection_map(self.path("none.json"))
        with self.assertRaises(TypeError):
            tutti.diff(self.table, None)

    def test_ThatCannotBeWrittenAreSaidByTheNameThatWasGiven(self):
        with self.assertRaises(FileNotFoundError) as raised:
            self.table.save(self.path("none/table.json"))
        self.assertEqual(raised.exception.filename, os.path.realpath(self.path("none/table.json")))

    def test_AreExported(self):
        report = self.table.export("open-mpi-classic", self.path("rules.txt"))
        subprocess.run([module.PROGRAM, "export", self.path("table.json"), "--to", "open-mpi-classic", "-o", self.path("own.txt")], check=True,
                       capture_output=True)
        self.assertEqual(read(self.path("rules.txt")), read(self.path("own.txt")))
        self.assertEqual(report["machine"], CLUSTER)
        with self.assertRaisesRegex(tutti.InputError, "open-mpi-clasic"):
            self.table.export("open-mpi-clasic", self.path("rules.txt"))

    def test_ThatAreWrongAreRefusedWithFileAndLine(self):
        text = read(self.path("table.json")).decode()
        with open(self.path("wrong.json"), "w", encoding="utf-8") as file:
            file.write(re.sub(r'"algorithm": *"', '"algorithm":"un', text, count=1))
        with self.assertRaisesRegex(tutti.InputError, r"wrong\.json:\d+: "):
            tutti.read_table(self.path("wrong.json"))
        with self.assertRaisesRegex(tutti.InputError, r"none\.json"):
            tutti.read_table(self.path("none.json"))

    def test_BadInputIsAValueErrorInTheWordsOfPython(self):
        for change, text in (({"nodes": "x"}, "'x': expected a whole number"), ({"bound": 3}, r"\Abound 3: expected a regret"),
                             ({"machine": "nowhere"}, "nowhere:1: expected a machine file"), ({"jobs": 0}, r"\Ajobs: expected"),
                             ({"algorithms": []}, r"\Aalgorithms: expected at least one name")):
            with self.subTest(change), self.assertRaisesRegex(tutti.InputError, text):
                tutti.tune(**{**SMALL, **change})

    def test_CtrlCEndsTheProgramAndKeepsWhatIsFinished(self):
        state = self.path("state")
        script = ("import tutti\n"
                  "try:\n"
                  f"    tutti.tune('leonardo-booster', nodes='2-200', ppn='1,4,32', osu_sizes='8:1M', state={state!r}, progress=False)\n"
                  "except KeyboardInterrupt:\n    print('interrupted')")
        process = subprocess.Popen([sys.executable, "-B", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        database, deadline = os.path.join(state, "sweep.sqlite"), time.monotonic() + 120
        while not os.path.exists(database) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertTrue(os.path.exists(database))
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=120)
        self.assertEqual((stdout, stderr), ("interrupted\n", ""))
        left = subprocess.run(["pgrep", "-f", state], capture_output=True, text=True).stdout
        self.assertEqual(left, "")

    def test_IsOfTheMachineThatWasLoadedOrNone(self):
        asked = dict(nodes=4, bytes="64K", collectives="bcast", algorithms="binomial", confirm="none", progress=False)
        example, other = (tutti.machine(name).text for name in (CLUSTER, "leonardo-booster"))
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                with open("machine", "w", encoding="utf-8") as file:  # what dictionaries are called in messages
                    file.write(other)
                self.assertEqual(tutti.tune(json.loads(example), **asked).machine, CLUSTER)
                with open("m.json", "w", encoding="utf-8") as file:
                    file.write(example)
                loaded = tutti.machine("m.json")
                self.assertEqual(tutti.tune(loaded, **asked).machine, CLUSTER)
                with open("m.json", "w", encoding="utf-8") as file:
                    file.write(other)
                with self.assertRaisesRegex(tutti.InputError, "m.json: has changed since it was loaded"):
                    tutti.tune(loaded, **asked)
                ring = lambda count: tutti.network(CLUSTER, {"a": "x", "b": "y", "c": "x", "d": "y"}, [("x", "y", count)], "net.csv", bandwidth=1e9,
                                                   latency=1e-6)
                narrow = ring(1)
                wide = ring(2)
                with self.assertRaisesRegex(tutti.InputError, "has changed since"):
                    tutti.tune(narrow, **asked)
                self.assertEqual(tutti.tune(wide, **asked).machine, CLUSTER + "-net")
            finally:
                os.chdir(before)

    def test_AProgramThatIsNotThereIsSaid(self):
        script = ("import os, tutti; os.environ['PATH'] = '/nowhere'; os.environ.pop('TUTTI_PROGRAM')\n"
                  "try: tutti.tune('example-cluster', nodes=2, bytes=8)\n"
                  "except tutti.TuttiError as error: print(error)")
        done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, "the program 'tutti' is neither in this package nor in PATH")


class Calibration(unittest.TestCase):
    LATENCY = os.path.join(module.build_module.ROOT, "tests", "fuzz", "corpus", "osu", "latency-v5.txt")

    def test_IsThatOfTheProgram(self):
        with tempfile.TemporaryDirectory() as folder:
            mine, own = os.path.join(folder, "mine.json"), os.path.join(folder, "own.json")
            found = tutti.calibrate(mine, osu=self.LATENCY, base=CLUSTER, name="mine")
            subprocess.run([module.PROGRAM, "calibrate", "--osu", self.LATENCY, "--base", CLUSTER, "--name", "mine", "-o", own], check=True,
                           capture_output=True)
            self.assertEqual(read(mine), read(own))
            self.assertEqual(found.machine.name, "mine")
            self.assertTrue(found.residuals)
            again = tutti.calibrate(mine, osu={"network": self.LATENCY}, base=CLUSTER, name="mine")
            self.assertEqual(again.residuals, found.residuals)
            self.assertEqual(len(tutti.simulate("bcast", machine=found.machine, algorithm="linear", nodes=2, bytes=8)), 1)

    def test_ToCollectivesIsThatOfTheProgram(self):
        with tempfile.TemporaryDirectory() as folder:
            mine, own, rows = (os.path.join(folder, name) for name in ("mine.json", "own.json", "rows.csv"))
            with open(rows, "w", encoding="ascii") as file:
                file.write("system,collective,algorithm,ranks,ppn,bytes,median_us\nexample-cluster,bcast,linear,2,1,65536,9.5\n"
                           "example-cluster,bcast,linear,3,1,65536,14\nexample-cluster,bcast,linear,2,1,1048576,95\n"
                           "example-cluster,bcast,binomial,3,1,65536,14\n")
            found = tutti.calibrate(mine, collectives=rows, fit="bcast:linear", base=CLUSTER, jobs=1)
            done = subprocess.run([module.PROGRAM, "calibrate", "--collectives", rows, "--fit", "bcast:linear", "--base", CLUSTER, "-o", own,
                                   "--json"], check=True, capture_output=True, text=True)
            self.assertEqual((read(mine), found.residuals), (read(own), json.loads(done.stdout)))
            self.assertEqual((found.residuals["rows"], found.residuals["rows_in_file"]), (3, 4))
            self.assertNotIn("cross_validation", found.residuals)
            found = tutti.calibrate(mine, collectives=rows, fit="bcast:linear", base=CLUSTER, jobs=1, cross_validate=True)
            self.assertEqual([held["nodes"] for held in found.residuals["cross_validation"]["held_back"]], [2, 3])

    def test_OfAWrongFileIsRefusedWithFileAndLine(self):
        with tempfile.TemporaryDirectory() as folder:
            path, out = os.path.join(folder, "latency.txt"), os.path.join(folder, "mine.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write("# OSU MPI Latency Test v5.6\n# Size          Latency (us)\n0   x\n")
            with self.assertRaisesRegex(tutti.InputError, r"latency\.txt:3: "):
                tutti.calibrate(out, osu=path, base=CLUSTER)
            self.assertFalse(os.path.exists(out))


class Pictures(unittest.TestCase):
    def setUp(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("no matplotlib (Debian: python3-matplotlib)")

    def test_AreDrawnOfTimesAndTables(self):
        frame = tutti.simulate("bcast", machine=CLUSTER, ranks="2-5", bytes="64K", algorithm="binomial,chain,scatter_ring")
        pictures = [tutti.plot.times(frame), tutti.plot.times(rows(frame), over="sizes"), tutti.plot.selection_map(tutti.tune(**SMALL))]
        for picture in pictures:
            self.assertTrue(picture._repr_png_().startswith(b"\x89PNG"))
            self.assertIn(b"<svg", picture.svg)
        self.assertEqual(len({picture.png for picture in pictures}), 3)
        with tempfile.TemporaryDirectory() as folder:
            for name, data in (("a.png", pictures[0].png), ("a.svg", pictures[0].svg)):
                pictures[0].save(os.path.join(folder, name))
                self.assertEqual(read(os.path.join(folder, name)), data)
            with self.assertRaisesRegex(tutti.InputError, r"a\.gif: expected a name that ends in \.png or \.svg"):
                pictures[0].save(os.path.join(folder, "a.gif"))

    def test_OfWhatAreNoTimesAreRefused(self):
        for given, text in (([{"a": 1}], r"\Atimes\.csv:1: expected the columns system"), ([], "expected at least one row")):
            with self.assertRaisesRegex(tutti.InputError, text):
                tutti.plot.times(given)


if __name__ == "__main__":
    unittest.main()
