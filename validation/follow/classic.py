"""Does Open MPI's coll/tuned follow a classic rules file? What it sends must be what the algorithm that the file names sends."""
from validation.follow import probe
from validation.follow.library import make_call
from validation.mpi.rules import NO_SIZE, SIZE_WITHOUT_COUNT, looked_up_bytes, rule_for, rules_for


def calls_around_thresholds(rules, collective, ranks, largest):
    """The calls just below and just above each threshold, and one of 1000 elements."""
    call = make_call(collective, ranks, 0 if collective == "barrier" else 1000)
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
