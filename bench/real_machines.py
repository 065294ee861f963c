#!/usr/bin/env python3
"""Rates of the fast engine on machines as they are: the same calls on nodes in order, many of which are alike, so that some ranks stand for all, and on
nodes scattered over the leaves as a scheduler gives them, where nobody does. Whole processes, processor time; rates as ratios to the first of the run.
usage: real_machines.py BUILD_FOLDER [MOST_RANKS]"""
import csv
import io
import os
import random
import resource
import subprocess
import sys
import tempfile

RANKS_PER_NODE = 16
BLOCK_BYTES = 65536
NODES = (16, 32, 64, 128, 256, 1024, 4096)
# And the nodes on one of their leaves.
MACHINES = {"marenostrum5-acc": 32, "leonardo-booster": 10, "lumi-g": 16}
CASES = (("allgather", "ring"), ("alltoall", "pairwise"))


def scattered(nodes, nodes_per_leaf, path):
    """Nodes of half-empty leaves, unequally many of each: drawn among twice as many, the same ones for the same number."""
    drawn = sorted(random.Random(nodes).sample(range(2 * max(nodes, nodes_per_leaf)), nodes))
    with open(path, "w", encoding="utf-8") as file:
        file.write("rank,node,leaf\n")
        file.writelines(f"{place * RANKS_PER_NODE + rank},node{node},leaf{node // nodes_per_leaf}\n"
                        for place, node in enumerate(drawn) for rank in range(RANKS_PER_NODE))


def simulated(build, machine, case, where):
    """(messages, processor seconds) of the whole process, or None where the machine has not so many nodes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([os.path.join(build, "tutti"), "simulate", case[0], "--algorithm", case[1], "--machine", machine, "--jobs", "1",
                          "--osu-sizes", str(BLOCK_BYTES), "--csv", "-", *where], capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode != 0:
        if " nodes" in run.stderr:
            return None
        sys.exit(f"real_machines.py: expected simulated times on {machine}, not:\n{run.stderr}")
    row, = csv.DictReader(io.StringIO(run.stdout))
    return int(row["messages"]), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: real_machines.py BUILD_FOLDER [MOST_RANKS]")
    build, most_ranks = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else 1024
    print(f"{'messages a processor-second':<30} {'ranks':>6} {'messages':>9} {'in order':>9} {'scattered':>9}   scattered over in order, over the first scattered")
    with tempfile.TemporaryDirectory() as folder:
        placement = os.path.join(folder, "placement.csv")
        for machine, nodes_per_leaf in MACHINES.items():
            for case in CASES:
                first = None
                for nodes in (n for n in NODES if n * RANKS_PER_NODE <= most_ranks):
                    scattered(nodes, nodes_per_leaf, placement)
                    both = [simulated(build, machine, case, where)
                            for where in (["--nodes", str(nodes), "--ppn", str(RANKS_PER_NODE)], ["--placement", placement])]
                    if None in both:
                        break
                    in_order, apart = (messages / seconds for messages, seconds in both)
                    first = first or apart
                    print(f"{machine + ' ' + ' '.join(case):<40.40} {nodes * RANKS_PER_NODE:>6} {both[0][0]:>9} {in_order:>9.0f} {apart:>9.0f}"
                          f"   {apart / in_order:.2f}, {apart / first:.2f}", flush=True)


if __name__ == "__main__":
    main()
