#!/usr/bin/env python3
"""Does an exported rules file lose to Open MPI's own choices anywhere, by the table's predictions? Tunes machines for Open MPI,
exports, looks every cell up with the reader that validation uses, and fails where the file's algorithm takes longer than the
library's own choice, or where the gain is not the one that `tutti export` and `tutti tune` announce."""

import argparse
import collections
import json
import math
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from validation.mpi.rules import NO_SIZE, SIZE_WITHOUT_COUNT, read_rules, rules_for  # noqa: E402

TARGETS = {"4.1": "open-mpi-classic", "5.0": "open-mpi-classic-5.0"}
LIBRARIES = {"4.1": "open-mpi-4.1", "5.0": "open-mpi-5.0-without-han"}  # whose own choices such a file replaces
REDUCTIONS = {"allreduce", "exscan", "reduce", "reduce_scatter", "reduce_scatter_block", "scan"}


def run(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}: status {done.returncode}: {done.stderr}")
    return done


def what_the_file_takes(cell, rules, algorithms, library):
    """(microseconds, algorithm) by the line that the library looks up; None: its own choice."""
    collective, ranks = cell["collective"], cell["nodes"] * cell["ppn"]
    size = 0 if collective in NO_SIZE else ranks * (4 if collective in REDUCTIONS else 1) \
        if collective in SIZE_WITHOUT_COUNT else cell["bytes"]
    line = [rule for rule in rules_for(rules, collective, ranks) if rule.from_bytes <= size][-1]
    own = cell["defaults_us"].get(library)
    if not line.algorithm:
        return own, None
    algorithm = algorithms[collective, line.algorithm]
    given = {"segment": line.segment, "fanout": max(line.fanout, 1)}
    text = ":".join([algorithm["name"]] + [f"{p['name']}={given[p['name']]}" for p in algorithm["parameters"]
                                           if given.get(p["name"], p["default"]) != p["default"]])
    return cell["times_us"].get(text), text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tutti", default="build/tutti")
    parser.add_argument("--machine", action="append", help="default: all that are built in")
    parser.add_argument("--nodes", default="2-9,15-17,31-33", help="those that the machine has")
    parser.add_argument("--ppn", default="1,4")
    parser.add_argument("--osu-sizes", default="8:1M")
    parser.add_argument("--collectives", default="bcast,allreduce,alltoall")
    parser.add_argument("--series", choices=list(TARGETS), default="4.1", help="of Open MPI")
    options = parser.parse_args()
    library = LIBRARIES[options.series]
    known = {m["name"]: m for m in json.loads(run(options.tutti, "machines", "--json").stdout)}
    algorithms = {(a["collective"], a["open_mpi"][options.series]): a
                  for a in json.loads(run(options.tutti, "list", "--json").stdout) if options.series in a["open_mpi"]}
    asked = [n for part in options.nodes.split(",") for n in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)]
    failed = False
    print(f"{'machine':20} {'cells':>6} {'own choice':>10} {'gain':>7} {'slower':>7}")
    for machine in options.machine or list(known):
        nodes = ",".join(str(n) for n in asked if machine not in known or n <= known[machine]["nodes"])
        with tempfile.TemporaryDirectory() as folder:
            table, file = os.path.join(folder, "table.json"), os.path.join(folder, "rules")
            tuned = run(options.tutti, "tune", "--machine", machine, "--nodes", nodes, "--ppn", options.ppn, "--osu-sizes",
                        options.osu_sizes, "--collectives", options.collectives, "--confirm", "none", "--for", library, "-o", table)
            report = json.loads(run(options.tutti, "export", table, "--to", TARGETS[options.series], "--json", "-o", file).stdout)
            with open(table, encoding="utf-8") as text:
                cells = json.load(text)["cells"]
            rules = read_rules(file)
        logarithms, slower, left = collections.defaultdict(list), [], 0
        for cell in cells:
            takes, text = what_the_file_takes(cell, rules, algorithms, library)
            own = cell["defaults_us"].get(library)
            left += text is None
            if text and (takes is None or own is None or takes > own):
                slower.append(f"{cell['collective']} {cell['nodes']} x {cell['ppn']} {cell['bytes']} B: {text} {takes} us, own {own}")
            elif own:
                logarithms[cell["collective"]].append(math.log(own / takes))
        gains = {name: math.exp(sum(values) / len(values)) for name, values in logarithms.items()}
        gain = math.exp(sum(map(sum, logarithms.values())) / sum(map(len, logarithms.values())))
        print(f"{machine:20} {len(cells):6} {left:10} {gain:7.4f} {len(slower):7}", flush=True)
        announced = {row["collective"]: row["gain"] for row in report["collectives"]}
        said = re.findall(r"over the default of \S+: ([0-9.]+) times as fast by its tuning file", tuned.stderr)
        differing = [name for name in gains if abs(gains[name] / announced[name] - 1) > 1e-6]
        if slower or differing or abs(gain / report["gain"] - 1) > 1e-6 or said != [f"{report['gain']:.4g}"]:
            failed = True
            print("\n".join(f"    {line}" for line in slower[:5]))
            print(f"    announced {said} by tune, {report['gain']} by export, {announced}; found {gains}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
