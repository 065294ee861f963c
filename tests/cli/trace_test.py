"""Traces for Perfetto, pictures of ranks over time, and that neither changes a time."""
import collections
import csv
import io
import json
import re
import unittest

from program import ProgramTest


class Traces(ProgramTest):
    def test_TheTraceHasATrackForEveryRankAndAnArrowForEveryMessage(self):
        self.output("simulate", "allgather", "--machine", "example-cluster", "--algorithm", "ring", "--nodes", "3", "--ppn", "2",
                    "--bytes", "6K", "--trace", "trace.json")
        events = json.loads(self.read("trace.json"))["traceEvents"]
        names = [(event["name"], event["pid"], event.get("tid"), event["args"]["name"]) for event in events if event["ph"] == "M"]
        self.assertEqual([name for _, _, _, name in names if "," not in name],
                         ["node 0", "rank 0", "rank 1", "node 1", "rank 2", "rank 3", "node 2", "rank 4", "rank 5"])
        self.assertEqual({(event["pid"], event["tid"]) for event in events if event["ph"] == "X"},
                         {(pid, tid) for what, pid, tid, _ in names if what == "thread_name"})
        self.assertEqual(sum(event["ph"] == "s" for event in events), 6 * 5)
        self.assertEqual(sum(event["ph"] == "f" for event in events), 6 * 5)
        self.assertTrue(all(event["dur"] >= 0 for event in events if event["ph"] == "X"))
        self.assertTrue(any(event.get("cat") == "critical" for event in events))

    def test_WhoLooksOnChangesNoTimeAndAPathOfAnotherLengthIsSaid(self):
        # Of an all-to-all in which ranks stand for others, messages come to a rank at one instant.
        call = ("simulate", "alltoall", "--machine", "orfeo-epyc", "--nodes", "8", "--ppn", "2", "--bytes", "64K", "--algorithm",
                "linear_sync:window=4", "--mode", "back-to-back:10")
        plain = next(csv.DictReader(io.StringIO(self.output(*call, "--csv", "-"))))
        self.assertEqual(next(csv.DictReader(io.StringIO(self.output(*call, "--check", "--csv", "-")))), plain)
        told = json.loads(self.output(*call, "--json"))[0]
        self.assertEqual(f"{told['time_us']:.6f}", plain["time_us"])
        text = self.output(*call, "--critical-path")
        spent = float(re.search(r"\nwhich is ([0-9.]+), not [0-9.]+: where messages are recorded", text)[1])
        self.assertAlmostEqual(spent, sum(bound["us"] for bound in told["bounds"]), places=2)

    def test_NoSlicesOfATrackOverlapForViewersWouldDropThem(self):
        self.output("simulate", "alltoall", "--machine", "example-cluster", "--algorithm", "linear", "--nodes", "3", "--ppn", "4",
                    "--bytes", "64K", "--trace", "trace.json")
        tracks = collections.defaultdict(list)
        for event in json.loads(self.read("trace.json"))["traceEvents"]:
            if event["ph"] == "X":
                tracks[event["tid"]].append((event["ts"], event["dur"]))
        self.assertGreater(len(tracks), 12)
        for slices in tracks.values():
            slices.sort()
            for (begin, lasts), (following, _) in zip(slices, slices[1:]):
                self.assertLessEqual(begin + lasts, following + 1e-9)

    def test_ThePictureOfARunHoldsAllOfItInEveryMode(self):
        for mode in ("isolated", "barrier", "loop:2", "skew:1e-5"):
            self.output("simulate", "bcast", "--machine", "example-cluster", "--algorithm", "binomial", "--nodes", "4", "--ppn", "1",
                        "--bytes", "8", "--mode", mode, "--space-time", "call.svg")
            picture = self.read("call.svg")
            ends = [float(x) for x in re.findall(r'<path class="message[^"]*" d="M[\d.]+ [\d.]+L([\d.]+) ', picture)]
            self.assertGreaterEqual(len(ends), 3, mode)
            self.assertAlmostEqual(max(ends), 986, delta=0.1)
            self.assertNotIn("var(", picture)
            self.assertEqual("all of the run is drawn" in picture, mode != "isolated", mode)


if __name__ == "__main__":
    unittest.main()
