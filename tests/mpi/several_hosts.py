#!/usr/bin/env python3
"""Does an installed Open MPI 5.0 follow the files that `tutti export --to open-mpi` wrote, on several hosts with several ranks
each? Hosts are names: daemons in UTS namespaces of this machine, which the library takes for machines of their own. Runs each
collective on both sides of every size at which the file changes its mind and compares the messages from rank to rank with
those of what the file says. A line for each; status 1 if the library did something else. Needs root."""
import argparse
import contextlib
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..")]
import probe  # noqa: E402
from follow import calls_around_thresholds  # noqa: E402
from library import own_messages, parts_of, sum_of  # noqa: E402
from validation.mpi.rules import RulesError, looked_up_bytes, read_rules  # noqa: E402

AGENT = '#!/bin/sh\nhost=$1\nshift\nexec unshare --uts sh -c "hostname $host; $*"\n'


class OnHosts(probe.OpenMpi):
    """The library with `ppn` ranks on each of `nodes` hosts."""

    def __init__(self, mpi, nodes, ppn):
        super().__init__(mpi.mpirun, mpi.mpicc)
        if os.geteuid() != 0:
            raise probe.ProbeError("hosts of one's own need root")
        self.nodes, self.ppn, self.environment["TUTTI_PROBE_WARM"] = nodes, ppn, "1"
        self.place = tempfile.TemporaryDirectory(prefix="tutti-hosts-")
        self.agent, self.hostfile = (os.path.join(self.place.name, name) for name in ("agent", "hosts"))
        with open(self.agent, "w", encoding="utf-8") as file:
            file.write(AGENT)
        os.chmod(self.agent, 0o755)
        with open(self.hostfile, "w", encoding="utf-8") as file:
            file.writelines(f"tutti{node} slots={ppn}\n" for node in range(nodes))

    def close(self):
        self.place.cleanup()
        if "probe" in vars(self):
            self.folder.cleanup()

    def parameters(self, rules):
        named = {"coll_tuned_use_dynamic_rules": 1, "coll_tuned_dynamic_rules_filename": os.path.abspath(rules),
                 "coll_han_use_dynamic_file_rules": 1,
                 "coll_han_dynamic_rules_filename": os.path.abspath(rules) + ".han"} if rules else {}
        return {"btl": "tcp,self,sm"} | named

    def launch(self, ranks):
        return ["unshare", "--uts", "sh", "-c", 'hostname tutti0; exec "$@"', "sh", self.mpirun, "-np", str(ranks),
                "--prtemca", "plm_ssh_agent", self.agent, "--hostfile", self.hostfile,
                "--map-by", f"ppr:{self.ppn}:node", "--bind-to", "none"]


def expected(build, calls, algorithm, ppn):
    """{call: (choice, matrix)}; where Open MPI calls other collectives, as it would call them itself."""
    answers = dict(zip(calls, probe.expected(build, [(call, algorithm) for call in calls], ppn)))
    if impossible := [f"{' '.join(map(str, call))}: {each.reason}" for call, each in answers.items() if each.reason]:
        raise probe.ProbeError(impossible[0])
    parts = {part for call, answer in answers.items() for part in parts_of(call, answer.choice.split(":")[0])}
    inner = expected(build, sorted(parts), algorithm, ppn) if parts else {}
    found = {}
    for call, answer in answers.items():
        name = answer.choice.split(":")[0]
        own = parts_of(call, name)
        found[call] = (answer.choice, answer.matrix if not own else
                       sum_of([own_messages(call, name)] + [inner[part][1] for part in own]))
    return found


def compare(build, mpi, calls, algorithm, rules=None):
    """Yields (call, choice, matrix if the library sent something else)."""
    wanted = expected(build, calls, algorithm, mpi.ppn)
    for call, outcome in zip(calls, mpi.run([(call, {}) for call in calls], rules)):
        choice, matrix = wanted[call]
        yield call, choice, None if outcome.matrix == matrix else outcome.matrix


def calls_for(rules, ranks, largest):
    return [call for name in sorted(rules) for call in calls_around_thresholds(rules, name, ranks, largest)]


def parse_hosts(text):
    layouts = [tuple(map(int, each.groups())) if (each := re.fullmatch(r"(\d+)x(\d+)", part)) else None
               for part in text.split(",")]
    if None in layouts or any(nodes * ppn > 64 or nodes * ppn < 2 for nodes, ppn in layouts):
        raise argparse.ArgumentTypeError(f"expected hosts and ranks of each such as 4x2,3x3, found '{text}'")
    return layouts


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     epilog="Example: tests/mpi/several_hosts.py table.rules --hosts 4x2,3x3")
    parser.add_argument("rules", help="what tutti export --to open-mpi wrote; FILE.han is beside it")
    parser.add_argument("--hosts", type=parse_hosts, default=parse_hosts("4x2,3x3"), help="such as 4x2,3x3 (the default)")
    parser.add_argument("--largest", type=int, default=4 << 20, help="no thresholds above so many bytes (4 MiB)")
    parser.add_argument("--build", default=os.environ.get("TUTTI_BUILD", "build"), help="the folder that Tutti was built in")
    arguments = parser.parse_args()
    missed = checks = 0
    stack = contextlib.ExitStack()
    try:
        rules, installed = read_rules(arguments.rules), probe.installed()
        for nodes, ppn in arguments.hosts:
            mpi = stack.enter_context(contextlib.closing(OnHosts(installed, nodes, ppn)))
            calls = calls_for(rules, nodes * ppn, arguments.largest)
            print(f"Open MPI {mpi.version} on {nodes} hosts with {ppn} ranks each, messages as pml_monitoring counts them")
            for call, choice, sent in compare(arguments.build, mpi, calls, f"file:open-mpi:{os.path.abspath(arguments.rules)}",
                                              arguments.rules):
                said = choice if sent is None else f"NOT FOLLOWED: the file says {choice}, sent was {probe.matrix_text(sent)}"
                print(f"{call.collective:<21}{nodes:>3} x {ppn:<3}{looked_up_bytes(call):>9} B  {said}")
                checks, missed = checks + 1, missed + (sent is not None)
    except (RulesError, probe.ProbeError) as error:
        print(f"several_hosts.py: {error}", file=sys.stderr)
        sys.exit(2)
    finally:
        stack.close()
    print(f"{checks} calls, {missed} of them not as the file says")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
