"""Does Open MPI 5.0 follow the files of `tutti export --to open-mpi` on several hosts with several ranks each, where coll/han comes
before coll/tuned?"""
import os

from validation.follow import probe
from validation.follow.library import make_call, own_messages, parts_of, sum_of


class BothComponents(probe.OpenMpi):
    """The library with coll/han where that is by itself; FILE.han is beside the rules."""
    is_twice = True  # coll/han talks about a communicator in its first calls

    def parameters(self, rules):
        if not rules:
            return {}
        path = os.path.abspath(rules)
        return {"coll_tuned_use_dynamic_rules": 1, "coll_tuned_dynamic_rules_filename": path,
                "coll_han_use_dynamic_file_rules": 1, "coll_han_dynamic_rules_filename": path + ".han"}


def ranks_per_host(hosts):
    """Of ranks that are hosts[rank]; as many on each host, one host after the other, is what our algorithms are asked about."""
    ppn = hosts.count(hosts[0])
    if hosts != [host for host in dict.fromkeys(hosts) for _ in range(ppn)]:
        raise probe.ProbeError("expected as many ranks on each host, and those of a host one after the other (--map-by ppr:2:node), "
                               f"found them on {' '.join(hosts)[:200]}")
    return ppn


def component(choice):
    return f"coll/{'han' if choice.startswith('han') else 'tuned'} {choice}"


def expected(tutti, calls, algorithm, ppn):
    """{call: (choice, matrix)}; where Open MPI calls other collectives, as it would call them itself."""
    answers = dict(zip(calls, probe.expected(tutti, [(call, algorithm) for call in calls], ppn)))
    if impossible := [f"{' '.join(map(str, call))}: {each.reason}" for call, each in answers.items() if each.reason]:
        raise probe.ProbeError(impossible[0])
    parts = {part for call, answer in answers.items() for part in parts_of(call, answer.choice.split(":")[0])}
    inner = expected(tutti, sorted(parts), algorithm, ppn) if parts else {}
    found = {}
    for call, answer in answers.items():
        name = answer.choice.split(":")[0]
        own = parts_of(call, name)
        found[call] = (answer.choice, answer.matrix if not own else
                       sum_of([own_messages(call, name)] + [inner[part][1] for part in own]))
    return found


def compare(tutti, mpi, calls, algorithm, ppn, rules=None):
    """Yields (call, choice, matrix if the library sent something else)."""
    wanted = expected(tutti, calls, algorithm, ppn)
    for call, outcome in zip(calls, mpi.run([(call, {}) for call in calls], rules)):
        choice, matrix = wanted[call]
        yield call, choice, None if outcome.matrix == matrix else outcome.matrix


def senders(tutti, library, rules, call, matrix, ppn):
    """Components and algorithms that send exactly this, of what the library may run by itself or by any rule of the file."""
    texts = library.candidates(rules, call.collective) + ["default:open-mpi-5.0", "default:open-mpi-5.0-without-han"]
    found = [answer.choice for answer in probe.expected(tutti, [(call, text) for text in texts], ppn)
             if not answer.reason and answer.matrix == matrix]
    return [component(choice) for choice in dict.fromkeys(found)]


def asked_before(tutti, call, algorithm):
    """What is sent where hosts have a rank each: in every allgather coll/han finds that out anew, and leaves it to coll/tuned."""
    asked = make_call("allreduce", call.ranks, 1)
    found = expected(tutti, sorted({call, asked}), algorithm, 1)
    return sum_of([found[call][1], found[asked][1]])


def follow(tutti, library, rules, calls, mpi, path):
    """Yields (call, followed, text)."""
    ppn, algorithm = ranks_per_host(mpi.hosts), f"file:open-mpi:{os.path.abspath(path)}"
    for call, choice, sent in compare(tutti, mpi, calls, algorithm, ppn, path):
        said = component(choice)
        if sent is None:
            yield call, True, said
            continue
        if ppn == 1 and call.collective == "allgather" and sent == asked_before(tutti, call, algorithm):
            yield call, True, f"{said}, and coll/han asked all ranks before (an allreduce of 4 bytes)"
            continue
        ran = " or ".join(senders(tutti, library, rules, call, sent, ppn)) or f"none of ours: {probe.matrix_text(sent)}"
        yield call, False, f"NOT FOLLOWED: the file says {said}, the messages are those of {ran}"
