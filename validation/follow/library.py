"""The algorithms of a series of Open MPI, in our names, and the messages that each should send."""
import collections
import itertools
import json
import subprocess

from validation.follow import probe
from validation.mpi.rules import rule_for

REDUCTIONS = {"allreduce", "exscan", "reduce", "reduce_scatter", "reduce_scatter_block", "scan"}


def make_call(collective, ranks, count, root=0, operator="sum"):
    return probe.Call(collective, ranks, count, "int" if collective in REDUCTIONS else "byte", operator, root)


def parts_of(call, name):
    """The collectives that Open MPI calls for the algorithm: those are chosen as if the program had called them."""
    def part(collective, count):
        return call._replace(collective=collective, count=count, root=0)
    return {("allgatherv", "gather_bcast"): [part("gatherv", call.count), part("bcast", call.count * call.ranks)],
            ("allgather", "linear"): [part("gather", call.count), part("bcast", call.count * call.ranks)],
            ("allreduce", "reduce_bcast"): [part("reduce", call.count), part("bcast", call.count)],
            ("reduce_scatter", "non_overlapping"): [part("reduce", call.count)],
            ("reduce_scatter_block", "linear"): [part("reduce", call.count * call.ranks), part("scatter", call.count)],
            }.get((call.collective, name), [])


def own_messages(call, name):
    """What such an algorithm sends beside its parts."""
    if (call.collective, name) != ("reduce_scatter", "non_overlapping"):
        return {}
    blocks = [call.count // call.ranks + (rank < call.count % call.ranks) for rank in range(call.ranks)]
    return {(0, rank): (1, 4 * block) for rank, block in enumerate(blocks) if rank > 0 and block > 0}


def sum_of(matrices):
    total = collections.Counter(), collections.Counter()
    for matrix in matrices:
        for pair, (messages, size) in matrix.items():
            total[0][pair] += messages
            total[1][pair] += size
    return {pair: (total[0][pair], total[1][pair]) for pair in total[0]}


class Library:
    def __init__(self, tutti, series):
        self.tutti = tutti
        done = subprocess.run([tutti, "list", "--json"], capture_output=True, text=True)
        if done.returncode:
            raise probe.ProbeError(f"tutti list: {done.stderr.strip()}")
        self.algorithms = collections.defaultdict(dict)  # [collective][id]: as tutti list --json has it
        for algorithm in json.loads(done.stdout):
            if series in algorithm["open_mpi"]:
                self.algorithms[algorithm["collective"]][algorithm["open_mpi"][series]] = algorithm
        self.expected = {}  # [call, text]
        self.own = {}  # [call]: the text of what it picks by itself
        self.default = f"default:open-mpi-{series}"

    def text(self, collective, identity, fanout=0, segment=0):
        """"chain:fanout=2:segment=1024"; None for an id that the library lacks. Of fan-out and segment what it takes; a
        fan-out of 0 is one of 1."""
        algorithm = self.algorithms[collective].get(identity)
        if not algorithm:
            return None
        given = {"fanout": max(fanout, 1), "segment": segment}
        return ":".join([algorithm["name"]] + [f"{parameter['name']}={given[parameter['name']]}"
                                               for parameter in algorithm["parameters"]
                                               if given.get(parameter["name"], 0) >= max(1, parameter["minimum"])])

    def candidates(self, rules, collective):
        """All that the library can run under the rules, each with every fan-out and segment that they name, and with
        those that the library sets by itself."""
        settings = {(4, 0)} | {(rule.fanout, rule.segment) for _, of_ranks in rules.get(collective, []) for rule in of_ranks}
        return sorted({self.text(collective, identity, *setting)
                       for identity in self.algorithms[collective] for setting in settings})

    def prepare(self, rules, calls):
        """Finds out what the candidates send in these calls; must have been done before anything below is asked."""
        calls = set(calls)
        calls |= {part for call in calls for text in self.candidates(rules, call.collective)
                  for part in parts_of(call, text.split(":")[0])}
        pairs = [(call, text) for call in sorted(calls) for text in self.candidates(rules, call.collective)]
        answers = probe.expected(self.tutti, pairs)
        self.expected.update(zip(pairs, answers))
        for call, answer in zip(sorted(calls), probe.expected(self.tutti, [(call, self.default) for call in sorted(calls)])):
            self.own[call] = answer.choice
            self.expected[call, answer.choice] = answer

    def why_not(self, call, text):
        return self.expected[call, text].reason

    def possible(self, rules, call, text):
        """[(label, matrix)]: what the library may send where it runs `text`. More than one only where that calls other
        collectives whose algorithm the rules leave open."""
        parts = parts_of(call, text.split(":")[0])
        if not parts:
            return [(text, self.expected[call, text].matrix)]
        choices = []
        for part in parts:
            rule = rule_for(rules, part)
            texts = [self.text(part.collective, *rule[1:])] if rule else self.candidates(rules, part.collective) or [self.own[part]]
            choices.append([(f"{part.collective} {label}", matrix) for each in texts if not self.why_not(part, each)
                            for label, matrix in self.possible(rules, part, each)])
        return [(f"{text} ({', '.join(label for label, _ in chosen)})",
                 sum_of([own_messages(call, text.split(':')[0])] + [matrix for _, matrix in chosen]))
                for chosen in itertools.product(*choices)]

    def senders_of(self, rules, call, matrix):
        """The labels of all candidates that send exactly this."""
        return [label for text in self.candidates(rules, call.collective) if not self.why_not(call, text)
                for label, sent in self.possible(rules, call, text) if sent == matrix]
