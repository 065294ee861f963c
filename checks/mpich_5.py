#!/usr/bin/env python3
"""mpich_5.py TUTTI FOLDER: the MPICH that PyPI has, installed into FOLDER if it is not there, reduces as `default:mpich-5.0` says: an
operator that writes down its order shows the tree, with ranks on make-believe nodes, for allreduce and for reduce to two roots."""
import csv
import itertools
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(HERE, "..", "tests", "exporters")
sys.path.insert(0, TESTS)
from mpich_test import expect, installed, run  # noqa: E402

SIZES = (256, 2048, 2304, 16384)
LAYOUTS = ((6, 1), (7, 1), (6, 6), (6, 2), (6, 3), (8, 2), (8, 4), (9, 3))  # ranks, nodes


def join(*trees):
    """Whichever came first."""
    return "(" + "".join(sorted(trees)) + ")"


def binomial(trees):
    """What comes to the first of these."""
    trees = list(trees)
    for half in (1 << i for i in range(len(trees).bit_length())):
        for i in range(0, len(trees) - half, 2 * half):
            trees[i] = join(trees[i], trees[i + half])
    return trees[0]


def doubling(trees):
    """Pairs fold until a power of two is left."""
    extra = len(trees) - (1 << len(trees).bit_length() - 1)
    trees = [join(*trees[2 * i:2 * i + 2]) for i in range(extra)] + trees[2 * extra:]
    while len(trees) > 1:
        trees = [join(*trees[i:i + 2]) for i in range(0, len(trees), 2)]
    return trees[0]


def turned(items, first):
    return items[first:] + items[:first]


def expected(collective, choice, nodes, root):
    """The tree of our algorithm of that name, on these lists of ranks."""
    everyone = list(itertools.chain(*nodes))
    home = next(i for i, node in enumerate(nodes) if root in node)
    if (collective, choice) == ("allreduce", "recursive_doubling"):
        return doubling(everyone)
    if (collective, choice) == ("allreduce", "smp"):
        return doubling([binomial(node) for node in nodes])
    if (collective, choice) == ("reduce", "binomial"):
        return binomial(turned(everyone, everyone.index(root)))
    if (collective, choice) == ("reduce", "han_simple"):
        return binomial([binomial(node) for node in nodes])
    if (collective, choice) == ("reduce", "smp"):  # the others' nodes, their first ranks, then the root's node
        sums = [node[0] if i == home else binomial(node) for i, node in enumerate(nodes)]
        mine = [binomial(turned(sums, home)), *nodes[home][1:]]
        return binomial(turned(mine, nodes[home].index(root)))
    sys.exit(f"no tree is known for {collective} {choice}")


def unordered(text):
    """Of "(2(10))", as `join` writes it."""
    stack = [[]]
    for letter in text:
        if letter == "(":
            stack.append([])
        elif letter == ")":
            stack[-2].append(join(*stack.pop()))
        else:
            stack[-1].append(letter)
    return stack[0][0]


def choices(tutti, collective, ranks, nodes, root):
    out = expect(run(tutti, "simulate", collective, "--machine", "example-cluster", "--nodes", str(nodes), "--ppn", str(ranks // nodes),
                     "--root", str(root), "--op", "user-commutative", "--element", "128", "--bytes", ",".join(map(str, SIZES)), "--algorithm",
                     "default:mpich-5.0", "--csv", "-"), "simulate")
    return [row["chosen"].split(":")[0] for row in csv.DictReader(out.splitlines())]


def main():
    tutti, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    tool = installed(folder)
    program = os.path.join(folder, "order-5")
    expect(run(tool("mpicc"), os.path.join(TESTS, "order.c"), "-o", program), "mpicc")
    compared, seen = 0, set()
    for ranks, count in LAYOUTS:
        nodes = [[str(i) for i in range(first, first + ranks // count)] for first in range(0, ranks, ranks // count)]
        for collective, root in (("allreduce", 0), ("reduce", 0), ("reduce", 3)):
            if root and (count == 1 or count == ranks):
                continue  # on one node MPICH goes by rank 0, which is a remark of the baseline
            # On nodes MPICH would go through shared memory after its first calls.
            variables = {"MPIR_CVAR_NUM_CLIQUES": str(count), "MPIR_CVAR_CLIQUES_BY_BLOCK": "1",
                         "MPIR_CVAR_POSIX_NUM_COLLS_THRESHOLD": "1000000"}
            if collective == "reduce":
                variables["ORDER_REDUCE_TO"] = str(root)
            out = expect(run(tool("mpiexec"), "-n", str(ranks), program, *map(str, SIZES), **variables), "mpiexec")
            theirs = [line.split(" ", 1)[1] for line in out.splitlines()]
            for size, choice, tree in zip(SIZES, choices(tutti, collective, ranks, count, root), theirs, strict=True):
                ours = expected(collective, choice, nodes, str(root))
                if unordered(tree) != ours:
                    sys.exit(f"{collective} of {size} bytes to {root}, {ranks} ranks on {count} nodes: MPICH {tree}, {choice} is {ours}")
                compared += 1
                seen.add((collective, choice))
    print(f"{compared} calls are combined as default:mpich-5.0 says: {', '.join(' '.join(each) for each in sorted(seen))}")
    if len(seen) < 5:
        sys.exit("expected five algorithms among them")


if __name__ == "__main__":
    main()
