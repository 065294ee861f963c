#!/usr/bin/env python3
"""Are the shortcuts of `tutti tune` harmless? Tunes machines twice, with them and by brute force, and compares.

The regret of a cell: how much longer the choice that the shortcuts made takes, by brute force, than the best one; among
all choices, among those that a rules file of Open MPI can name, and among those that MPICH has. Where several layouts have
as many ranks, also of the one choice that Open MPI makes for all of them: its worst time relative to the best of the
layout. Fails where the regret is more than 1 % in the mean over a machine's cells or 5 % in one cell."""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

MOST_MEAN, MOST_WORST = 0.01, 0.05


def cells_of(arguments, path):
    subprocess.run([*arguments, "-o", path], check=True, stderr=subprocess.DEVNULL)
    with open(path, encoding="utf-8") as file:
        table = json.load(file)
    return table, {(c["collective"], c["nodes"], c["ppn"], c["bytes"]): c["times_us"] for c in table["cells"]}


def by_ranks(cells):
    """By collective, ranks and size, of several layouts: the worst time relative to the best of the layout."""
    layouts = collections.defaultdict(list)
    for (collective, nodes, ppn, size), times in cells.items():
        best = min(times.values())
        layouts[collective, nodes * ppn, size].append({name: time / best if best else 1.0 for name, time in times.items()})
    return {cell: {name: max(times[name] for times in several) for name in set.intersection(*map(set, several))}
            for cell, several in layouts.items() if len(several) > 1}


def regrets(chosen, exact, libraries):
    """By cell and library, with the choice made and the best one."""
    if set(chosen) != set(exact):
        sys.exit("the two tables have other cells")
    tables = [(library, has, chosen, exact) for library, has in libraries.items()]
    tables += [(f"{library} by ranks", has, by_ranks(chosen), by_ranks(exact)) for library, has in libraries.items()
               if library.startswith("open_mpi")]
    for library, has, chosen, exact in tables:
        for cell, times in chosen.items():
            # No library has a composition.
            theirs = [name for name in exact[cell] if library == "any" or ("(" not in name and has(cell[0], *name.split(":")))]
            if not theirs:
                continue
            made = [name for name in theirs if name in times]
            if not made:
                sys.exit(f"{cell}: nothing that {library} has")
            choice = min(made, key=lambda name: (times[name], name))
            best = min(theirs, key=lambda name: (exact[cell][name], name))
            least = exact[cell][best]
            regret = exact[cell][choice] / least - 1 if exact[cell][choice] > least else 0.0
            yield regret, (library, *cell), choice, best


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tutti", default="build/tutti")
    parser.add_argument("--machine", action="append", help="default: all that are built in")
    parser.add_argument("--layout", action="append", metavar="NODES:PPN",
                        help="lists, as far as the machine has the nodes and cores; default: up to 64 ranks")
    parser.add_argument("--osu-sizes", default="8:4M")
    parser.add_argument("--collectives", default="")
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--most-messages",
                        help="1024: so few that long runs are extrapolated here too, which is not harmless everywhere")
    options = parser.parse_args()
    algorithms = {(a["collective"], a["name"]): a for a in json.loads(subprocess.check_output([options.tutti, "list", "--json"]))}

    def in_rules_file(version):
        """Not those whose parts the library chooses itself."""
        parts = {"bcast", "gather", "reduce", "scatter"}
        whole = {key for key, a in algorithms.items() if not parts & {parameter["name"] for parameter in a["parameters"]}}
        return lambda collective, name, *parameters: ((collective, name) in whole and version in algorithms[collective, name]["open_mpi"] and
                                                      all(p.split("=")[0] in ("fanout", "segment") for p in parameters))

    def in_mpich(collective, name, *parameters):
        """Its selection file says radix and kind of tree, and segments where it has them (exporters/mpich_json.cpp)."""
        its_name = algorithms[collective, name]["mpich"]
        segments = its_name in ("MPIR_Bcast_intra_pipelined_tree", "MPIR_Allreduce_intra_tree")
        said = {"radix", "tree_type"} | ({"segment"} if segments else set())
        return bool(its_name) and all(p.split("=")[0] in said for p in parameters)

    libraries = {"any": lambda *_: True, "open_mpi 4.1": in_rules_file("4.1"), "open_mpi 5.0": in_rules_file("5.0"),
                 "mpich": in_mpich}
    known = {m["name"]: m for m in json.loads(subprocess.check_output([options.tutti, "machines", "--json"]))}
    machines = options.machine or list(known)
    layouts = options.layout or ["2,3,5,8,10,12,16:1", "2,3,7,8,16:4", "2,3,4:16", "2,3,4,6,8:2,4"]
    failed = False
    print(f"{'machine':20} {'layout':38} {'cells':>6} {'mean %':>8} {'worst %':>8} {'simulated':>10} {'of':>8}")
    for machine in machines:
        for layout in layouts:
            nodes, ppn = layout.split(":")
            if machine in known:
                nodes = ",".join(n for n in nodes.split(",") if int(n) <= known[machine]["nodes"])
                if max(map(int, ppn.split(","))) > known[machine]["cores_per_node"]:
                    continue
            tune = [options.tutti, "tune", "--machine", machine, "--nodes", nodes, "--ppn", ppn, "--osu-sizes",
                    options.osu_sizes, "--confirm", "none", "--jobs", options.jobs]
            if options.collectives:
                tune += ["--collectives", options.collectives]
            with tempfile.TemporaryDirectory() as folder:
                most = ["--most-messages", options.most_messages] if options.most_messages else []
                short, chosen = cells_of([*tune, *most], os.path.join(folder, "short.json"))
                whole, exact = cells_of([*tune, "--exhaustive"], os.path.join(folder, "whole.json"))
            found = sorted(regrets(chosen, exact, libraries), reverse=True)
            mean, worst = sum(r[0] for r in found) / len(found), found[0][0]
            print(f"{machine:20} {nodes + ':' + ppn:38} {len(found):6} {100 * mean:8.3f} {100 * worst:8.2f} "
                  f"{short['simulated']:10} {whole['simulated']:8}", flush=True)
            if mean > MOST_MEAN or worst > MOST_WORST:
                failed = True
                for regret, cell, choice, best in found[:5]:
                    print(f"    {100 * regret:6.2f} % {cell}: {choice} for {best}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
