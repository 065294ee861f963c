"""Schedules in GOAL are whole, and LogGOPSim, where it is there, finds the times that the simulator finds."""
import collections
import csv
import io
import json
import os
import re
import shutil
import subprocess
import unittest

from program import ProgramTest

# A folder with LogGOPSim and its txt2bin (github.com/spcl/LogGOPSim; it needs re2c, gengetopt and Graphviz's cgraph), or the path.
TOOLS = os.environ.get("TUTTI_LOGGOPSIM") or os.environ.get("PATH", "")
LOGGOPSIM, TXT2BIN = shutil.which("LogGOPSim", path=TOOLS), shutil.which("txt2bin", path=TOOLS)
OVERHEAD, LATENCY, GAP, PER_BYTE = 1000, 5000, 500, 1  # nanoseconds


def parse(text):
    """By rank: [what, number (bytes or nanoseconds), peer, tag, numbers of the nodes that it requires]."""
    lines = text.splitlines()
    ranks = int(re.fullmatch(r"num_ranks (\d+)", lines[0])[1])
    schedule, current = {}, None
    for line in lines[1:]:
        if head := re.fullmatch(r"rank (\d+) \{", line):
            current = schedule.setdefault(int(head[1]), [])
        elif node := re.fullmatch(r"l(\d+): (?:(send|recv) ([1-9]\d*)b (?:to|from) (\d+) tag (\d+)|calc (\d+))", line):
            assert int(node[1]) == len(current) + 1, line
            current.append([node[2], int(node[3]), int(node[4]), int(node[5]), []] if node[2] else ["calc", int(node[6]), None, None, []])
        elif before := re.fullmatch(r"l(\d+) requires l(\d+)", line):
            assert int(before[2]) < int(before[1]) == len(current), line  # so that there is no circle
            current[int(before[1]) - 1][4].append(int(before[2]) - 1)
        else:
            assert line in ("", "}"), line
    assert sorted(schedule) == list(range(ranks))
    return schedule


class Goal(ProgramTest):
    def goal(self, collective, algorithm, layout, size, machine="example-cluster", *more):
        sizes = () if collective == "barrier" else ("--bytes", str(size))
        rows = self.output("simulate", collective, "--machine", machine, "--algorithm", algorithm, *layout, *sizes, "--csv", "-",
                           "--goal", "a.goal", *more)
        return next(csv.DictReader(io.StringIO(rows))), parse(self.read("a.goal"))

    def test_HasEveryMessageAtBothEndsAndAsManyAsAreSimulated(self):
        algorithms = json.loads(self.output("list", "--json"))
        seen = set()
        for one in algorithms:
            for layout in (("--nodes", "5", "--ppn", "2"), ("--nodes", "4", "--ppn", "2")):
                name = f"{one['collective']} {one['name']}"
                asked = self.call("simulate", one["collective"], "--machine", "example-cluster", "--algorithm", one["name"], *layout,
                                  *(() if one["collective"] == "barrier" else ("--bytes", "960")), "--csv", "-", "--goal", "a.goal")
                if asked.returncode:
                    self.assertIn("cannot", asked.stderr + "cannot" * ("needs" in asked.stderr or "expected" in asked.stderr), name)
                    continue  # for an even number of nodes, or a power of two
                seen.add(name)
                schedule = parse(self.read("a.goal"))
                ends = {what: collections.defaultdict(list) for what in ("send", "recv")}
                for rank, nodes in schedule.items():
                    for what, number, peer, tag, _ in nodes:
                        if what in ends:
                            ends[what][(rank, peer, tag) if what == "send" else (peer, rank, tag)].append(number)
                self.assertEqual(ends["send"], ends["recv"], name)
                messages = int(next(csv.DictReader(io.StringIO(asked.stdout)))["messages"])
                self.assertEqual(sum(map(len, ends["send"].values())), messages, name)
                break
        self.assertGreater(len(seen), 0.8 * len(algorithms))

    def test_OrdersWhatAWaitOrders(self):
        _, ring = self.goal("allgather", "ring", ("--nodes", "4", "--ppn", "1"), 4096)
        for nodes in ring.values():
            longest = []
            for what, _, _, _, before in nodes:
                longest.append(max((longest[b] for b in before), default=0) + (what == "send"))
            self.assertEqual(max(longest), 3, "each of three rounds after the one before")
        _, flat = self.goal("alltoall", "linear", ("--nodes", "4", "--ppn", "1"), 4096)
        messages = {number for number, node in enumerate(flat[0]) if node[0] != "calc"}
        self.assertEqual(len(messages), 6)
        for number in messages:
            self.assertFalse(messages & set(flat[0][number][4]), "what is posted side by side waits for none of the others")

    def test_IsOfOneRunOfOneCall(self):
        call = ("simulate", "bcast", "--machine", "example-cluster", "--nodes", "4", "--ppn", "1", "--goal", "a.goal")
        for more, said in ((("--algorithm", "linear", "--bytes", "8,16"), "one algorithm, one size"),
                           (("--algorithm", "linear", "--bytes", "8", "--mode", "barrier"), "--mode isolated"),
                           (("--algorithm", "linear", "--bytes", "8", "--trace", "a.goal"), "same file")):
            done = self.call(*call, *more)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)
            self.assertFalse(os.path.exists(self.path("a.goal")))

    @unittest.skipUnless(LOGGOPSIM and TXT2BIN, "LogGOPSim and txt2bin are neither in $TUTTI_LOGGOPSIM nor on the path")
    def test_TakesLogGopSimAsLongAsTheSimulatorWhereNothingIsShared(self):
        machine = json.loads(self.output("machine", "example-cluster", "--json"))
        machine["network"]["fat_tree"]["nodes_per_leaf"] = 64
        machine["network"]["fat_tree"]["layers"][0].update(latency_seconds=0, shared=False)
        machine["node"]["nics"][0].update(latency_seconds=0, bandwidth_bytes_per_second=1e9 / PER_BYTE, shared=False)
        del machine["$schema"]
        machine["transport"]["network"].update(
            send_overhead_seconds=OVERHEAD * 1e-9, receive_overhead_seconds=OVERHEAD * 1e-9, gap_seconds=GAP * 1e-9,
            eager_limit_bytes=1 << 40, rendezvous_seconds=0, segments=[{"latency_seconds": LATENCY * 1e-9, "bandwidth_bytes_per_second": 1e9 / PER_BYTE}])
        machine["compute"]["reduce"].update(overhead_seconds=5e-7, seconds_per_byte=2e-9, seconds_per_byte_out_of_cache=2e-9)  # so that it matters
        self.write("machine.json", json.dumps(machine))
        for collective, algorithm, bytes_ in (
                ("barrier", "bruck", 0), ("bcast", "chain", 8), ("bcast", "binomial", 8), ("bcast", "linear", 8), ("reduce", "binomial", 8),
                ("allreduce", "recursive_doubling", 8), ("allreduce", "ring", 65536), ("allgather", "ring", 65536), ("allgather", "bruck", 8192),
                ("alltoall", "pairwise", 65536), ("reduce", "flat", 40), ("reduce_scatter", "ring", 65536), ("scatter", "binomial", 64)):
            for ranks in (2, 7, 16, 61):
                row, _ = self.goal(collective, algorithm, ("--nodes", str(ranks), "--ppn", "1"), bytes_, "machine.json")
                subprocess.run([TXT2BIN, "-i", "a.goal", "-o", "a.bin"], cwd=self.folder, check=True, capture_output=True)
                said = subprocess.run([LOGGOPSIM, "-f", "a.bin", "-L", str(LATENCY), "-o", str(OVERHEAD), "-g", str(GAP), "-G", str(PER_BYTE),
                                       "-S", "2000000000", "-b"], cwd=self.folder, check=True, capture_output=True, text=True).stdout
                theirs = int(re.search(r"^Maximum finishing time at host \d+: (\d+)", said, re.MULTILINE)[1]) / 1000
                with self.subTest(collective=collective, algorithm=algorithm, ranks=ranks):
                    self.assertLess(abs(theirs / float(row["time_us"]) - 1), 0.025, f"{theirs} us by LogGOPSim, {row['time_us']} us")


if __name__ == "__main__":
    unittest.main()
