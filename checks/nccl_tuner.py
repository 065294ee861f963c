#!/usr/bin/env python3
"""nccl_tuner.py TUTTI: NCCL's example tuner, compiled from NCCL's source in the folder that TUTTI_NCCL names,
takes from the file of `tutti export --to nccl` what that says, for every cell of a table and a byte to both sides, on tuned layouts and others. Needs
no GPU."""
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..")
sys.path.insert(0, ROOT)
from validation.follow import probe  # noqa: E402

COLLECTIVES = ("allgather", "allreduce", "bcast", "reduce", "reduce_scatter_block")
REDUCTIONS = ("allreduce", "reduce", "reduce_scatter_block")
PER_RANK = ("allgather", "reduce_scatter_block")


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{' '.join(command[:3])}: {done.stderr.strip()}")
    return done.stdout


def calls_of(table):
    """(call, nodes, ranks on each): what was tuned, and what was not, a few bytes to both sides."""
    calls = set()
    for cell in table["cells"]:
        collective, nodes, ppn = cell["collective"], cell["nodes"], cell["ppn"]
        element = 4 if collective in REDUCTIONS else 1
        for here in {nodes, nodes + 1}:
            ranks = here * ppn
            blocks = ranks if collective in PER_RANK else 1
            for more in (-1, 0, 1):
                count = cell["bytes"] // (element * blocks) + more
                if ranks > 1 and count >= (1 if blocks > 1 else ranks):  # of fewer elements ours fall back
                    calls.add((probe.Call(collective, ranks, count, "int" if element == 4 else "byte", "sum", 0), here, ppn))
    return sorted(calls)


def bytes_of(call):
    return call.count * (4 if call.collective in REDUCTIONS else 1) * (call.ranks if call.collective in PER_RANK else 1)


def names_of(collective):
    with open(os.path.join(ROOT, "selection", "baselines", "nccl.json"), encoding="utf-8") as file:
        return json.load(file)["algorithms"].get(collective, {})


def is_refused(tutti, call, algorithm, ppn):
    """Whether the file leaves the call to NCCL, whose own choice is not known."""
    try:
        probe.expected(tutti, [(call, algorithm)], ppn)
    except probe.ProbeError as error:
        return "nccl" in str(error)
    return False


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if not os.environ.get("TUTTI_NCCL"):
        print("NcclTuner ... skipped 'TUTTI_NCCL names no folder with the source of NCCL'")
        return
    tutti, source = os.path.abspath(sys.argv[1]), os.path.join(os.path.abspath(os.environ["TUTTI_NCCL"]), "plugins", "tuner", "example")
    with tempfile.TemporaryDirectory() as place:
        tuner, table, rules = (os.path.join(place, name) for name in ("tuner", "table.json", "tuner.csv"))
        run("cc", "-O1", "-w", "-D__hidden=", f"-I{source}", f"-I{source}/nccl", os.path.join(ROOT, "tests", "exporters", "nccl_tuner.c"), "-o", tuner)
        run(tutti, "tune", "--machine", "example-cluster", "--nodes", "1:8", "--ppn", "1,4,8", "--bytes", "64:16M", "--collectives",
            ",".join(COLLECTIVES), "--algorithms", "ring,pat,pipeline:segment=524288,pairwise,binomial", "-o", table)
        run(tutti, "export", table, "--to", "nccl", "-o", rules)
        with open(table, encoding="utf-8") as file:
            calls = calls_of(json.load(file))
        answers = run(tuner, input="".join(f"{call.collective} {bytes_of(call)} {nodes} {call.ranks}\n" for call, nodes, _ in calls),
                      env=dict(os.environ, NCCL_TUNER_CONFIG_FILE=rules)).splitlines()
        told = [(call, ppn, answer) for (call, _, ppn), answer in zip(calls, answers) if not answer.startswith("-")]
        for ppn in sorted({ppn for _, ppn, _ in told}):
            here = [(call, answer) for call, each, answer in told if each == ppn]
            for (call, answer), ours in zip(here, probe.expected(tutti, [(call, f"file:nccl:{rules}") for call, _ in here], ppn)):
                if f"{names_of(call.collective).get(ours.choice)} simple" != answer:
                    sys.exit(f"{' '.join(map(str, call))} with {ppn} a node: the file says {ours.choice}, the tuner {answer}")
        left = [(call, ppn) for (call, _, ppn), answer in zip(calls, answers) if answer.startswith("-")]
        for call, ppn in random.Random(1).sample(left, min(40, len(left))):
            if not is_refused(tutti, call, f"file:nccl:{rules}", ppn):
                sys.exit(f"{' '.join(map(str, call))} with {ppn} a node: the tuner leaves it to NCCL, the file does not")
    print(f"{len(told)} of {len(calls)} calls as the file says, {len(left)} left to NCCL, of which {min(40, len(left))} looked up")
    if len(told) < 500 or not left:
        sys.exit("expected 500 calls that the file tells, and some that it does not")


if __name__ == "__main__":
    main()
