"""Open MPI 5.0 on several hosts with several ranks each, where coll/han comes before coll/tuned: its own choices are what the
baseline says, and files that ask for what is slowest are followed all the same."""
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..")]
import probe  # noqa: E402
from library import REDUCTIONS, make_call  # noqa: E402
from several_hosts import OnHosts, calls_for, compare  # noqa: E402
from validation.mpi.rules import read_rules  # noqa: E402

BUILD = os.environ["TUTTI_BUILD"]
LAYOUTS = ((4, 2), (3, 3))
# Blocks and vectors on both sides of a segment of 64 KiB, of two and three of them, and of thresholds of coll/tuned.
COUNTS = (1, 7, 100, 511, 1024, 2049, 4095, 5000, 10000, 16384, 16385, 32768, 40000, 65536, 65537, 100000, 200000)
HAN = ("allgather", "allreduce", "barrier", "bcast", "gather", "reduce", "scatter")
LARGEST = 1 << 20  # bytes of a call in all


def calls_of(ranks):
    calls = set()
    for collective in HAN + ("alltoall", "scan"):
        if collective == "barrier":
            calls.add(make_call(collective, ranks, 0))
            continue
        element = 4 if collective in REDUCTIONS else 1
        blocks = ranks if collective in ("allgather", "alltoall", "gather", "scatter") else 1
        for count in COUNTS:
            for root in (0, 1, ranks - 1) if collective in ("bcast", "gather", "reduce", "scatter") else (0,):
                for operator in ("sum", "user") if collective in REDUCTIONS else ("sum",):
                    if count * element * blocks <= LARGEST:
                        calls.add(make_call(collective, ranks, count, root, operator))
    return sorted(calls)


def ends_shorter(call):
    """coll/han's last segment is shorter than the others. On nodes coll/tuned then may choose otherwise; a choice of ours says
    one algorithm for all."""
    size = call.count * (4 if call.collective in REDUCTIONS else 1)
    return call.collective in ("allreduce", "bcast", "reduce") and size > 65536 and size % 65536 != 0


class OnSeveralHosts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            cls.installed = probe.installed()
            if cls.installed.series != "5.0":
                raise unittest.SkipTest(f"coll/han comes first in Open MPI 5.0, this is {cls.installed.version}")
            with contextlib.closing(OnHosts(cls.installed, 1, 2)) as mpi:
                mpi.run([(make_call("barrier", 2, 0), {})])
        except probe.ProbeError as error:
            raise unittest.SkipTest(str(error)) from error

    def test_TheLibrarySendsWhatItsBaselineSays(self):
        for nodes, ppn in LAYOUTS:
            mpi, calls = self.on_hosts(nodes, ppn), calls_of(nodes * ppn)
            found = list(compare(BUILD, mpi, calls, "default:open-mpi-5.0"))
            differing = [f"{' '.join(map(str, call))}: the baseline says {choice}, the library sends "
                         f"{probe.matrix_text(sent)[:300]}" for call, choice, sent in found
                         if sent is not None and not ends_shorter(call)]
            excepted = [" ".join(map(str, call)) for call, _, sent in found if sent is not None and ends_shorter(call)]
            by_han = sum(choice.startswith("han") for _, choice, _ in found)
            print(f"{nodes} x {ppn}: {len(found) - len(differing) - len(excepted)} of {len(found)} calls as Open MPI "
                  f"{mpi.version} makes them, {by_han} of them by coll/han; the last segment goes another way on nodes in: "
                  f"{', '.join(excepted) or 'none'}")
            self.assertLess(len(excepted), len(found) // 20)
            self.assertEqual(differing[:10], [])
            self.assertGreater(by_han, len(found) // 3)

    def test_AFileThatAsksForTheSlowestIsFollowedInEveryCell(self):
        with tempfile.TemporaryDirectory() as place:
            table, rules = os.path.join(place, "table.json"), os.path.join(place, "table.rules")
            for nodes, ppn in LAYOUTS:
                self.tutti("tune", "--machine", "example-cluster", "--nodes", str(nodes), "--ppn", str(ppn), "--bytes", "64:1M",
                           "--for", "open-mpi-5.0", "--baselines", "open-mpi-5.0", "--collectives", ",".join(HAN),
                           "--exhaustive", "-o", table)
                turned = self.turn(table)
                self.tutti("export", table, "--to", "open-mpi", "-o", rules)
                mpi = self.on_hosts(nodes, ppn)
                calls = sorted({*calls_for(read_rules(rules), nodes * ppn, LARGEST), *self.calls_of_cells(table)})
                found = list(compare(BUILD, mpi, calls, f"file:open-mpi:{rules}", rules))
                missed = [f"{' '.join(map(str, call))}: the file says {choice}, sent was {probe.matrix_text(sent)[:300]}"
                          for call, choice, sent in found if sent is not None]
                flat = sum(not choice.startswith("han") for _, choice, _ in found)
                print(f"{nodes} x {ppn}: {len(found) - len(missed)} of {len(found)} calls followed, {flat} of them by coll/tuned; "
                      f"{turned} cells turned around")
                self.assertEqual(missed[:10], [])
                self.assertGreater(flat, len(found) // 2)

    def on_hosts(self, nodes, ppn):
        mpi = OnHosts(self.installed, nodes, ppn)
        self.addCleanup(mpi.close)
        return mpi

    @staticmethod
    def calls_of_cells(path):
        with open(path, encoding="utf-8") as file:
            for cell in json.load(file)["cells"]:
                ranks, name = cell["nodes"] * cell["ppn"], cell["collective"]
                each = 4 if name in REDUCTIONS else ranks if name in ("allgather", "gather", "scatter") else 1
                if cell["bytes"] >= each or name == "barrier":
                    yield make_call(name, ranks, cell["bytes"] // each)

    @staticmethod
    def turn(path):
        """The slowest becomes the fastest, and the library's own choice the slowest of all."""
        with open(path, encoding="utf-8") as file:
            table = json.load(file)
        for cell in table["cells"]:
            times = cell["times_us"]
            for name in times:
                times[name] = 1 / times[name]
            for name in ("least_default_us", "runs", "undecided"):
                cell.pop(name, None)
            cell["defaults_us"] = {"open-mpi-5.0": 2 * max(times.values())}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(table, file)
        return len(table["cells"])

    def tutti(self, *arguments):
        done = subprocess.run([os.path.join(BUILD, "tutti"), *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
