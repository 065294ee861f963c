"""Does MPICH 5.0 follow the selection files of `tutti export --to mpich-json` and `mpich-ch4-json`? By the messages between nodes."""
import argparse
import json
import os
import re
import subprocess

from validation import ValidationError, table
from validation.follow import mpich_forced, probe
from validation.follow.layouts import ranks_per_host
from validation.follow.library import REDUCTIONS, make_call
from validation.mpi.rules import BLOCKS

FLAT, COMPOSED = "mpich-json", "mpich-ch4-json"
COLLECTIVES = ("allgather", "allreduce", "alltoall", "barrier", "bcast", "exscan", "gather", "reduce", "reduce_scatter",
               "reduce_scatter_block", "scan", "scatter")


def environment_of(form, path):
    """What switches the file on."""
    path = os.path.abspath(path)
    return {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": path} | (
        {"MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE": path + ".ch4"} if form == COMPOSED else {"MPIR_CVAR_DEVICE_COLLECTIVES": "none"})


def sizes_in(path):
    """{collective: the sizes at which the file changes its mind}, of those it speaks of."""
    try:
        with open(path, encoding="utf-8") as file:
            tree = json.load(file)
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise ValidationError(f"{path}:{getattr(error, 'lineno', 1)}: {error}: expected a selection file of MPICH") from error
    found = {}

    def look(node, sizes):
        for key, below in node.items() if isinstance(node, dict) else ():
            if match := re.fullmatch(r"(?:avg|total)_msg_size<=?(\d+)", key):
                sizes.add(int(match.group(1)))
            look(below, sizes)

    for key, below in tree.items() if isinstance(tree, dict) else ():
        if key.removeprefix("collective=") in COLLECTIVES:
            look(below, found.setdefault(key.removeprefix("collective="), set()))
    if not found:
        raise ValidationError(f"{path}:1: expected a selection file of MPICH, with keys such as collective=bcast")
    return found


def calls_around(sizes, collective, ranks, largest):
    """On both sides of each size, be it of a block or of all blocks."""
    if collective == "barrier":
        return {make_call(collective, ranks, 0)}
    element = 4 if collective in REDUCTIONS else 1
    blocks = ranks if collective in BLOCKS else 1
    counts = {1, 1000} | {size // element // each + more for size in sizes for each in {1, ranks} for more in (-1, 0, 1)}
    return {make_call(collective, ranks, count) for count in counts if count > 0 and count * element * blocks <= largest}


def stands_for(call, choice, ppn):
    """In what another message goes than in the algorithm that stands for MPICH's; None: in nothing."""
    name = choice.split(":")[0]
    nodes = call.ranks // ppn
    if (call.collective, call.operator) == ("reduce", "user"):
        return "a reduce by an operator that does not commute climbs the binomial tree of rank 0"
    if name == "han_simple" and call.root % ppn:
        return "on nodes a root that is not the first rank has its own way to or from that"
    among = nodes if choice in ("han_simple:up=6", "han_simple:up=7") else call.ranks if name == "rabenseifner" else 1
    if among & (among - 1) or (call.count % among and among > 1):
        return "Rabenseifner's algorithm folds without halving, and cuts into blocks that differ by an element"
    if (call.collective, name) == ("bcast", "linear") and call.count < call.ranks:
        return "a scatter of less than an element a rank is linear with us"
    if (call.collective, name) == ("allreduce", "ring") and call.count % call.ranks:
        return "the ring cuts into blocks rounded up, of which the last is smaller"
    return None


def is_seen_in_bytes(call, choice):
    """What UCX is given in types of MPI's has no number of bytes."""
    return call.collective != "gather" and not (call.collective.startswith("reduce_scatter") and choice == "recursive_doubling")


def is_alike(mpi, call, choice, sent, ours):
    ours = mpi.between_nodes(ours)
    if not is_seen_in_bytes(call, choice):
        ours, sent = ({pair: each[0] for pair, each in matrix.items()} for matrix in (ours, sent))
    return ours == sent


def compare(tutti, mpi, calls, algorithm):
    """Yields (call, choice, what explains that something else was sent, what was sent); the last is None where all is alike, the
    third where nothing explains it."""
    wanted = probe.expected(tutti, [(call, algorithm) for call in calls], mpi.ppn)
    for call, outcome, of_ours in zip(calls, mpi.run([(call, {}) for call in calls]), wanted, strict=True):
        if of_ours.reason:
            raise probe.ProbeError(f"{' '.join(map(str, call))}: {of_ours.reason}")
        if is_alike(mpi, call, of_ours.choice, outcome.matrix, of_ours.matrix):
            yield call, of_ours.choice, None, None
        else:
            yield call, of_ours.choice, stands_for(call, of_ours.choice, mpi.ppn), outcome.matrix


def senders(tutti, mpi, call, matrix):
    """MPICH's own choices and algorithms that send exactly this."""
    done = subprocess.run([tutti, "list", call.collective, "--json"], capture_output=True, text=True)
    if done.returncode:
        raise probe.ProbeError(f"tutti list: {done.stderr.strip()}")
    texts = ["default:mpich", "default:mpich-5.0"] + [each["name"] for each in json.loads(done.stdout) if each["mpich"]]
    answers = probe.expected(tutti, [(call, text) for text in texts], mpi.ppn)
    return list(dict.fromkeys(answer.choice for answer in answers
                              if not answer.reason and is_alike(mpi, call, answer.choice, matrix, answer.matrix)))


def calls_for(arguments: argparse.Namespace, sizes, ranks):
    calls = {call for name in sizes for number in ranks
             for call in calls_around(sizes[name], name, number, max(arguments.largest))}
    for cell in table.read_table(arguments.table).predicted_us if arguments.table else ():
        each = (4 if cell.collective in REDUCTIONS else 1) * (cell.ranks if cell.collective in BLOCKS else 1)
        if cell.collective in sizes and cell.ranks in ranks and (cell.bytes >= each or cell.collective == "barrier"):
            calls.add(make_call(cell.collective, cell.ranks, cell.bytes // each))
    return sorted(calls)


def place(mpi, ppn):
    """Says which ranks share a node: those of a host, or of one host so many as are to make believe that they have one."""
    if len(set(mpi.hosts)) > 1:
        if ppn:
            raise ValidationError("--ppn: expected one host: on several, nodes are hosts")
        mpi.ppn, mpi.make_believe = ranks_per_host(mpi.hosts), False
    else:
        mpi.ppn = ppn or 1
    if len(mpi.hosts) % mpi.ppn or len(mpi.hosts) == mpi.ppn:
        raise ValidationError(f"--ppn: expected several nodes of as many ranks each, found {len(mpi.hosts)} ranks: messages on a node are not seen")


def follow(tutti, calls, mpi, form, path):
    """Yields (call, followed; None: it cannot be told, text)."""
    with_file, doubtful = f"file:{form}:{os.path.abspath(path)}", []
    for call, choice, reason, sent in compare(tutti, mpi, calls, with_file):
        if sent is None:
            yield call, True, choice
        elif reason:
            doubtful.append((call, choice, reason, sent))
        else:
            ran = " or ".join(senders(tutti, mpi, call, sent)) or f"none of ours: {probe.matrix_text(sent)}"
            yield call, False, f"NOT FOLLOWED: the file says {choice}, the messages are those of {ran}"
    yield from mpich_forced.settle(tutti, mpi, doubtful)
