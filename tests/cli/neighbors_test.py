"""Collectives among neighbours."""
import csv
import io
import json
import unittest

from program import TUTTI
from refused import Refused, SIMULATE


class Neighbors(Refused):
    HERE = ("simulate", "neighbor_alltoall", "--machine", "example-cluster", "--nodes", "12")

    def rows(self, *words):
        made = self.call(*words, "--check", "--csv", "-")
        self.assertEqual(made.returncode, 0, made.stderr)
        return list(csv.DictReader(io.StringIO(made.stdout)))

    def test_CombinedMessagesAreFewerAndCarryMore(self):
        small = self.rows(*self.HERE, "--algorithm", "linear,combining", "--bytes", "8", "--neighbors", "3x4:box")
        self.assertEqual([(row["messages"], row["neighbors"], row["bytes_simulated"]) for row in small],
                         [("96", "3x4:box", "8"), ("48", "3x4:box", "8")])
        large = self.rows(*self.HERE, "--algorithm", "linear,combining", "--bytes", "16K", "--neighbors", "3x4:box")
        self.assertLess(float(large[0]["time_us"]), float(large[1]["time_us"]), "blocks that go two ways are sent twice")

    def test_NodesThatExchangeMuchDoItInOneMessage(self):
        rows = self.rows("simulate", "neighbor_allgather", "--machine", "archer2", "--nodes", "8", "--ppn", "16", "--algorithm", "linear,node_aware",
                         "--bytes", "64", "--neighbors", "random:64")
        direct, by_node = (float(row["time_us"]) for row in rows)
        self.assertLess(2 * by_node, direct)

    def test_AFileHasEdges(self):
        self.write("edges.txt", "# a star, and back\n0 1\n0 2\n1 0  # twice\n1 0\n2 2\n")
        found = json.loads(self.output("simulate", "neighbor_alltoallv", *self.HERE[2:4], "--nodes", "3", "--algorithm", "linear", "--bytes", "1K",
                                       "--neighbors", "edges.txt", "--counts", "zipf:1", "--json"))
        self.assertEqual([(row["messages"], row["neighbors"], row["counts"]) for row in found], [(4, "edges.txt", "zipf:1")])

    def test_AFileMayHaveANameThatBeginsAsAGridOrADrawnGraph(self):
        for name in "random_graph.txt", "4ranks.txt", "3x4.txt":
            self.write(name, "0 1\n1 0\n")
            row, = self.rows("simulate", "neighbor_alltoall", *self.HERE[2:], "--algorithm", "linear", "--bytes", "8", "--neighbors", name)
            self.assertEqual((row["neighbors"], row["messages"]), (name, "2"))
        self.refused(r"5x.txt:1: No such file or directory: expected a readable file of edges \(or a grid as 4x4x2, or random:DEGREE\)",
                     *self.HERE, "--algorithm", "linear", "--bytes", "8", "--neighbors", "5x.txt")

    def test_AFileHasCounts(self):
        """Of a graph with a loop, in which rank 1 sends to nobody; then of a grid with borders."""
        self.write("edges.txt", "0 1\n2 2\n0 2\n2 0\n")
        here = ("neighbor_alltoallv", "--algorithm", "linear", "--neighbors", "edges.txt", "--counts", "c.txt")
        on = ("simulate", here[0], *self.HERE[2:4], "--nodes", "3", *here[1:])
        self.write("c.txt", "5 0\n7, 4\n")
        row, = self.rows(*on)
        self.assertEqual((row["messages"], row["counts"], row["bytes_simulated"]), ("3", "c.txt", "4"), "16 of four blocks")
        measured = json.loads(self.output("launch", "-n", "3", "--", TUTTI, "bench", *here, "--seconds", "0.001", "--json"))
        self.assertEqual([(row["counts"], row["bytes"], row["bytes_run"]) for row in measured], [("c.txt", 4, 4)])
        self.refused("--counts c.txt: expected no --bytes .*", *on, "--bytes", "8")
        for text, expected in (("5 0\n", "c.txt:1: 1 line of counts: expected 2, one for each rank that sends to somebody"),
                               ("5\n7 4\n", "c.txt:1: 1 count: expected 2, one for each block of rank 0"),
                               ("5 0\n7 4\n1\n", "c.txt:3: expected 2 lines of counts, one for each rank that sends to somebody")):
            self.write("c.txt", text)
            self.refused(expected, *on)
        on = (*on[:8], "--neighbors", "3:open", "--counts", "c.txt")
        self.write("c.txt", "0 5\n1 2\n9 0\n")
        self.assertEqual([row["messages"] for row in self.rows(*on)], ["4"])
        self.write("c.txt", "6 5\n1 2\n9 0\n")
        self.refused("c.txt:1: block 0 of rank 0 is for nobody: expected 0, not 6", *on)
        self.write("c.txt", "4 0 2\n")
        row, = self.rows("simulate", "neighbor_allgatherv", *on[2:])
        self.assertEqual((row["messages"], row["bytes_simulated"]), ("4", "2"))

    def test_NeighboursThatDoNotFit(self):
        here = (*self.HERE, "--algorithm", "linear", "--bytes", "8")
        self.refused("neighbor_alltoall: expected --neighbors, .*", *here)
        self.refused("--neighbors: expected neighbor_allgather.* not bcast, .*", *SIMULATE, "--nodes", "2", "--bytes", "8",
                     "--neighbors", "2")
        self.refused("neighbours '3x5': a grid of 15 ranks: expected 12", *here, "--neighbors", "3x5")
        self.refused("neighbor_alltoall of 36028797018963968 bytes from each of 4 neighbours, on 12 ranks: expected at most 2\\^56 bytes in all",
                     *self.HERE, "--algorithm", "linear", "--bytes", "36028797018963968", "--neighbors", "3x4")
        self.refused("neighbours '3x4:round': expected a grid as 4x4x2.*", *here, "--neighbors", "3x4:round")
        self.refused("neighbor_alltoall: expected a call that is not in place.*", *here, "--neighbors", "12", "--in-place")
        self.refused("e.txt:1: No such file or directory: expected a readable file of edges.*", *here, "--neighbors", "e.txt")
        for text, expected in (("0 1\n1 12\n", "e.txt:2: '12': expected a rank, 0 to 11"), ("0 1 2\n", "e.txt:1: 3 ranks: expected two, from and to")):
            self.write("e.txt", text)
            self.refused(expected, *here, "--neighbors", "e.txt")
        self.write("e.txt", "0 1\n")
        self.refused("neighbor_alltoall/combining cannot run: it needs neighbours on a grid",
                     *self.HERE, "--algorithm", "combining", "--bytes", "8", "--neighbors", "e.txt")
        self.refused("neighbor_alltoall is of neighbours alone: expected a regular collective.*", "tune", "--machine", "example-cluster",
                     "--nodes", "2", "--ppn", "1", "--bytes", "8", "--collectives", "neighbor_alltoall", "-o", "t.json")


if __name__ == "__main__":
    unittest.main()
