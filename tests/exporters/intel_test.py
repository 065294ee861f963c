#!/usr/bin/env python3
"""intel_test.py TUTTI MPICH_FOLDER FOLDER: the Intel MPI that PyPI has, installed into FOLDER if it is not there, follows the shell's lines that
`tutti export --to intel` writes, on both sides of their sizes: an operator that writes down its order shows the tree of the algorithm of the
number that the lines name, and `tutti follow` the messages. The program is compiled with the MPICH in MPICH_FOLDER, whose binary interface is the same."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mpich_test  # noqa: E402
from mpich_test import expect, one_rule_a_cell, run, skip  # noqa: E402

VERSION = "2021.18.1"
RANKS = 8
# What a table says from so many bytes on, and the number that forces the same; from 16 elements of 128 bytes on, each has a tree of its own.
CHOICES = {2048: ("ring", 8), 8192: ("recursive_doubling", 1), 32768: ("rabenseifner", 2)}
SIZES = (2048, 4096, 8064, 8192, 32640, 32768, 65536)


def installed(folder):
    if not os.path.exists(os.path.join(folder, "bin", "mpiexec.hydra")):
        made, _, message = run(sys.executable, "-m", "venv", folder)
        if not made:
            skip(f"no virtual environment (Debian: python3-venv): {message}")
        done, _, message = run(os.path.join(folder, "bin", "pip"), "install", "-q", "--no-deps", f"impi-rt=={VERSION}")
        if not done:
            skip(f"impi-rt {VERSION} cannot be had from PyPI: {message}")
    return os.path.join(folder, "bin", "mpiexec.hydra"), {
        "I_MPI_ROOT": folder, "LD_LIBRARY_PATH": f"{folder}/lib:{folder}/lib/libfabric", "I_MPI_FABRICS": "shm", "I_MPI_PIN": "0",
        "I_MPI_THREAD_YIELD": "2"}  # more ranks than cores


def export(tutti, folder):
    """The lines of a table whose every choice is said."""
    table, lines = os.path.join(folder, "t.json"), os.path.join(folder, "intel.sh")
    expect(run(tutti, "tune", "--machine", "example-cluster", "--nodes", "1", "--ppn", str(RANKS), "--bytes", ",".join(map(str, CHOICES)),
               "--collectives", "allreduce", "--confirm", "none", "-o", table), "tune")
    with open(table, encoding="utf-8") as file:
        content = json.load(file)
    for cell in content["cells"]:
        cell.update(times_us={CHOICES[cell["bytes"]][0]: 1})
        for key in ("inferred", "between_us", "confirmed", "undecided", "runs", "least_default_us", "defaults_us"):
            cell.pop(key, None)
    one_rule_a_cell(content)
    with open(table, "w", encoding="utf-8") as file:
        json.dump(content, file)
    expect(run(tutti, "export", table, "--to", "intel", "-o", lines), "export")
    return lines


def seen_by_the_verb(tutti, mpicc, mpiexec, environment, folder):
    """What `tutti follow` says of a table's lines, of sizes of blocks among them, and of another number that is set over theirs."""
    table, lines = os.path.join(folder, "f.json"), os.path.join(folder, "f.sh")
    expect(run(tutti, "tune", "--machine", "example-cluster", "--nodes", "1", "--ppn", "6", "--bytes", "96,1536,24K", "--collectives",
               "allgather,alltoall,allreduce,bcast,gather", "--for", "intel", "-o", table), "tune")
    with open(table, encoding="utf-8") as file:
        content = json.load(file)
    for cell in content["cells"]:
        if cell["collective"] == "allgather":
            cell["times_us"] = {"ring" if 1000 < cell["bytes"] < 10000 else "bruck": 1}
            for key in ("inferred", "between_us", "confirmed", "undecided", "runs"):
                cell.pop(key, None)
    one_rule_a_cell(content)
    with open(table, "w", encoding="utf-8") as file:
        json.dump(content, file)
    expect(run(tutti, "export", table, "--to", "intel", "-o", lines), "export")
    settings = [f"{name}={value}" for name, value in environment.items() if name != "I_MPI_FABRICS"]

    def follow(*more):
        launch = " ".join(["env", *settings, f"FI_PROVIDER_PATH={environment['I_MPI_ROOT']}/lib", "FI_TCP_IFACE=lo", *more, mpiexec, "-n", "6"])
        return run(tutti, "follow", lines, "--mpi", launch, "--mpicc", mpicc, "--largest", "24K")
    text = expect(follow(), "follow")
    print(text.splitlines()[-1])
    for size, choice in ((1530, "bruck"), (1536, "ring"), (24570, "ring"), (24576, "bruck")):  # blocks of 255, 256, 4095, 4096 bytes
        if not re.search(rf"allgather +6 ranks +{size} B  {choice}\n", text):
            sys.exit(f"expected {choice} for an allgather of {size} bytes, found:\n{text}")
    followed, text, _ = follow("I_MPI_ADJUST_ALLREDUCE=2")
    if followed or "NOT FOLLOWED: the lines say" not in text:
        sys.exit(f"expected that another number is seen where it is set over the lines', found:\n{text}")


def main():
    tutti, mpich, folder = map(os.path.abspath, sys.argv[1:])
    mpicc = mpich_test.installed(mpich)("mpicc")
    mpiexec, environment = installed(folder)
    program = os.path.join(folder, "order")
    expect(run(mpicc, os.path.join(os.path.dirname(os.path.abspath(__file__)), "order.c"), "-o", program), "mpicc")

    def trees(before=(), **more):
        out = expect(run(*before, mpiexec, "-n", str(RANKS), program, *map(str, SIZES), **environment, **more), "mpiexec.hydra")
        return {int(size): tree for size, tree in (line.split(" ", 1) for line in out.splitlines())}

    lines = export(tutti, folder)
    own = trees()
    followed = trees(("sh", "-c", '. "$0" && exec "$@"', lines), TUTTI_NODES="1", TUTTI_RANKS=str(RANKS))
    forced = {number: trees(I_MPI_ADJUST_ALLREDUCE=str(number)) for _, number in CHOICES.values()}
    for size in SIZES:
        choice, number = CHOICES[max(least for least in CHOICES if least <= size)]
        print(f"{size} bytes: by itself {own[size]}, with the lines ({choice}) {followed[size]}")
        if followed[size] != forced[number][size]:
            sys.exit(f"expected {forced[number][size]}")
        if len({each[size] for each in forced.values()}) < len(CHOICES):
            sys.exit(f"{size} bytes: expected that each algorithm has a tree of its own")
    if sum(followed[size] != own[size] for size in SIZES) < 3:
        sys.exit("expected that what the lines name is mostly not what Intel MPI runs by itself")
    seen_by_the_verb(tutti, mpicc, mpiexec, environment, folder)


if __name__ == "__main__":
    main()
