"""Messages of a collective: as they are counted, and as our algorithms send them, by `tutti messages`."""
import collections
import re
import subprocess

from validation import ValidationError

# What was sent, {(from, to): (messages, bytes)}, and of reductions of texts {rank: "abc*7,bac*1"}: the ranks, as letters,
# in the order in which their contributions were combined.
Outcome = collections.namedtuple("Outcome", "matrix orders")
# What our algorithms do: `choice` really runs, after its fall-backs; None where `reason` is why it cannot.
Expected = collections.namedtuple("Expected", "choice reason matrix orders")


def parse_outcome(words):
    """["0>1:4:65536", "1=ab*3"]"""
    matrix, orders = {}, {}
    for word in words:
        if "=" in word:
            rank, _, order = word.partition("=")
            orders[int(rank)] = order
        else:
            source, destination, messages, size = map(int, re.fullmatch(r"(\d+)>(\d+):(\d+):(\d+)", word).groups())
            if source != destination:  # a copy, by whatever way (Open MPI 5.0's pairwise alltoallv sends it)
                matrix[source, destination] = messages, size
    return Outcome(matrix, orders)


def expected(tutti, calls, ppn=None, nodes=None):
    """What our algorithms send, as the program `tutti` says: a list of Expected for (Call, algorithm) such as
    (…, "chain:segment=1K"); on one node, or with so many ranks on each, or with rank r on nodes[r]."""
    text = "".join(f"{' '.join(map(str, call))} {algorithm}\n" for call, algorithm in calls)
    layout = ["--ppn", str(ppn)] if ppn else ["--node-of-rank", ",".join(map(str, nodes))] if nodes else []
    done = subprocess.run([tutti, "messages", "-"] + layout, input=text, capture_output=True, text=True)
    if done.returncode:
        raise ValidationError(done.stderr.strip().removeprefix("tutti: "))
    answers = []
    for line in done.stdout.splitlines():
        first, *rest = line.split()
        answers.append(Expected(None, " ".join(rest), None, None) if first == "-" else
                       Expected(first, None, *parse_outcome(rest)))
    return answers
