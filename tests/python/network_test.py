"""Networks made in Python: they are those that are meant, and what is none is refused."""
import os
import re
import stat
import tempfile
import unittest

import module

module.enter()
import tutti  # noqa: E402


class Network(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "cables.csv")

    def ring(self, switches, **options):
        return tutti.network("example-cluster", {f"n{i}": f"s{i}" for i in range(switches)},
                             [(f"s{i}", f"s{(i + 1) % switches}") for i in range(switches)], self.file, **{"bandwidth": 1e9, "latency": 1e-6, **options})

    def test_AMessageTakesOneCablesLatencyForEachThatItPasses(self):
        ring = self.ring(8)
        cores = ring.cores_per_node
        self.assertEqual(ring.nodes, 8)
        times = [ring.message_seconds(0, hops * cores, 8) for hops in range(1, 8)]
        for hops, time in enumerate(times, 1):
            self.assertAlmostEqual(time - times[0], (min(hops, 8 - hops) - 1) * 1e-6, places=11)
        slower = self.ring(8, latency=3e-6)
        self.assertAlmostEqual(slower.message_seconds(0, cores, 8) - times[0], 2e-6, places=11)
        one, = tutti.simulate("allgather", machine=ring, nodes=8, ppn=1, bytes="64K", algorithm="ring").to_dict("records")
        self.assertGreater(one["time_us"], 7 * 8)  # blocks of 8 KiB at 1 GB/s

    def test_ItsResultsAreToldFromThoseOfTheBase(self):
        ring, mine = self.ring(8), self.ring(8, name="mine")
        rows = [tutti.simulate("barrier", machine=one, nodes=8, algorithm="bruck").to_dict("records")[0]["system"] for one in (ring, mine)]
        self.assertEqual(rows, ["example-cluster-cables", "mine"])
        self.assertNotIn("fat tree", ring.description)
        with self.assertRaisesRegex(tutti.InputError, "name"):
            self.ring(8, name="two words")

    def test_CablesMayHaveFiguresOfTheirOwn(self):
        made = tutti.network("example-cluster", {"a": "x", "b": "y"}, [("x", "y", 2, 5e8, 4e-6)], self.file, bandwidth=1e9, latency=1e-6)
        with open(self.file, encoding="utf-8") as file:
            self.assertEqual(file.read(), "node,a,x\nnode,b,y\ncable,x,y,2,500000000.0,4e-06\n")
        self.assertGreater(made.message_seconds(0, made.cores_per_node, 1 << 20), (1 << 20) / 5e8)

    def test_ThatIsWrittenThroughALinkLeavesItAndOneIntoAPipeIsRefused(self):
        target, pipe = self.file + ".target", self.file + ".pipe"
        os.symlink(target, self.file)
        self.assertEqual(self.ring(8).nodes, 8)
        self.assertTrue(os.path.islink(self.file) and os.path.isfile(target))
        os.mkfifo(pipe)
        self.file = pipe
        with self.assertRaisesRegex(tutti.InputError, "expected a place for a file"):
            self.ring(8)
        self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode))

    def test_WaysMayBeOnesOwn(self):
        def around(switch, node):
            return f"s{(int(switch[1:]) + 1) % 8}"

        shortest, one_way = self.ring(8), self.ring(8, routing=around)
        cores = one_way.cores_per_node
        times = [one_way.message_seconds(0, hops * cores, 8) for hops in range(1, 8)]
        for hops, time in enumerate(times, 1):
            self.assertAlmostEqual(time - times[0], (hops - 1) * 1e-6, places=11)
        self.assertLess(shortest.message_seconds(0, 7 * cores, 8), times[6] - 5e-6)

    def test_OfParallelCablesTheRoutingChooses(self):
        nodes = {f"n{i}": f"s{i // 2}" for i in range(4)}

        def times(cable_of):
            made = tutti.network("example-cluster", nodes, [("s0", "s1", 2)], self.file, bandwidth=1e8, latency=1e-6,
                                 routing=lambda switch, node: ("s1" if switch == "s0" else "s0", cable_of(node)))
            one, = tutti.simulate("alltoall", machine=made, nodes=4, ppn=1, bytes="4M", algorithm="linear").to_dict("records")
            return one["time_us"]

        self.assertAlmostEqual(times(lambda node: 0) / times(lambda node: int(node[1:]) % 2), 2, delta=0.1)

    def test_ARoutingThatDoesNotArriveIsRefused(self):
        for routing in (lambda switch, node: f"s{int(switch[1:]) ^ 1}", lambda switch, node: "nowhere", lambda switch, node: None,
                        lambda switch, node: (f"s{(int(switch[1:]) + 1) % 8}", 1), lambda switch, node: ("s1", "0")):
            with self.assertRaises(tutti.InputError):
                self.ring(8, routing=routing)
            self.assertEqual(os.listdir(os.path.dirname(self.file)), [])
        with self.assertRaises(ZeroDivisionError):
            self.ring(8, routing=lambda switch, node: 1 // 0)

    def test_WhatIsNoNetworkIsRefusedAndLeavesNoFile(self):
        for nodes, cables in (({"a,b": "x", "c": "x"}, []), ({"a": "x", "b": "y"}, []), ({"a": "x", "b": "y"}, [("x",)]), ({"a": "x"}, ["xy"]),
                              ({"a": "x", "b": "y"}, [("x", "y", 0)]), ({}, [])):
            with self.assertRaises(tutti.InputError, msg=(nodes, cables)) as refused:
                tutti.network("example-cluster", nodes, cables, self.file, bandwidth=1e9, latency=1e-6)
            self.assertNotIn(os.path.dirname(self.file), str(refused.exception).replace(self.file, ""), "not a file beside it")
            self.assertEqual(os.listdir(os.path.dirname(self.file)), [])
        for bandwidth, latency in ((float("nan"), 1e-6), (0, 1e-6), (1e9, float("inf")), (1e9, -1)):
            with self.assertRaisesRegex(tutti.InputError, "expected bytes per second above 0"):
                tutti.network("example-cluster", {"a": "x", "b": "x"}, [], self.file, bandwidth=bandwidth, latency=latency)


if __name__ == "__main__":
    unittest.main()
