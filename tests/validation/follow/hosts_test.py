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
ROOT = os.path.join(HERE, "..", "..", "..")
sys.path[:0] = [HERE, ROOT, os.path.join(ROOT, "checks")]
import turned_table  # noqa: E402
from lab_hosts import LabHosts  # noqa: E402
from uts_hosts import Hosts  # noqa: E402
from validation.follow import layouts, probe  # noqa: E402
from validation.follow.library import REDUCTIONS, make_call  # noqa: E402

TUTTI = os.path.join(os.environ["TUTTI_BUILD"], "tutti")
LAYOUTS = ((4, 2), (3, 3))
EVEN = LAYOUTS + ((2, 2), (2, 3), (5, 2), (7, 2))  # where coll/han serves all that it has
CYCLIC = ((2, 2, 2, 2), (3, 3, 3))  # ranks on each host, rank after rank on another one
LEFT = ((1, 1, 1), (4, 1, 2), (2, 3, 2))  # ranks on each host: where it leaves all or most to coll/tuned
# Blocks and vectors on both sides of a segment of 64 KiB, of two and three of them, and of thresholds of coll/tuned.
COUNTS = (1, 7, 100, 511, 1024, 2049, 4095, 5000, 10000, 16384, 16385, 32768, 40000, 65536, 65537, 100000, 200000)
HAN = ("allgather", "allreduce", "barrier", "bcast", "gather", "reduce", "scatter")
# On 3 x 3 the same parts on nodes and between them, since one rule says both.
SIMPLE = {"bcast": "han_simple:low=1:up=1", "reduce": "han_simple:low=1:up=1", "allreduce": "han_simple:reduce=1:bcast=1:up=4"}
ASKED_FOR = "coll/tuned ", "coll/han han_simple"  # not coll/han's own choice
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
            with contextlib.closing(Hosts(cls.installed.mpirun, [2])) as hosts:
                with contextlib.closing(cls.with_han(hosts)) as mpi:
                    mpi.run([(make_call("barrier", 2, 0), {})])
        except probe.ProbeError as error:
            raise unittest.SkipTest(str(error)) from error

    def test_TheLibrarySendsWhatItsBaselineSays(self):
        made = 0
        for nodes, ppn in EVEN:
            found, by_han, excepted = self.compared([ppn] * nodes)
            self.assertLess(excepted, found // 20)
            self.assertGreater(by_han, found // 3)
            made += found - excepted
        self.assertGreaterEqual(made, 2000)

    def test_SoItDoesOnHostsThatHanDoesNotServe(self):
        for on_hosts in LEFT:
            found, by_han, excepted = self.compared(on_hosts)
            self.assertLess(excepted, found // 50)
            self.assertEqual(by_han, 0 if max(on_hosts) == 1 else len(COUNTS) + 1)  # allreduces that commute, and the barrier

    def test_SoItDoesWhereRanksGoAroundTheHosts(self):
        for on_hosts in CYCLIC:
            found, by_han, excepted = self.compared(on_hosts, "node")
            self.assertLess(excepted, found // 20)
            self.assertGreater(by_han, found // 3)

    def test_HanFindsOutOnceForACommunicatorThatItDoesNotServe(self):
        """What it asks all ranks for costs a program's first calls, and no others: no baseline has it."""
        for on_hosts, collective in ((LEFT[0], "allgather"), (LEFT[1], "bcast"), (LEFT[1], "gather")):
            mpi = self.with_han(self.hosts(on_hosts))
            self.addCleanup(mpi.close)
            call, first = make_call(collective, sum(on_hosts), 100), {}
            for mpi.is_twice in (False, True):
                outcome = mpi.run([(call, {})])[0]
                first[mpi.is_twice] = sum(messages for messages, _ in outcome.matrix.values())
            print(f"{collective} on {'+'.join(map(str, on_hosts))}: {first[False]} messages the first time, then {first[True]}")
            self.assertGreater(first[False], first[True])

    def compared(self, on_hosts, by="slot"):
        """How many calls were compared with the baseline, how many of them coll/han makes, and how many are excepted."""
        mpi, calls = self.with_han(self.hosts(on_hosts, by)), calls_of(sum(on_hosts))
        self.addCleanup(mpi.close)
        nodes = layouts.node_of_rank(mpi.hosts)
        self.assertEqual([nodes.count(node) for node in range(len(on_hosts))], list(on_hosts))
        self.assertEqual(nodes == sorted(nodes), by == "slot" or max(on_hosts) == 1)
        found = list(layouts.compare(TUTTI, mpi, calls, "default:open-mpi-5.0", nodes))
        differing = [f"{' '.join(map(str, call))}: the baseline says {choice}, the library sends "
                     f"{probe.matrix_text(sent)[:300]}" for call, choice, sent in found
                     if sent is not None and not ends_shorter(call)]
        excepted = [" ".join(map(str, call)) for call, _, sent in found if sent is not None and ends_shorter(call)]
        by_han = sum(choice.startswith("han") for _, choice, _ in found)
        print(f"{'+'.join(map(str, on_hosts))} by {by}: {len(found) - len(differing) - len(excepted)} of {len(found)} calls as Open MPI "
              f"{mpi.version} makes them, {by_han} of them by coll/han; the last segment goes another way on nodes in: "
              f"{', '.join(excepted) or 'none'}")
        self.assertEqual(differing[:10], [])
        return len(found), by_han, len(excepted)

    def test_AFileThatAsksForTheSlowestIsFollowedInEveryCell(self):
        for nodes, ppn in LAYOUTS:
            verdicts = self.follow(nodes, ppn, self.turn)
            self.assertEqual([each for each in verdicts if not each["followed"]], [])
            self.assertEqual(self.not_asked_for(verdicts), [])

    def test_SoItIsWithOneRankOnEachHost(self):
        verdicts = self.follow(4, 1, self.turn_some)
        self.assertEqual([each for each in verdicts if not each["followed"]], [])
        self.assertEqual(self.not_asked_for(verdicts), [])

    def test_SoItIsOnHostsWithDifferentNumbersOfRanks(self):
        with tempfile.TemporaryDirectory() as place:
            rules = self.exported(place, 7, 1, self.turn_some)  # a file sees the ranks of a communicator alone
            done = self.run_follow(rules, self.hosts((4, 1, 2)), is_with_table=False)
        self.assertEqual(done.stderr, "")
        found = json.loads(done.stdout)
        self.assertEqual([found["hosts"].count(host) for host in dict.fromkeys(found["hosts"])], [4, 1, 2])
        self.assertEqual([each for each in found["calls"] if not each["followed"]], [])
        self.assertGreater(len(found["calls"]), 20)

    def test_SoItIsWhereRanksGoAroundTheHosts(self):
        for nodes, ppn in LAYOUTS:
            verdicts = self.follow(nodes, ppn, self.turn_some, self.hosts([ppn] * nodes, "node"))
            self.assertEqual([each for each in verdicts if not each["followed"]], [])
            self.assertTrue(any(each["what"].startswith("coll/han ") for each in verdicts))

    def test_SoItIsOnTheHostsOfALabWithANetworkOfTheirOwn(self):
        for nodes, ppn in LAYOUTS:
            try:
                hosts = LabHosts(TUTTI, self.installed.mpirun, nodes, ppn)
            except probe.ProbeError as error:
                self.skipTest(str(error))
            with contextlib.closing(hosts):
                verdicts = self.follow(nodes, ppn, self.turn, hosts)
            self.assertEqual([each for each in verdicts if not each["followed"]], [])
            self.assertEqual(self.not_asked_for(verdicts), [])

    def test_AFileThatKeepsHanForSomeSizesIsFollowedInEveryCell(self):
        for nodes, ppn in LAYOUTS:
            verdicts = self.follow(nodes, ppn, self.turn_some)
            self.assertEqual([each for each in verdicts if not each["followed"]], [])
            by_han = sum(each["what"].startswith("coll/han ") for each in verdicts)
            self.assertGreater(by_han, len(verdicts) // 4)
            self.assertGreater(len(verdicts) - by_han, len(verdicts) // 10)

    def test_AFileThatHasHanRunItsSimpleVariantsOfGivenPartsIsFollowedInEveryCell(self):
        for nodes, ppn in LAYOUTS:
            verdicts = self.follow(nodes, ppn, self.prefer_simple)
            self.assertEqual([each for each in verdicts if not each["followed"]], [])
            simple = [each for each in verdicts if each["what"].startswith("coll/han han_simple")]
            self.assertEqual({each["collective"] for each in simple}, set(SIMPLE))
            self.assertGreater(len(simple), len(verdicts) // 8)

    def test_AFileOfAnotherLibrarysMindIsNotTakenForFollowed(self):
        with tempfile.TemporaryDirectory() as place:
            nodes, ppn = LAYOUTS[0]
            rules = self.exported(place, nodes, ppn, self.turn)
            with open(rules + ".han", "w", encoding="utf-8") as file:  # all is left to coll/han, against what the rules say
                file.write("1\nbcast\n1\nglobal_communicator\n1\n1\n1\n0 han\n")
            done = self.run_follow(rules, self.hosts([ppn] * nodes))
            self.assertEqual(done.returncode, 1, done.stderr)
            missed = [each for each in json.loads(done.stdout)["calls"] if not each["followed"]]
            self.assertGreater(len(missed), 10)
            self.assertTrue(any("the messages are those of coll/han" in each["what"] for each in missed), missed[:3])

    def follow(self, nodes, ppn, change, hosts=None):
        """The verdicts on all calls around the thresholds of a table that is changed."""
        with tempfile.TemporaryDirectory() as place:
            done = self.run_follow(self.exported(place, nodes, ppn, change), hosts or self.hosts([ppn] * nodes))
        self.assertEqual(done.stderr, "")
        found = json.loads(done.stdout)
        self.assertEqual(len(set(found["hosts"])), nodes)
        print(f"{nodes} x {ppn}: {len(found['calls']) - found['not_followed']} of {len(found['calls'])} calls followed")
        self.assertGreater(len(found["calls"]), 90)
        return found["calls"]

    def exported(self, place, nodes, ppn, change):
        table, rules = os.path.join(place, "table.json"), os.path.join(place, "table.rules")
        self.tutti("tune", "--machine", "example-cluster", "--nodes", str(nodes), "--ppn", str(ppn), "--bytes", "64:1M",
                   "--for", "open-mpi-5.0", "--baselines", "open-mpi-5.0", "--collectives", ",".join(HAN), "--exhaustive", "-o", table)
        change(table)
        self.tutti("export", table, "--to", "open-mpi", "-o", rules)
        return rules

    def run_follow(self, rules, hosts, is_with_table=True):
        table = ["--table", os.path.join(os.path.dirname(rules), "table.json")] if is_with_table else []
        return subprocess.run([TUTTI, "follow", rules, "--mpi", hosts.text(), "--largest", str(LARGEST), "--json", *table],
                              capture_output=True, text=True, cwd=os.path.dirname(rules))

    def hosts(self, on_hosts, by="slot"):
        hosts = Hosts(self.installed.mpirun, on_hosts, by)
        self.addCleanup(hosts.close)
        return hosts

    @classmethod
    def with_han(cls, hosts):
        return layouts.BothComponents(cls.installed.mpirun, cls.installed.mpicc, hosts.launch)

    @staticmethod
    def turn(path):
        turned_table.turn(path, LARGEST)

    @staticmethod
    def turn_some(path):
        """Where sizes are large nothing is faster than the library's own choice."""
        turned_table.turn(path, 16384)

    @staticmethod
    def not_asked_for(verdicts):
        """What coll/han does as it likes. Sizes below all that were tuned are left to it."""
        return [each for each in verdicts if each["bytes"] >= 48 and not each["what"].startswith(ASKED_FOR)]

    @staticmethod
    def prefer_simple(path):
        """Up to 16 KiB nothing is faster, and coll/han's own choice, which needs other parts, nowhere."""
        with open(path, encoding="utf-8") as file:
            table = json.load(file)
        for cell in table["cells"]:
            for name in ("least_default_us", "runs", "undecided"):
                cell.pop(name, None)
            cell["defaults_us"] = {library: 2 * max(cell["times_us"].values()) for library in cell["defaults_us"]}
            if cell["collective"] in SIMPLE and cell["bytes"] <= 16384:
                cell["times_us"][SIMPLE[cell["collective"]]] = min(cell["times_us"].values()) / 10
        with open(path, "w", encoding="utf-8") as file:
            json.dump(table, file)

    def tutti(self, *arguments):
        done = subprocess.run([TUTTI, *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


if __name__ == "__main__":
    unittest.main()
