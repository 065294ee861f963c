#!/usr/bin/env python3
"""Does any cell of a table lose to what a library picks by itself? Tunes machines, and looks at every cell, whatever rule serves it, in three ways:
what the table says of the choice and of the defaults; what the simulator says when it is asked anew for the choice and for the default, of a sample of
the cells; and what the table says of cells in which a candidate that was not simulated may be faster (they must be marked). Fails where a choice takes
longer than a default in its own cell. With --ends it also prints how choices do at the last sizes that rules serve, which lie between two that were
sampled, so that nothing was promised of them."""

import argparse
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile

ROUNDING = 1e-9
NEAR = 1.05  # a choice that was inferred may turn out slower than a default, which the table then has to say; by less, nobody decides


def numbers(text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def run(*arguments):
    return subprocess.run(arguments, check=True, capture_output=True, text=True)


def tuned(options, machine, nodes, ppn):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "table.json")
        run(options.tutti, "tune", "--machine", machine, "--nodes", ",".join(map(str, nodes)), "--ppn", str(ppn), "--bytes", options.bytes,
            "--collectives", options.collectives, "--baselines", options.baselines, "--jobs", options.jobs, "--confirm", "none", "-o", path)
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def served(table):
    """Every cell with the rule that serves it."""
    rules = {}
    for rule in table["rules"]:
        rules.setdefault((rule["collective"], rule["nodes"], rule["ppn"]), []).append(rule)
    for cell in table["cells"]:
        for rule in rules[cell["collective"], cell["nodes"], cell["ppn"]]:
            if rule["from_bytes"] <= cell["bytes"] and (rule["to_bytes"] is None or cell["bytes"] <= rule["to_bytes"]):
                yield cell, rule


def ends(rules, options):
    """The largest size that each serves, but for those without a limit."""
    for rule in rules:
        if rule["to_bytes"] is not None and rule["nodes"] * rule["ppn"] <= options.most_simulated_ranks:
            yield {**rule, "bytes": rule["to_bytes"] // 4 * 4}


def simulated_us(options, machine, cell, choices):
    text = run(options.tutti, "simulate", cell["collective"], "--machine", machine, "--algorithm", ",".join(choices), "--nodes", str(cell["nodes"]),
               "--ppn", str(cell["ppn"]), "--bytes", str(cell["bytes"]), "--csv", "-").stdout
    return [float(row["time_us"]) for row in csv.DictReader(io.StringIO(text))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tutti", default="build/tutti")
    parser.add_argument("--machines", default="", help="default: all that are built in")
    parser.add_argument("--nodes", default="2-300", help="as far as the machine has them")
    parser.add_argument("--nodes-sampled", type=int, default=0, help="of these, so many at random for every machine and ranks per node; 0: all")
    parser.add_argument("--ppn", default="1,4,full")
    parser.add_argument("--bytes", default="64,4K,64K,1M")
    parser.add_argument("--collectives", default="allgather,allreduce,alltoall")
    parser.add_argument("--baselines", default="open-mpi-4.1,open-mpi-5.0,mpich")
    parser.add_argument("--most-ranks", type=int, default=1 << 20, help="leave out places of more")
    parser.add_argument("--simulated", type=int, default=20, help="so many cells a table are simulated anew")
    parser.add_argument("--ends", type=int, default=0, help="so many rules a table are simulated at the last size that they serve")
    parser.add_argument("--most-simulated-ranks", type=int, default=1200)
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    known = {m["name"]: m for m in json.loads(run(options.tutti, "machines", "--json").stdout)}
    chance = random.Random(options.seed)
    losses, cells, undecided, anew, at_ends = [], 0, 0, 0, []
    for machine in options.machines.split(",") if options.machines else known:
        for ppn in options.ppn.split(","):
            ppn = known[machine]["cores_per_node"] if ppn == "full" else int(ppn)
            nodes = [n for n in numbers(options.nodes) if n <= known[machine]["nodes"] and n * ppn <= options.most_ranks]
            if options.nodes_sampled:
                nodes = sorted(chance.sample(nodes, min(options.nodes_sampled, len(nodes))))
            if not nodes or ppn > known[machine]["cores_per_node"]:
                continue
            table = tuned(options, machine, nodes, ppn)
            here = list(served(table))
            if len(here) != len(table["cells"]):
                losses.append(f"{machine}: {len(table['cells'])} cells, {len(here)} of them with a rule")
            found = len(losses)
            for cell, rule in here:
                where = f"{machine}: {cell['collective']} on {cell['nodes']} x {ppn}, {cell['bytes']} B: {rule['algorithm']}"
                mine = cell["times_us"][rule["algorithm"]]
                for library in options.baselines.split(","):
                    theirs = cell.get("defaults_us", {}).get(library)
                    if theirs is None and "undecided" not in cell:
                        losses.append(f"{where}: nothing is known of {library}'s default, and the cell passes for decided")
                    if theirs is not None and mine > theirs * (1 + ROUNDING):
                        losses.append(f"{where} takes {mine:.6g} us, {library}'s default {theirs:.6g}")
            small = [one for one in here if one[0]["nodes"] * ppn <= options.most_simulated_ranks]
            for cell, rule in chance.sample(small, min(options.simulated, len(small))):
                libraries = options.baselines.split(",")
                mine, *theirs = simulated_us(options, machine, cell, [rule["algorithm"], *("default:" + library for library in libraries)])
                anew += 1
                for library, seconds in zip(libraries, theirs, strict=True):
                    if mine > seconds * ("undecided" in cell and NEAR or 1) * (1 + 1e-6):
                        losses.append(f"{machine}: {cell['collective']} on {cell['nodes']} x {ppn}, {cell['bytes']} B: {rule['algorithm']} takes "
                                      f"{mine:.6g} us when it is simulated, {library}'s default {seconds:.6g}")
            at_end = list(ends(table["rules"], options))
            for end in chance.sample(at_end, min(options.ends, len(at_end))):
                choices = [end["algorithm"], *("default:" + library for library in options.baselines.split(","))]
                mine, *theirs = simulated_us(options, machine, end, choices)
                at_ends += [mine / seconds for seconds in theirs if seconds > 0]
            cells += len(here)
            undecided += sum("undecided" in cell for cell, _ in here)
            print(f"{machine}, {len(nodes)} numbers of nodes x {ppn}: {len(here)} cells, {len(losses) - found} lose", flush=True)
    print(f"{cells} cells, {undecided} of them not decided, {anew} simulated anew: {len(losses)} losses")
    if at_ends:
        print(f"{len(at_ends)} comparisons where rules end: {sum(r > 1 + 1e-6 for r in at_ends)} slower than a default, the worst {max(at_ends):.3f} times")
    for loss in losses[:40]:
        print("    " + loss)
    sys.exit(1 if losses else 0)


if __name__ == "__main__":
    main()
