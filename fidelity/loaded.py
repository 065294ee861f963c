#!/usr/bin/env python3
"""CRAB's rings and all-to-alls (arXiv 2604.11432) beside another job: how much longer they take than alone, predicted and measured.
A slow-down is none below 1.2, some up to 2, much above; what was measured alone is the median of the runs on as many nodes.
usage: loaded.py TUTTI CRAB_FOLDER [--machine FILE] [--most-nodes N] [--gap SECONDS] [--rows OUT.csv]
--gap: each of the other job's ranks rests so long after a round, as its measured duty on 8 nodes says (docs/fabric.md)."""
import argparse
import collections
import csv
import io
import os
import statistics
import subprocess
import sys

ALGORITHM_OF = {"ring": "ring", "isend_irecv_ascending": "linear"}
FITTED_NODES = 8
# Of the other job's rounds at least that many, and of calls at least and at most.
ROUNDS, LEAST_CALLS, MOST_CALLS = 6, 24, 400


def machine_of(system, given):
    return given if given else system


def simulated(tutti, machine, row, folder, beside, calls):
    command = [tutti, "simulate", row["collective"], "--machine", machine, "--algorithm", ALGORITHM_OF[row["algorithm"]], "--bytes", row["bytes"],
               "--placement", os.path.join(folder, "placements", row["placement"]), "--csv", "-", "--jobs", "1",
               "--mode", f"loop:{calls}:recursive_doubling"]
    run = subprocess.run(command + (["--background", beside] if beside else []), capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"loaded.py: {' '.join(command)}: {run.stderr}")
    found, = csv.DictReader(io.StringIO(run.stdout))
    return found


def kind(slow_down):
    return "none" if slow_down < 1.2 else "some" if slow_down <= 2 else "much"


def rows_of(folder, system, most_nodes):
    with open(os.path.join(folder, "measured.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["system"] == system and int(row["bytes"]) > 0 and int(row["nodes"]) <= most_nodes and row["algorithm"] in ALGORITHM_OF:
                yield row


def period_seconds(row, gap):
    """Of the other job: a round over one adapter of 25 GB/s, or a burst and its pause."""
    messages = int(row["background_nodes"]) - 1
    round_seconds = messages * int(row["background_bytes"]) / 25e9 + gap
    burst, pause = float(row["burst_s"] or 0), float(row["pause_s"] or 0)
    return max(round_seconds, (burst + pause) if pause * 20 > burst else round_seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tutti")
    parser.add_argument("crab")
    parser.add_argument("--system", default="leonardo-booster")
    parser.add_argument("--machine", default="")
    parser.add_argument("--most-nodes", type=int, default=32)
    parser.add_argument("--gap", type=float, default=0.0)
    parser.add_argument("--every", type=int, default=1, help="only every so many-th run beside another job")
    parser.add_argument("--rows", default="")
    options = parser.parse_args()
    machine = machine_of(options.system, options.machine)
    alone = collections.defaultdict(list)
    loaded = []
    for row in rows_of(options.crab, options.system, options.most_nodes):
        if row["background"] == "none":
            alone[row["collective"], row["nodes"], row["bytes"]].append(float(row["median_us"]))
        elif row["background_sure"] == "yes":
            loaded.append(row)
    loaded = loaded[::options.every]
    out, predicted_alone = [], {}
    for row in loaded:
        key = row["collective"], row["nodes"], row["bytes"]
        if key not in alone:
            continue
        where = key + (row["placement"],)
        if where not in predicted_alone:
            predicted_alone[where] = float(simulated(options.tutti, machine, row, options.crab, None, 4)["time_us"])
        base = predicted_alone[where]
        calls = round(ROUNDS * period_seconds(row, options.gap) / (base * 1e-6))
        calls = max(LEAST_CALLS, min(MOST_CALLS, calls))
        beside = (f"{row['background']}:bytes={row['background_bytes']},placement="
                  + os.path.join(options.crab, "placements", row["background_placement"]))
        if row["burst_s"]:
            beside += f",burst={row['burst_s']},pause={row['pause_s']}"
        if options.gap and row["background"] == "incast":
            beside += f",gap={options.gap}"
        found = simulated(options.tutti, machine, row, options.crab, beside, calls)
        measured_alone = statistics.median(alone[key])
        out.append({"collective": row["collective"], "nodes": int(row["nodes"]), "bytes": int(row["bytes"]), "background": row["background"],
                    "burst_s": row["burst_s"], "pause_s": row["pause_s"], "placement": row["placement"],
                    "measured": float(row["median_us"]) / measured_alone, "predicted": float(found["time_us"]) / base,
                    "measured_mean": float(row["mean_us"]) / measured_alone, "predicted_mean": float(found["mean_us"]) / base, "calls": calls})
        print(*(f"{value:.2f}" if isinstance(value, float) else value for value in out[-1].values()), sep=",", flush=True, file=sys.stderr)
    if options.rows:
        with open(options.rows, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, out[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(out)
    report(out)


def report(rows):
    def line(name, some, key="predicted", measured="measured"):
        if not some:
            return
        ratio = [max(r[key] / r[measured], r[measured] / r[key]) for r in some]
        close = sum(r <= 1.5 for r in ratio) / len(some)
        right = sum(kind(r[key]) == kind(r[measured]) for r in some) / len(some)
        print(f"{name:<52} {len(some):>5} {close:>8.1%} {right:>8.1%}")

    print(f"{'slow-downs':<52} {'rows':>5} {'in 1.5':>8} {'kind':>8}")
    none = [dict(r, predicted=1.0, predicted_mean=1.0) for r in rows]
    for fitted in (True, False):
        where = f"{'up to' if fitted else 'above'} {FITTED_NODES} nodes"
        for background in ("incast", "alltoall"):
            some = [r for r in rows if (r["nodes"] <= FITTED_NODES) == fitted and r["background"] == background]
            line(f"{where}, beside {background}, medians", some)
            line(f"{where}, beside {background}, means", some, "predicted_mean", "measured_mean")
            nothing = [r for r in none if (r["nodes"] <= FITTED_NODES) == fitted and r["background"] == background]
            line("    were nothing slowed down, medians", nothing)
            line("    were nothing slowed down, means", nothing, "predicted_mean", "measured_mean")
    line("all, medians", rows)


if __name__ == "__main__":
    main()
