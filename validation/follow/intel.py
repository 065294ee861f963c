"""What an installed Intel MPI sends (over TCP, whatever the network), and whether it follows the lines of `tutti export --to intel`."""
import copy
import os
import re
import subprocess
import tempfile

from validation import ValidationError
from validation.follow import probe
from validation.follow.layouts import ranks_per_host
from validation.follow.mpich_file import calls_around

FORM = "intel"
VARIABLE = re.compile(r"I_MPI_ADJUST_([A-Z_]+)=(.+)")


def is_launcher(program):
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    except OSError:
        return False
    return "Intel(R) MPI Library" in done.stdout


class IntelMpi(probe.OpenMpi):
    """`launch` starts the ranks; all messages go over sockets, where they are seen."""
    is_twice = True  # the library tells all ranks something in a communicator's first calls
    runs = r"Intel\(R\) MPI"

    def __init__(self, mpiexec, mpicc, launch, place, environment=None):
        self.mpirun, self.mpicc, self.start, self.place = mpiexec, mpicc, launch, place
        text = subprocess.run([mpiexec, "--version"], capture_output=True, text=True).stdout
        found = re.search(r"Version (\d+\.\d+)(\.\d+)?", text)
        if not found:
            raise probe.ProbeError(f"{mpiexec} is not Intel MPI's")
        self.series, self.version = found.group(1), found.group(1) + (found.group(2) or "")
        self.environment = dict(os.environ, I_MPI_FABRICS="ofi", FI_PROVIDER="tcp", I_MPI_COLL_INTRANODE="pt2pt", I_MPI_PIN="0",
                                I_MPI_THREAD_YIELD="2", **(environment or {}))

    def sources(self):
        return [*super().sources(), os.path.join(probe.HERE, "sent_on_sockets.c"), "-ldl"]

    def command(self, ranks, _rules):
        return self.launch(ranks)

    def told(self, variables):
        """The same library under other variables."""
        other = copy.copy(self)
        other.environment = self.environment | variables
        return other


def variables_of(path, nodes, ranks):
    """What the lines set for a job of so many nodes and ranks: {collective: list}."""
    done = subprocess.run(["sh", "-c", '. "$0" && env', os.path.abspath(path)], capture_output=True, text=True,
                          env={"PATH": os.environ["PATH"], "TUTTI_NODES": str(nodes), "TUTTI_RANKS": str(ranks)})
    if done.returncode:
        raise ValidationError(f"{path}: expected lines for a shell: {probe.last_words(done.stderr)}")
    return {match.group(1).lower(): match.group(2) for match in map(VARIABLE.fullmatch, done.stdout.splitlines()) if match}


def variable(collective):
    return f"I_MPI_ADJUST_{collective.upper()}"


def choices_by_number(tutti, calls, collective, numbers, nodes, ranks):
    """{number: [choice of each call]}: what the number stands for."""
    found = {}
    for number in numbers:
        with tempfile.NamedTemporaryFile("w", suffix=".sh") as lines:
            lines.write(f'if [ "$tutti_ranks" -eq $((tutti_nodes * {ranks // nodes})) ] && [ "$tutti_nodes" -ge {nodes} ] && [ "$tutti_nodes" -le {nodes} ]; then\n'
                        f"  export {variable(collective)}='{number}'\nfi\n")
            lines.flush()
            found[number] = [each.choice for each in probe.expected(tutti, [(call, f"file:{FORM}:{lines.name}") for call in calls],
                                                                    ranks // nodes)]
    return found


OTHERS = {"1", "2", "3"}  # numbers that most collectives have: whether what is set changes anything at all


def settle(tutti, mpi, collective, said, cases, nodes):
    """Of [(call, choice, what was sent)] where ours send something else: the library under the number alone is asked. Yields (call, followed;
    None: it cannot be told, text)."""
    calls, numbers = [call for call, _, _ in cases], sorted(set(re.findall(r"(?:^|;)(\d+)", said)))
    choices = choices_by_number(tutti, calls, collective, numbers, nodes, len(mpi.hosts))
    forced = {number: mpi.told({variable(collective): number}).run([(call, {}) for call in calls]) for number in sorted({*numbers, *OTHERS})}
    for i, (call, choice, sent) in enumerate(cases):
        alone = [number for number in numbers if choices[number][i] == choice and forced[number][i].matrix == sent]
        if not alone:
            yield call, False, f"NOT FOLLOWED: the lines say {choice}, the messages are {probe.matrix_text(sent)[:300]}"
        elif all(outcomes[i].matrix == sent for outcomes in forced.values()):
            differs = len({choices[number][i] for number in numbers}) > 1
            yield call, False if differs else None, (f"NOT FOLLOWED: the lines say {choice}, and no number changes what is sent" if differs else
                                                     f"cannot be told from {choice}: other numbers send the same")
        else:
            yield call, True, f"{choice}: what Intel MPI sends where {' or '.join(alone)} alone is set"


def follow_collective(tutti, mpi, collective, said, calls, path, nodes):
    """Yields (call, followed, text)."""
    wanted = probe.expected(tutti, [(call, f"file:{FORM}:{os.path.abspath(path)}") for call in calls], len(mpi.hosts) // nodes)
    outcomes = mpi.told({variable(collective): said}).run([(call, {}) for call in calls])
    doubtful = []
    for call, of_ours, outcome in zip(calls, wanted, outcomes, strict=True):
        if of_ours.matrix == outcome.matrix:
            yield call, True, of_ours.choice
        else:
            doubtful.append((call, of_ours.choice, outcome.matrix))
    if doubtful:
        yield from settle(tutti, mpi, collective, said, doubtful, nodes)


def follow(tutti, mpi, path, chosen, largest):
    """Yields (call, followed, text) around each size of the lists."""
    nodes, ranks = len(set(mpi.hosts)), len(mpi.hosts)
    ranks_per_host(mpi.hosts)
    lists = variables_of(path, nodes, ranks)
    if not lists:
        raise ValidationError(f"{path}: expected lines for {nodes} nodes and {ranks} ranks, which --mpi starts")
    for collective in chosen(lists):
        sizes = {int(size) + 1 for size in re.findall(r"-(\d+)", lists[collective]) if int(size) < largest}
        yield from follow_collective(tutti, mpi, collective, lists[collective], sorted(calls_around(sizes, collective, ranks, largest)), path,
                                     nodes)
