"""Does Open MPI 5.0 follow the files of `tutti export --to open-mpi` on several hosts, where coll/han comes before coll/tuned?"""
import os

from validation.follow import probe
from validation.follow.library import own_messages, parts_of, sum_of


class BothComponents(probe.OpenMpi):
    """The library with coll/han where that is by itself; FILE.han is beside the rules."""
    is_twice = True  # in the first ones coll/han makes its communicators, or finds out that it is not to serve this one

    def parameters(self, rules):
        if not rules:
            return {}
        path = os.path.abspath(rules)
        return {"coll_tuned_use_dynamic_rules": 1, "coll_tuned_dynamic_rules_filename": path,
                "coll_han_use_dynamic_file_rules": 1, "coll_han_dynamic_rules_filename": path + ".han"}


def node_of_rank(hosts):
    """Of ranks that are on hosts[rank]: hosts are counted by their first ranks."""
    number = {host: node for node, host in enumerate(dict.fromkeys(hosts))}
    return [number[host] for host in hosts]


def ranks_per_host(hosts):
    """Of libraries that are asked on hosts with as many ranks each, one host after the other."""
    ranks = [hosts.count(host) for host in dict.fromkeys(hosts)]
    if len(set(ranks)) > 1 or hosts != [host for host in dict.fromkeys(hosts) for _ in range(ranks[0])]:
        raise probe.ProbeError("expected as many ranks on each host, one after the other (--map-by ppr:2:node), "
                               f"found them on {' '.join(hosts)[:200]}")
    return ranks[0]


def component(choice):
    return f"coll/{'han' if choice.startswith('han') else 'tuned'} {choice}"


def expected(tutti, calls, algorithm, nodes):
    """{call: (choice, matrix)}; where Open MPI calls other collectives, as it would call them itself."""
    answers = dict(zip(calls, probe.expected(tutti, [(call, algorithm) for call in calls], nodes=nodes)))
    if impossible := [f"{' '.join(map(str, call))}: {each.reason}" for call, each in answers.items() if each.reason]:
        raise probe.ProbeError(impossible[0])
    parts = {part for call, answer in answers.items() for part in parts_of(call, answer.choice.split(":")[0])}
    inner = expected(tutti, sorted(parts), algorithm, nodes) if parts else {}
    found = {}
    for call, answer in answers.items():
        name = answer.choice.split(":")[0]
        own = parts_of(call, name)
        found[call] = (answer.choice, answer.matrix if not own else
                       sum_of([own_messages(call, name)] + [inner[part][1] for part in own]))
    return found


def compare(tutti, mpi, calls, algorithm, nodes, rules=None):
    """Yields (call, choice, matrix if the library sent something else)."""
    wanted = expected(tutti, calls, algorithm, nodes)
    for call, outcome in zip(calls, mpi.run([(call, {}) for call in calls], rules)):
        choice, matrix = wanted[call]
        yield call, choice, None if outcome.matrix == matrix else outcome.matrix


def senders(tutti, library, rules, call, matrix, nodes):
    """Components and algorithms that send exactly this, of what the library may run by itself or by any rule of the file."""
    texts = library.candidates(rules, call.collective) + ["default:open-mpi-5.0", "default:open-mpi-5.0-without-han"]
    found = [answer.choice for answer in probe.expected(tutti, [(call, text) for text in texts], nodes=nodes)
             if not answer.reason and answer.matrix == matrix]
    return [component(choice) for choice in dict.fromkeys(found)]


def follow(tutti, library, rules, calls, mpi, path):
    """Yields (call, followed, text)."""
    nodes, algorithm = node_of_rank(mpi.hosts), f"file:open-mpi:{os.path.abspath(path)}"
    for call, choice, sent in compare(tutti, mpi, calls, algorithm, nodes, path):
        said = component(choice)
        if sent is None:
            yield call, True, said
            continue
        ran = " or ".join(senders(tutti, library, rules, call, sent, nodes)) or f"none of ours: {probe.matrix_text(sent)}"
        yield call, False, f"NOT FOLLOWED: the file says {said}, the messages are those of {ran}"
