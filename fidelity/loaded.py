#!/usr/bin/env python3
"""CRAB's rings and all-to-alls (arXiv 2604.11432), alone and beside another job, predicted beside measured: a table that crab.py sums up.
Without --every or --most-nodes it simulates all runs of a system, which takes some ten minutes of a processor.
usage: loaded.py TUTTI CRAB_FOLDER --system SYSTEM -o OUT.csv [--machine FILE] [--every N] [--least-nodes N] [--most-nodes N]"""
import argparse
import collections
import concurrent.futures
import csv
import io
import os
import re
import statistics
import subprocess
import sys
import tempfile

ALGORITHM_OF = {"ring": "ring", "isend_irecv_ascending": "linear"}
# Rounds of the other job that the calls should outlast, and how many calls that may be.
ROUNDS, LEAST_CALLS, MOST_CALLS = 5, 15, 200
# What a round of an incast of so many bytes takes: the least of the adapters' rates.
ADAPTER_BYTES_PER_SECOND = 24e9
# CRESCO8's placements do not say on which leaf a node is; that leaves have so many nodes is a guess (models/machines/cresco8.json).
CRESCO8_NODES_PER_LEAF = 96


def placement_with_leaves(path, into):
    """A copy in which CRESCO8's nodes have leaves."""
    found = os.path.join(into, os.path.basename(path))
    if os.path.exists(found):
        return found
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with open(found + ".part", "w", encoding="utf-8") as file:
        print("rank,node,group,leaf", file=file)
        for row in rows:
            leaf = (int(re.search(r"\d+$", row["node"]).group()) - 1) // CRESCO8_NODES_PER_LEAF
            print(f"{row['rank']},{row['node']},{leaf},{leaf}", file=file)
    os.replace(found + ".part", found)
    return found


class Runs:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch
        self.machine = options.machine or options.system

    def placement(self, name):
        path = os.path.join(self.options.crab, "placements", name)
        return placement_with_leaves(path, self.scratch) if self.options.system == "cresco8" else path

    def simulate(self, row, calls, beside=None):
        command = [self.options.tutti, "simulate", row["collective"], "--machine", self.machine, "--algorithm", ALGORITHM_OF[row["algorithm"]],
                   "--bytes", row["bytes"], "--placement", self.placement(row["placement"]), "--csv", "-", "--jobs", "1",
                   "--mode", f"loop:{calls}:recursive_doubling"]
        run = subprocess.run(command + (["--background", beside] if beside else []), capture_output=True, text=True, check=False)
        if run.returncode != 0:
            sys.exit(f"loaded.py: {' '.join(command)}: {run.stderr}")
        found, = csv.DictReader(io.StringIO(run.stdout))
        return found

    def alone(self, row):
        return float(self.simulate(row, 4)["time_us"])

    def beside(self, row, alone_us):
        text = f"{row['background']}:bytes={row['background_bytes']},placement={self.placement(row['background_placement'])}"
        if row["burst_s"]:
            text += f",burst={row['burst_s']},pause={row['pause_s']}"
        calls = max(LEAST_CALLS, min(MOST_CALLS, round(ROUNDS * period_seconds(row) / (alone_us * 1e-6))))
        return self.simulate(row, calls, text)


def rows_of(options):
    with open(os.path.join(options.crab, "measured.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            wanted = row["system"] == options.system and options.least_nodes <= int(row["nodes"]) <= options.most_nodes
            if wanted and int(row["bytes"]) > 0 and (row["background"] == "none" or row["background_sure"] == "yes"):
                yield row


def period_seconds(row):
    """Of the other job: a round, or a burst and its pause where that is much of it."""
    round_seconds = (int(row["background_nodes"]) - 1) * int(row["background_bytes"]) / ADAPTER_BYTES_PER_SECOND
    burst, pause = float(row["burst_s"] or 0), float(row["pause_s"] or 0)
    return max(round_seconds, (burst + pause) if pause * 20 > burst else round_seconds)


def place_of(row):
    return row["collective"], row["nodes"], row["bytes"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tutti")
    parser.add_argument("crab")
    parser.add_argument("--system", required=True)
    parser.add_argument("--machine", default="", help="a machine's name or file (default: the system's)")
    parser.add_argument("--least-nodes", type=int, default=0)
    parser.add_argument("--most-nodes", type=int, default=1 << 20)
    parser.add_argument("--every", type=int, default=1, help="only every so many-th run beside another job")
    parser.add_argument("--background", default="", help="only beside this kind of job")
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    rows = list(rows_of(options))
    measured_alone = collections.defaultdict(list)
    for row in rows:
        if row["background"] == "none":
            measured_alone[place_of(row)].append(float(row["median_us"]))
    loaded = [r for r in rows if r["background"] != "none" and place_of(r) in measured_alone and options.background in ("", r["background"])]
    chosen = [r for r in rows if r["background"] == "none"] + loaded[::options.every]
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = Runs(options, scratch)
        first = {(place_of(r), r["placement"]): r for r in chosen}
        alone = dict(zip(first, pool.map(runs.alone, first.values())))

        def predict(row):
            alone_us = alone[place_of(row), row["placement"]]
            found = {"time_us": alone_us, "mean_us": alone_us, "p95_us": alone_us}
            if row["background"] != "none":
                found = runs.beside(row, alone_us)
            return {**{k: row[k] for k in ("system", "collective", "nodes", "bytes", "background", "burst_s", "pause_s", "placement", "run")},
                    "measured_us": row["median_us"], "measured_mean_us": row["mean_us"], "measured_p95_us": row["p95_us"],
                    "measured_alone_us": statistics.median(measured_alone[place_of(row)]), "predicted_us": found["time_us"],
                    "predicted_mean_us": found["mean_us"], "predicted_p95_us": found["p95_us"], "predicted_alone_us": alone_us}

        out = list(pool.map(predict, chosen))
    with open(options.output, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, out[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(out)


if __name__ == "__main__":
    main()
