"""Traces for Perfetto, and pictures of ranks over time."""
import collections
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
