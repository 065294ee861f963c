#!/usr/bin/env python3
"""mpich_test.py TUTTI FOLDER: the MPICH that PyPI has, installed into FOLDER if it is not there, follows the file that `tutti export`
writes: an operator that writes down its order shows the tree of the algorithm that the file names, which is that of the same
algorithm forced by MPICH's own variables."""
import json
import os
import subprocess
import sys

VERSION = "5.0.2"
# What a table says for 128, 1024 and 16384 bytes, and the variables that force the same.
CHOICES = {128: "ring", 1024: "recexch:radix=4", 16384: "tree:radix=3"}
VARIABLES = {"ring": {}, "recexch": {"MPIR_CVAR_ALLREDUCE_RECEXCH_KVAL": "4", "MPIR_CVAR_ALLREDUCE_RECEXCH_SINGLE_PHASE_RECV": "1"},
             "tree": {"MPIR_CVAR_ALLREDUCE_TREE_TYPE": "knomial_1", "MPIR_CVAR_ALLREDUCE_TREE_KVAL": "3"}}


def skip(reason):
    print(f"Mpich ... skipped {reason!r}")  # as unittest says it
    sys.exit(0)


def run(*command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=dict(os.environ, **environment))
    return done.returncode == 0, done.stdout, (done.stderr.strip().splitlines() or ["no message"])[-1]


def installed(folder):
    if not os.path.exists(os.path.join(folder, "bin", "mpiexec")):
        made, _, message = run(sys.executable, "-m", "venv", folder)
        if not made:
            skip(f"no virtual environment (Debian: python3-venv): {message}")
        done, _, message = run(os.path.join(folder, "bin", "pip"), "install", "-q", "--no-deps", f"mpich=={VERSION}")
        if not done:
            skip(f"mpich {VERSION} cannot be had from PyPI: {message}")
    return lambda program: os.path.join(folder, "bin", program)


def expect(holds, *command):
    if not holds[0]:
        sys.exit(f"{' '.join(command)}: {holds[2]}")
    return holds[1]


def one_rule_a_cell(table):
    """Of the fastest that the cell has."""
    def place(cell):
        return [cell[key] for key in ("collective", "nodes", "ppn")]
    table["rules"] = []
    for cell, after in zip(table["cells"], [*table["cells"][1:], None]):
        rule = {key: cell[key] for key in ("collective", "nodes", "ppn")}
        is_last = not after or place(after) != place(cell)
        before = table["rules"][-1] if table["rules"] else None
        rule["from_bytes"] = before["to_bytes"] + 1 if before and place(before) == place(cell) else 0
        rule["to_bytes"] = None if is_last else after["bytes"] - 1
        fastest = min(cell["times_us"], key=cell["times_us"].get)
        table["rules"].append(rule | {"algorithm": fastest, "predicted_us": cell["times_us"][fastest], "regret": 0, "runner_up": None,
                                      "margin": None, "engine": "fast", "inferred": False})


def export(tutti, folder, ranks):
    """The file of a table whose every choice is said, since the library's own takes a hundred times as long."""
    table, rules = os.path.join(folder, "t.json"), os.path.join(folder, "mpich.json")
    expect(run(tutti, "tune", "--machine", "example-cluster", "--nodes", "1", "--ppn", str(ranks), "--bytes", ",".join(map(str, CHOICES)),
               "--collectives", "allreduce", "--confirm", "none", "--baselines", "mpich", "-o", table), "tune")
    with open(table, encoding="utf-8") as file:
        content = json.load(file)
    for cell in content["cells"]:
        cell.update(times_us={CHOICES[cell["bytes"]]: 1}, defaults_us={"mpich": 100})
        for key in ("inferred", "between_us", "confirmed", "undecided", "runs", "least_default_us"):
            cell.pop(key, None)
    one_rule_a_cell(content)
    with open(table, "w", encoding="utf-8") as file:
        json.dump(content, file)
    expect(run(tutti, "export", table, "--to", "mpich-json", "-o", rules), "export")
    return rules


def main():
    tutti, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    tool = installed(folder)
    program = os.path.join(folder, "order")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "order.c")
    expect(run(tool("mpicc"), source, "-o", program), "mpicc")
    seen = 0
    for ranks in (4, 7):
        def orders(sizes, **environment):
            out = expect(run(tool("mpiexec"), "-n", str(ranks), program, *map(str, sizes), MPIR_CVAR_DEVICE_COLLECTIVES="none",
                             **environment), "mpiexec")
            return dict(line.split(" ", 1) for line in out.splitlines())
        own = orders(CHOICES)
        followed = orders(CHOICES, MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=export(tutti, folder, ranks))
        for size, choice in CHOICES.items():
            name = choice.split(":")[0]
            there = orders([size], MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=name, **VARIABLES[name])[str(size)]
            print(f"{ranks} ranks, {size} bytes: by itself {own[str(size)]}, with the file ({choice}) {followed[str(size)]}")
            if followed[str(size)] != there:
                sys.exit(f"expected {there}")
            seen += there != own[str(size)]
    if seen < 3:
        sys.exit("expected that what the file names is mostly not what MPICH runs by itself")


if __name__ == "__main__":
    main()
