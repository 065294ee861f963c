#!/usr/bin/env python3
"""Measured collectives in other forms, as the table that `tutti calibrate --collectives` reads.

schedules FILE   Schedgen's schedules on Azure HC (De Sensi et al., arXiv 2210.15315), by
                 dataset,algorithm,procs,bytes,n,max_min_us,max_p10_us,max_median_us,…
osu-bcast FOLDER osu_bcast on ORFEO THIN, 24 ranks a node: files of Algorithm,Processes,Size,Latency (mean over ranks)
crab FILE        rings and all-to-alls of CRAB (arXiv 2604.11432) that ran alone on LUMI and Leonardo; placements are sought beside the table"""
import argparse
import csv
import glob
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "plots"))
from drawing import InputError, read_table, run  # noqa: E402

COLUMNS = ("system", "collective", "algorithm", "ranks", "ppn", "bytes", "median_us", "implementation", "barrier", "statistic", "placement")
COLLECTIVE_OF = {"binomialtreebcast": "bcast", "binarytreebcast": "bcast", "nwaydissemination": "allreduce",
                 "nwaydissemination_nocompute": "allreduce", "pipelinedring": "allgather", "linear_alltoall": "alltoall"}
NODE_CORES = 24


def schedules(path):
    for number, row in read_table(path, ("dataset", "algorithm", "procs", "bytes", "max_median_us")):
        if not row["dataset"].startswith("azure_hc44rs"):
            continue
        collective = COLLECTIVE_OF.get(row["algorithm"])
        if collective is None:
            raise InputError(f"{path}:{number}: unknown schedule {row['algorithm']}")
        ranks, message = int(row["procs"]), int(row["bytes"])
        total = message * ranks if collective == "alltoall" else message
        yield "azure-hc", collective, row["algorithm"], ranks, 1, total, row["max_median_us"], "schedgen", "", "longest", ""


def barrier_of(ranks):
    """Open MPI 4.1's choice (coll/tuned's fixed rules)."""
    return "recursive_doubling" if ranks < 4 else "linear" if ranks < 8 else "recursive_doubling"


def osu_bcast(folder):
    paths = sorted(glob.glob(os.path.join(glob.escape(folder), "*.csv")))
    if not paths:
        raise InputError(f"{folder}: expected tables of osu_bcast (*.csv)")
    for path in paths:
        for _, row in read_table(path, ("Algorithm", "Processes", "Size", "Latency")):
            ranks = int(row["Processes"])
            yield ("orfeo-thin", "bcast", row["Algorithm"].replace("basic_", ""), ranks, min(ranks, NODE_CORES), int(row["Size"]),
                   row["Latency"], "osu", barrier_of(ranks), "mean", "")


# All its messages at once, as our linear one has; they begin at rank 0 instead of the next rank.
ALGORITHM_OF = {"ring": "ring", "isend_irecv_ascending": "linear"}


def crab(path):
    for number, row in read_table(path, ("system", "collective", "algorithm", "ranks", "ppn", "bytes", "median_us", "background", "placement")):
        if row["system"] not in ("lumi-g", "leonardo-booster") or row["background"] != "none" or int(row["bytes"]) == 0:
            continue
        if row["algorithm"] not in ALGORITHM_OF:
            raise InputError(f"{path}:{number}: unknown schedule {row['algorithm']}")
        yield (row["system"], row["collective"], ALGORITHM_OF[row["algorithm"]], row["ranks"], row["ppn"], row["bytes"], row["median_us"],
               "crab", "recursive_doubling", "longest", row["placement"])


READERS = {"schedules": schedules, "osu-bcast": osu_bcast, "crab": crab}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("form", choices=READERS)
    parser.add_argument("path", help="the file or folder")
    arguments = parser.parse_args()
    rows = list(READERS[arguments.form](arguments.path))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows)


if __name__ == "__main__":
    run(main)
