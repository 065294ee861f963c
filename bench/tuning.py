#!/usr/bin/env python3
"""How long `tutti tune` takes on a tapered fat tree of nodes with 128 cores, all collectives, algorithms and parameters: processor time (user and
system, of all jobs), peak memory, and what was simulated and inferred. Fails where it takes more than is allowed.
usage: tuning.py TUTTI [--whole]   (--whole: up to 16,384 ranks, else up to 256)"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
JOBS = 2
# Nodes, ranks per node, processor seconds and MiB allowed.
WHOLE = ("2,3,4,6,7,8,12,16,24,31,32,33,48,64,65,96,127,128", "1,32,128", 1200, 4096)
SCALED_DOWN = ("2,3,7,8", "1,32", 60, 256)


def main():
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["--whole"]):
        sys.exit(__doc__)
    nodes, ppn, most_seconds, most_mebibytes = WHOLE if sys.argv[2:] else SCALED_DOWN
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "table.json")
        child = subprocess.Popen([sys.argv[1], "tune", "--machine", os.path.join(HERE, "tapered.json"), "--nodes", nodes, "--ppn", ppn, "--osu-sizes",
                                  "8:4M", "--jobs", str(JOBS), "--state", folder, "-o", output])
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        if status != 0:
            sys.exit(f"tuning.py: tutti tune ended with status {status}")
        with open(output, encoding="utf-8") as file:
            table = json.load(file)
    seconds, mebibytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    chosen = sum(rule["inferred"] for rule in table["rules"])
    print(f"up to {max(cell['nodes'] * cell['ppn'] for cell in table['cells'])} ranks: {len(table['cells'])} cells, {seconds:.0f} s of processor time "
          f"({seconds / JOBS:.0f} s for each of {JOBS} jobs), {mebibytes:.0f} MiB; {table['simulated']} times simulated, {table['inferred']} inferred; "
          f"{chosen} of {len(table['rules'])} rules choose by an inferred one")
    if seconds > most_seconds or mebibytes > most_mebibytes:
        sys.exit(f"tuning.py: expected at most {most_seconds} s and {most_mebibytes} MiB")


if __name__ == "__main__":
    main()
