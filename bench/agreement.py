#!/usr/bin/env python3
"""Compares the fast engine with SimGrid, cell by cell: machine, collective, algorithm, number of ranks, size. Writes agreement.md and
agreement.png. usage: agreement.py BUILD_FOLDER OUTPUT_FOLDER"""
import collections
import concurrent.futures
import csv
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile

import matplotlib
matplotlib.use("Agg")
from matplotlib import pyplot

HERE = os.path.dirname(os.path.abspath(__file__))
BASE = os.path.join(HERE, "..", "models", "machines", "example-cluster.json")
COLLECTIVES = ["allgather", "allreduce", "alltoall", "barrier", "bcast", "exscan", "gather", "reduce", "reduce_scatter",
               "reduce_scatter_block", "scan", "scatter"]
SIZES = "8,32K,4M"  # total; blocks are smaller
LAYOUTS = {  # nodes, ranks per node
    "fat-tree 1:1": [(5, 1), (16, 1), (6, 2)],
    "fat-tree 2:1": [(7, 1), (11, 3), (8, 8)],
    "dragonfly": [(2, 1), (13, 1), (12, 2)],
    "two-level NUMA": [(1, 7), (1, 24), (1, 31)],
}


def machines(folder):
    """Four machines with the nodes and the costs of the example: files by topology."""
    def channel(gigabytes, latency):
        return {"bandwidth_bytes_per_second": gigabytes * 1e9, "latency_seconds": latency, "source": "invented", "guess": True}

    def fat_tree(parents):
        return {"fat_tree": {"nodes_per_leaf": 4, "layers": [{"children": 4, "parents": parents, **channel(12.5, 2e-7)}],
                             "routing": "d-mod-k", "source": "invented", "guess": True}}

    dragonfly = {"dragonfly": {"groups": 4, "chassis_per_group": 1, "routers_per_chassis": 2, "nodes_per_router": 2, "global_cables": 1,
                               "local": channel(12.5, 1e-7), "chassis": channel(12.5, 1e-7), "global": channel(12.5, 3e-7),
                               "routing": "minimal", "source": "invented", "guess": True}}
    files = {}
    for topology in LAYOUTS:
        with open(BASE, encoding="utf-8") as file:
            machine = json.load(file)
        machine["name"] = topology.replace(" ", "-").replace(":", "-")
        machine["network"] = {"fat-tree 1:1": fat_tree(4), "fat-tree 2:1": fat_tree(2), "dragonfly": dragonfly,
                              "two-level NUMA": fat_tree(4)}[topology]
        if topology == "two-level NUMA":
            machine["node"].update({"domains_per_socket": 4, "cores_per_cache": 4, "domain_link": channel(20, 5e-8),
                                    "memory": channel(25, 0)})
            machine["transport"]["socket"] = machine["transport"]["node"]
        files[topology] = os.path.join(folder, topology.replace(" ", "-").replace(":", "-") + ".json")
        with open(files[topology], "w", encoding="utf-8") as file:
            json.dump(machine, file)
    return files


def times(build, machine, collective, nodes, ppn, engine):
    """{(algorithm, bytes): microseconds}"""
    command = [os.path.join(build, "tutti"), "simulate", collective, "--machine", machine, "--algorithm", "all", "--nodes", str(nodes),
               "--ppn", str(ppn), "--bytes", "0" if collective == "barrier" else SIZES, "--engine", engine, "--csv", "-"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"agreement.py: {' '.join(command)} ended with status {run.returncode}: {run.stderr.strip()}")
    return {(row["algorithm"], int(row["bytes"])): float(row["time_us"]) for row in csv.DictReader(io.StringIO(run.stdout))}


def compare(build):
    """[(topology, collective, ranks, algorithm, bytes, fast, simgrid)], in a fixed order."""
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        files = machines(folder)
        parts = [(topology, collective, nodes, ppn) for topology, layouts in LAYOUTS.items() for nodes, ppn in layouts
                 for collective in COLLECTIVES]
        both = [[pool.submit(times, build, files[topology], collective, nodes, ppn, engine) for engine in ("fast", "simgrid")]
                for topology, collective, nodes, ppn in parts]
        cells = []
        for (topology, collective, nodes, ppn), (fast, simgrid) in zip(parts, both):
            for (algorithm, size), seconds in fast.result().items():
                cells.append((topology, collective, nodes * ppn, algorithm, size, seconds, simgrid.result()[algorithm, size]))
    return cells


def difference(cell):
    fast, simgrid = cell[5:]
    return abs(fast - simgrid) / simgrid if simgrid > 0 else abs(fast)


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def winners(cells):
    """Of each case (all but the algorithm): whether the best by one engine is within 5 % of the best by the other, both ways."""
    cases = collections.defaultdict(list)
    for cell in cells:
        cases[cell[:3] + cell[4:5]].append(cell)
    agreed = 0
    for rivals in cases.values():
        mine, theirs = min(rivals, key=lambda c: c[5]), min(rivals, key=lambda c: c[6])
        agreed += mine[6] <= 1.05 * theirs[6] and theirs[5] <= 1.05 * mine[5]
    return agreed, len(cases)


def rows(cells, of):
    for name in dict.fromkeys(cell[of] for cell in cells):
        part = [cell for cell in cells if cell[of] == name]
        yield name, part
    yield "all", cells


def report(cells):
    lines = ["# The fast engine beside SimGrid", "",
             "Written by `make agreement`. Both engines run the same simulation of ranks and protocol; they differ in who shares the links",
             "among messages. A cell is a topology, a collective, an algorithm, a number of ranks and a size; a case, a cell without its",
             "algorithm. The winner agrees where the best by one engine is within 5 % of the best by the other, both ways.", ""]
    for title, of in (("topology", 0), ("collective", 1)):
        lines += [f"| {title} | cells | median | 95th percentile | largest | winner agrees |", "|---|---|---|---|---|---|"]
        for name, part in rows(cells, of):
            differences = [difference(cell) for cell in part]
            agreed, cases = winners(part)
            lines.append(f"| {name} | {len(part)} | {statistics.median(differences):.2%} | {quantile(differences, 0.95):.2%} | "
                         f"{max(differences):.2%} | {agreed} of {cases} |")
        lines.append("")
    ranks = sorted({cell[2] for cell in cells})
    odd = sum(cell[2] & (cell[2] - 1) != 0 for cell in cells)
    lines += [f"Numbers of ranks: {', '.join(map(str, ranks))}; {odd} of {len(cells)} cells are not at a power of two.", "",
              "The largest differences:", "", "| topology | collective | ranks | algorithm | bytes | fast, us | SimGrid, us | difference |",
              "|---|---|---|---|---|---|---|---|"]
    for cell in sorted(cells, key=difference, reverse=True)[:12]:
        topology, collective, count, algorithm, size, fast, simgrid = cell
        lines.append(f"| {topology} | {collective} | {count} | {algorithm} | {size} | {fast:.3f} | {simgrid:.3f} | {difference(cell):.3%} |")
    lines += ["", "Where they differ, two things happen at one instant, such as a message's arrival and the end of what the receiver's processor does, and the",
              "order changes what comes after. The example's round figures make such ties common. The fast engine settles them by a fixed rule; SimGrid's",
              "clock, exact to a picosecond, falls to either side, and not always to the same: alone or behind other experiments, it gives 2058.6 and 2063.1 us",
              "for the pipelined tree at 24 ranks. Measured once, not in this run: with all overheads and gaps changed by a percent or two, each by another",
              "factor, both engines give 17.693 us for scatter_ring_tuned (dragonfly) and 1238.460 us for pipelined_tree (7 ranks). Random experiments that",
              "differ are tested so: `build/tests/test_engines --gtest_filter='Agreement*'`.",
              "An all-to-all of eager messages in lock-step, without any cost of a processor, is tied throughout: perturbed by 0.1 ps at the start, its time varies by a",
              "third from seed to seed, on either engine (`bench/machine.json` with an eager limit of 64 KiB, 256 ranks, `--mode skew:1e-13`).", ""]
    return "\n".join(lines)


def draw(cells, path):
    figure, axes = pyplot.subplots(figsize=(6, 5))
    for topology, part in list(rows(cells, 0))[:-1]:
        kept = [cell for cell in part if cell[6] > 0]
        axes.scatter([cell[6] for cell in kept], [100 * (cell[5] / cell[6] - 1) for cell in kept], s=8, alpha=0.5, label=topology)
    # Most lie at zero: below a thousandth of a percent the scale is linear.
    axes.set(xscale="log", xlabel="SimGrid, us", ylabel="fast engine against SimGrid, %", ylim=(-100, 100))
    axes.set_yscale("symlog", linthresh=1e-3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120, metadata={"Software": None})


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: agreement.py BUILD_FOLDER OUTPUT_FOLDER")
    cells = compare(os.path.abspath(sys.argv[1]))
    text = report(cells)
    with open(os.path.join(sys.argv[2], "agreement.md"), "w", encoding="utf-8") as file:
        file.write(text)
    draw(cells, os.path.join(sys.argv[2], "agreement.png"))
    print(text)
    differences = [difference(cell) for cell in cells]
    agreed, cases = winners(cells)
    odd = sum(cell[2] & (cell[2] - 1) != 0 for cell in cells)
    if len(cells) < 300 or 2 * odd < len(cells):
        sys.exit("agreement.py: expected at least 300 cells, half of them not at a power of two")
    if statistics.median(differences) > 0.05 or quantile(differences, 0.95) > 0.20 or agreed < 0.95 * cases:
        sys.exit("agreement.py: expected a median difference of at most 5 %, a 95th percentile of at most 20 %, and 95 % of winners agreed")


if __name__ == "__main__":
    main()
