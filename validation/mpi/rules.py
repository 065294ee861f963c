"""Reads Open MPI's classic rules file (4.1, 5.0) and looks up what the library takes from it."""
import collections
import re

from validation import ValidationError, json_file

COLLECTIVE_OF_ID = {0: "allgather", 1: "allgatherv", 2: "allreduce", 3: "alltoall", 4: "alltoallv", 6: "barrier", 7: "bcast", 8: "exscan",
                    9: "gather", 11: "reduce", 12: "reduce_scatter", 13: "reduce_scatter_block", 14: "scan", 15: "scatter"}
NO_SIZE = {"alltoallv", "barrier"}  # the library looks up 0
SIZE_WITHOUT_COUNT = {"scan", "exscan"}  # … the size of one element times the ranks
PER_BLOCK = {"allgather", "alltoall", "gather", "scatter", "reduce_scatter_block"}  # … the block times the ranks

BLOCKS = PER_BLOCK | {"allgatherv", "alltoallv"}  # whose count is that of one rank's block

Rule = collections.namedtuple("Rule", "from_bytes algorithm fanout segment")


class RulesError(ValidationError):
    """Its text is one line: FILE:LINE: what was expected."""


class Numbers:
    """The whole numbers of a file, one after the other, each with its line."""

    def __init__(self, path):
        self.path, self.line = path, 1
        try:
            text = json_file.read_text(path, "a rules file")
        except ValidationError as error:
            raise RulesError(str(error)) from error
        if text and not text.endswith("\n"):
            raise RulesError(f"{path}:{text.count(chr(10)) + 1}: expected a line end, since where the file ends inside a line its "
                             "last number may be cut")
        self.words = [(number, word) for number, line in enumerate(text[:-1].split("\n"), 1)
                      for word in line.split("#")[0].split()]
        self.words.reverse()

    def next(self, meaning, least=0):
        if not self.words:
            raise RulesError(f"{self.path}:{self.line}: expected {meaning}, found the end of the file")
        self.line, word = self.words.pop()
        if not re.fullmatch("0|[1-9][0-9]{0,18}", word) or int(word) < least:
            raise RulesError(f"{self.path}:{self.line}: expected {meaning}, a whole number from {least} on, found '{word[:40]}'")
        return int(word)


def read_rules(path):
    """{collective: [(ranks, [Rule, …]), …]}, everything ascending as the library needs it."""
    numbers, rules = Numbers(path), {}

    def ascending(previous, value, meaning):
        if previous is not None and value <= previous:
            raise RulesError(f"{path}:{numbers.line}: expected {meaning} in ascending order")

    for _ in range(numbers.next("the number of collectives", 1)):
        identity = numbers.next("the id of a collective")
        collective = COLLECTIVE_OF_ID.get(identity)
        if collective is None or collective in rules:
            raise RulesError(f"{path}:{numbers.line}: expected the id of a collective, each once, found {identity}")
        of_ranks = rules[collective] = []
        for _ in range(numbers.next("the number of communicator sizes", 1)):
            ranks = numbers.next("a communicator size")
            ascending(of_ranks[-1][0] if of_ranks else None, ranks, "communicator sizes")
            of_ranks.append((ranks, []))
            for _ in range(numbers.next("the number of message sizes", 1)):
                rule = Rule(*(numbers.next(meaning) for meaning in ("a message size", "an algorithm", "a fan-out", "a segment")))
                ascending(of_ranks[-1][1][-1].from_bytes if of_ranks[-1][1] else None, rule.from_bytes, "message sizes")
                of_ranks[-1][1].append(rule)
    if numbers.words:
        raise RulesError(f"{path}:{numbers.words[-1][0]}: expected the end of the file")
    return rules


def rules_for(rules, collective, ranks):
    """Those of the largest communicator size that is not above `ranks`; below all of them the library takes the first."""
    of_ranks = rules.get(collective)
    if not of_ranks:
        return []
    return next((found for size, found in reversed(of_ranks) if size <= ranks), of_ranks[0][1])


def looked_up_bytes(call):
    """The size by which the library looks up a rule."""
    element_bytes = 4 if call.type == "int" else 1
    if call.collective in NO_SIZE:
        return 0
    if call.collective in SIZE_WITHOUT_COUNT:
        return element_bytes * call.ranks
    return call.count * element_bytes * (call.ranks if call.collective in PER_BLOCK else 1)


def rule_for(rules, call):
    """The rule that the library follows, or None where it decides by itself."""
    size = looked_up_bytes(call)
    matching = [rule for rule in rules_for(rules, call.collective, call.ranks) if rule.from_bytes <= size]
    return matching[-1] if matching and matching[-1].algorithm else None
