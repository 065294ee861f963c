#!/usr/bin/env python3
"""Does an installed Open MPI follow a classic rules file? For each collective of the file and each number of ranks, on
both sides of every size at which the file changes its mind, runs the collective and compares the messages from rank to
rank with those of the algorithm that the file names. A line for each; status 1 if the library did something else."""
import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..")]
import probe  # noqa: E402
from library import Library, make_call  # noqa: E402
from validation.mpi.rules import (NO_SIZE, PER_BLOCK, SIZE_WITHOUT_COUNT, RulesError, looked_up_bytes, read_rules, rule_for,  # noqa: E402
                   rules_for)


def calls_around_thresholds(rules, collective, ranks, largest):
    """The calls just below and just above each threshold, and one of 1000 elements."""
    call = make_call(collective, ranks, 0 if collective in NO_SIZE else 1000)
    if collective in NO_SIZE or collective in SIZE_WITHOUT_COUNT:
        return [call]
    unit = looked_up_bytes(call) // call.count
    counts = {call.count}
    for rule in rules_for(rules, collective, ranks):
        if rule.from_bytes <= largest:
            first = -(-rule.from_bytes // unit)
            counts |= {first - 1, first}
    return [call._replace(count=count) for count in sorted(counts) if count > 0]


def judge(library, rules, call, sent):
    """(followed, text): did the library do what the file says, and what it did in words."""
    senders = library.senders_of(rules, call, sent)
    ran = " or ".join(senders) or f"none of ours: {probe.matrix_text(sent)}"
    rule = rule_for(rules, call)
    wanted = library.text(call.collective, *rule[1:]) if rule else library.own[call]
    said = wanted if rule else f"the library's own choice, {wanted}"
    possible = library.possible(rules, call, wanted)
    if all(matrix != sent for _, matrix in possible):
        return False, f"NOT FOLLOWED: the file says {said}, the messages are those of {ran}"
    others = [label for label in senders if label not in {label for label, _ in possible}]
    return True, said + (f" (cannot be told from {', '.join(others)})" if others else "")


def follow(library, rules, calls, mpi, path):
    """Yields (call, followed, text)."""
    library.prepare(rules, calls)
    runnable = []
    for call in calls:
        rule = rule_for(rules, call)
        wanted = library.text(call.collective, *rule[1:]) if rule else None
        if rule and not wanted:
            yield call, False, f"NOT FOLLOWED: {call.collective} has no algorithm {rule.algorithm} in Open MPI {mpi.version}"
        elif rule and library.why_not(call, wanted):
            yield call, False, f"NOT FOLLOWED: the file says {wanted}, which {library.why_not(call, wanted)}"
        else:
            runnable.append(call)
    for call, outcome in zip(runnable, mpi.run([(call, {}) for call in runnable], path)):
        yield (call, *judge(library, rules, call, outcome.matrix))


def parse_ranks(text):
    first, _, last = text.partition("-")
    if not first.isdigit() or not (last or first).isdigit() or not 2 <= int(first) <= int(last or first) <= 64:
        raise argparse.ArgumentTypeError(f"expected ranks such as 6 or 2-8, from 2 to 64, found '{text}'")
    return range(int(first), int(last or first) + 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog="Example: tests/mpi/follow.py table.rules --ranks 2-8")
    parser.add_argument("rules", help="a classic rules file")
    parser.add_argument("--ranks", type=parse_ranks, default=parse_ranks("2-8"), help="such as 6 or 2-8 (the default)")
    parser.add_argument("--collectives", help="only these: bcast,allreduce")
    parser.add_argument("--largest", type=int, default=16 << 20, help="no thresholds above so many bytes (16 MiB)")
    parser.add_argument("--build", default="build", help="the folder that Tutti was built in")
    arguments = parser.parse_args()
    try:
        rules = read_rules(arguments.rules)
        collectives = arguments.collectives.split(",") if arguments.collectives else sorted(rules)
        if unknown := [name for name in collectives if name not in rules]:
            raise RulesError(f"{arguments.rules}: expected rules for {unknown[0]}, found {', '.join(sorted(rules))}")
        mpi = probe.installed()
        library = Library(arguments.build, mpi.series)
        calls = [call for name in collectives for ranks in arguments.ranks
                 for call in calls_around_thresholds(rules, name, ranks, arguments.largest)]
        print(f"Open MPI {mpi.version} ({mpi.mpirun}), messages as pml_monitoring counts them")
        checks = missed = 0
        for call, followed, text in follow(library, rules, calls, mpi, arguments.rules):
            print(f"{call.collective:<21}{call.ranks:>3} ranks {looked_up_bytes(call):>9} B  {text}")
            checks += 1
            missed += not followed
    except (RulesError, probe.ProbeError) as error:
        print(f"follow.py: {error}", file=sys.stderr)
        sys.exit(2)
    print(f"{checks} calls, {missed} of them not as the file says")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
