#!/usr/bin/env python3
"""mpich_messages.py TUTTI FOLDER: the MPICH that PyPI has, installed into FOLDER if it is not there, sends what `default:mpich` and
`default:mpich-5.0` say, and follows the files of `tutti export --to mpich-json` and `mpich-ch4-json` that ask for what is slowest, on
make-believe nodes: by the messages between them."""
import contextlib
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..")
sys.path[:0] = [HERE, ROOT, os.path.join(ROOT, "tests", "exporters")]
from mpich_test import expect, installed, run  # noqa: E402
from turned_table import turn  # noqa: E402
from validation.follow import mpich, mpich_file, probe  # noqa: E402
from validation.mpi.rules import BLOCKS  # noqa: E402
from validation.follow.library import REDUCTIONS, make_call  # noqa: E402

ALONE = tuple((ranks, 1) for ranks in (*range(2, 18), 20, 24))  # nodes, ranks on each
TOGETHER = ((2, 4), (2, 5), (3, 3), (4, 2), (4, 4), (5, 3), (8, 2), (9, 2))
BASELINES = os.path.join(ROOT, "selection", "baselines")
LARGEST = 1 << 21  # bytes of a call in all
PER_BLOCK = BLOCKS | {"gatherv", "scatterv"}


def calls_around_thresholds(ranks):
    """The calls just below and just above each size at which the library changes its mind, and a few others."""
    calls = set()
    for name in ("mpich", "mpich-5.0"):
        with open(os.path.join(BASELINES, f"{name}.json"), encoding="utf-8") as file:
            rules = json.load(file)["collectives"]
        for collective, of_collective in rules.items():
            if collective.startswith("neighbor_"):
                continue
            if collective == "barrier":
                calls.add(make_call(collective, ranks, 0))
                continue
            element = 4 if collective in REDUCTIONS else 1
            counts = {1, ranks, 1000} | {bytes // element - below for rule in of_collective["rules"]
                                         for bytes, _ in rule.get("by_bytes", []) if bytes for below in (-1, 0, 1)}
            blocks = ranks if collective in PER_BLOCK else 1
            if blocks > 1 and of_collective["bytes_of"] == "total":
                counts |= {count // ranks + more for count in counts for more in (0, 1)}
            calls |= {make_call(collective, ranks, count, root, operator) for count in counts if 0 < count * element * blocks <= LARGEST
                      for operator in (("sum", "user") if collective in REDUCTIONS else ("sum",))
                      for root in ((0, ranks - 1) if collective in ("bcast", "gather", "gatherv", "reduce", "scatter", "scatterv") else (0,))}
    return sorted(calls)


def compare(tutti, mpi, calls, algorithm, rest):
    """How many of the calls send what the algorithm does; those that nothing explains are printed and end the test."""
    alike = 0
    for call, choice, reason, sent in mpich_file.compare(tutti, mpi, calls, algorithm):
        if sent is None:
            alike += 1
        elif reason:
            rest.setdefault(reason, []).append(call)
        else:
            sys.exit(f"{' '.join(map(str, call))} on nodes of {mpi.ppn}: {algorithm} is {choice}, MPICH sends {probe.matrix_text(sent)[:300]}")
    return alike


def with_library(tool, ppn, environment):
    return contextlib.closing(mpich.Mpich(tool("mpiexec"), tool("mpicc"), ppn, environment))


def defaults(tutti, tool, algorithm, environment, layouts):
    rest, made, alike = {}, 0, 0
    by_ppn = {}
    for nodes, ppn in layouts:
        by_ppn.setdefault((ppn, 0 if ppn == 1 else nodes), []).append(nodes * ppn)
    for (ppn, _), ranks in by_ppn.items():
        calls = [call for number in ranks for call in calls_around_thresholds(number)]
        with with_library(tool, ppn, environment) as mpi:
            alike += compare(tutti, mpi, calls, algorithm, rest)
            made += len(calls)
    print(f"{alike} of {made} calls as {algorithm} says" + "".join(f"; {len(calls)}: {reason}" for reason, calls in rest.items()), flush=True)
    return alike, made


def expect_needed(tutti, tool, calls, nodes, ppn, rules):
    """Without the file of compositions, these come before what the other says."""
    wanted = probe.expected(tutti, [(call, f"file:mpich-ch4-json:{rules}") for call in calls], ppn)
    with with_library(tool, ppn, {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": rules}) as mpi:
        missed = {call.collective for call, outcome, of_ours in zip(calls, mpi.run([(call, {}) for call in calls]), wanted, strict=True)
                  if len(outcome.matrix) != len(mpi.between_nodes(of_ours.matrix))}
    if len(missed & {"allreduce", "bcast", "reduce"}) < 2:
        sys.exit(f"{nodes} x {ppn}: expected that MPICH does not follow a file alone in two collectives, found {missed}")


def obeyed(tutti, tool, form, library, nodes, ppn, folder):
    """The calls of a table that is turned, under its file."""
    table, rules = os.path.join(folder, "table.json"), os.path.join(folder, "rules.json")
    expect(run(tutti, "tune", "--machine", "example-cluster", "--nodes", str(nodes), "--ppn", str(ppn), "--bytes", "64:1M", "--for", library,
               "--baselines", library, "--exhaustive", "-o", table), "tune")
    turn(table, 65536)
    expect(run(tutti, "export", table, "--to", form, "-o", rules), "export")
    with open(table, encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    calls = set()
    for cell in cells:
        each = (4 if cell["collective"] in REDUCTIONS else 1) * (nodes * ppn if cell["collective"] in PER_BLOCK else 1)
        if cell["collective"] == "barrier" or cell["bytes"] >= each:
            calls.add(make_call(cell["collective"], nodes * ppn, cell["bytes"] // each))
    calls, rest = sorted(calls), {}
    if form == "mpich-ch4-json" and ppn > 1:
        expect_needed(tutti, tool, calls, nodes, ppn, rules)
    with with_library(tool, ppn, mpich_file.environment_of(form, rules)) as mpi:
        alike = compare(tutti, mpi, calls, f"file:{form}:{rules}", rest)
        own = sum(each.choice == alone.choice for each, alone in zip(
            *(probe.expected(tutti, [(call, algorithm) for call in calls], ppn)
              for algorithm in (f"file:{form}:{rules}", f"default:{library}")), strict=True))
    print(f"{form}, {nodes} x {ppn}: {alike} of {len(calls)} calls as the file says, of which MPICH alone would choose {own} so"
          + "".join(f"; {len(calls)}: {reason}" for reason, calls in rest.items()), flush=True)
    if own > len(calls) * 3 // 4 or alike < len(calls) * 3 // 4:
        sys.exit("expected that the file asks for something else in most calls, and that most can be seen")
    return alike


def seen_by_the_verb(tutti, tool, folder):
    """What `tutti follow` says of a file on nodes of two ranks, and of another choice that is forced over it."""
    table, rules = os.path.join(folder, "t.json"), os.path.join(folder, "r.json")
    expect(run(tutti, "tune", "--machine", "example-cluster", "--nodes", "3", "--ppn", "2", "--bytes", "64:64K", "--for", "mpich-5.0",
               "--baselines", "mpich-5.0", "-o", table), "tune")
    expect(run(tutti, "export", table, "--to", "mpich-ch4-json", "-o", rules), "export")
    launch = f"{tool('mpiexec')} -n 6"
    print(expect(run(tutti, "follow", rules, "--mpi", launch, "--ppn", "2"), "follow").splitlines()[-1])
    forced = "env MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=ring MPIR_CVAR_DEVICE_COLLECTIVES=none"
    followed, text, _ = run(tutti, "follow", rules, "--mpi", f"{forced} {launch}", "--for", "mpich-json", "--collectives", "allreduce")
    if followed or "NOT FOLLOWED: the file says" not in text:
        sys.exit(f"expected that another algorithm is seen where it is forced, found:\n{text}")


def main():
    tutti, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    tool = installed(folder)
    flat = {"MPIR_CVAR_DEVICE_COLLECTIVES": "none"}
    counts = [defaults(tutti, tool, "default:mpich", flat, ALONE), defaults(tutti, tool, "default:mpich-5.0", {}, ALONE[:16] + TOGETHER)]
    followed = 0
    for nodes, ppn in ((5, 1), (4, 2), (3, 3), (2, 8)):
        for form, library in (("mpich-json", "mpich"), ("mpich-ch4-json", "mpich-5.0")):
            with tempfile.TemporaryDirectory() as place:
                followed += obeyed(tutti, tool, form, library, nodes, ppn, place)
    print(f"{followed} calls follow files")
    with tempfile.TemporaryDirectory() as place:
        seen_by_the_verb(tutti, tool, place)
    for alike, made in counts:
        if alike < 2000 or alike < made * 4 // 5:
            sys.exit("expected 2,000 calls alike, and four of five")


if __name__ == "__main__":
    main()
