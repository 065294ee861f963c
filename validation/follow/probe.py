"""What an installed Open MPI sends in a collective, and what our algorithms would: messages and bytes by pair of ranks."""
import collections
import contextlib
import functools
import os
import re
import shutil
import subprocess
import tempfile

from validation import ValidationError
from validation.messages import Expected, Outcome, expected, parse_outcome  # noqa: F401, for those who ask libraries

HERE = os.path.dirname(os.path.abspath(__file__))

# `count`: the count argument of the MPI call (reduce_scatter: the whole vector). `type`: byte, int, or text: elements
# of 16 characters.
# `operator`: sum, or user for one that does not commute.
Call = collections.namedtuple("Call", "collective ranks count type operator root")


class ProbeError(ValidationError):
    pass


def matrix_text(matrix):
    """The shortest form for people: 0>1 0>2 1>3, with ×4 where it is four messages."""
    return " ".join(f"{a}>{b}" + (f"×{messages}" if messages > 1 else "") + f":{size}"
                    for (a, b), (messages, size) in sorted(matrix.items())) or "nothing"


class OpenMpi:
    """An Open MPI installation; `mpirun` and `mpicc` are its programs. `launch`: the beginning of a command that starts as many
    ranks as it is to have; otherwise those that a call needs run on this machine. `place`: a folder that all hosts see.
    `is_twice`: calls are made twice, and told of the second time. `runs`: what its programs say that they run."""
    is_twice = False
    runs = r"Open MPI"

    def __init__(self, mpirun, mpicc, launch=None, place=None):
        self.mpirun, self.mpicc, self.start, self.place = mpirun, mpicc, launch, place
        self.environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                PRTE_ALLOW_RUN_AS_ROOT="1", PRTE_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        text = subprocess.run([mpirun, "--version"], capture_output=True, text=True, env=self.environment).stdout
        found = re.search(r"(?:Open MPI\)|OpenRTE\)) (\d+\.\d+)\.(\d+)", text)
        if not found:
            raise ProbeError(f"{mpirun} is not Open MPI's")
        self.series, self.version = found.group(1), f"{found.group(1)}.{found.group(2)}"

    @functools.cached_property
    def probe(self):
        """The compiled probe; lives as long as this object, or until close()."""
        self.folder = tempfile.TemporaryDirectory(prefix=".tutti-probe-" if self.place else "tutti-probe-", dir=self.place)
        program = os.path.join(self.folder.name, "probe")
        done = subprocess.run([self.mpicc, "-O1", "-rdynamic", "-o", program, *self.sources()], capture_output=True, text=True,
                              env=self.environment)
        if done.returncode:
            raise ProbeError(f"{self.mpicc} cannot compile the probe: {done.stderr.strip()}")
        return program

    def sources(self):
        """Of the probe, with what it is linked to."""
        return [os.path.join(HERE, "probe.c")]

    def command(self, ranks, rules):
        """The beginning of a command that starts so many ranks, or more, under the rules."""
        command = self.launch(ranks)
        for name, value in ({"pml_monitoring_enable": 1, "coll": "^sync,monitoring", "mpi_yield_when_idle": 1} | self.parameters(rules)).items():
            command += ["--mca", name, str(value)]
        return command

    def parameters(self, rules):
        """Of the library, so that it follows the rules."""
        named = {"coll_tuned_dynamic_rules_filename": os.path.abspath(rules)} if rules else {}
        return {"coll_han_priority": 0, "coll_tuned_use_dynamic_rules": 1} | named

    def close(self):
        if "probe" in vars(self):
            del self.probe
            self.folder.cleanup()

    def launch(self, ranks):
        """The beginning of a command that starts so many ranks, or more."""
        return self.start or [self.mpirun, "-np", str(ranks), "--oversubscribe"]

    @functools.cached_property
    def hosts(self):
        """Where each rank that `launch` starts runs. ProbeError where that is another library, to which mpicc links: it would follow no
        file of this one, and nothing would tell why."""
        hosts = []
        for line in self.lines_of(self.launch(1) + [self.probe, "--hosts"]):
            host, _, library = line.partition(" ")
            if not re.search(self.runs, library):
                raise ProbeError(f"--mpicc: what {self.mpicc} makes runs '{' '.join(library.split())}' under {self.mpirun}: expected the "
                                 "compiler of the library whose mpirun that is")
            hosts.append(host)
        return hosts

    def lines_of(self, command):
        with contextlib.suppress(subprocess.TimeoutExpired):
            done = subprocess.run(command, capture_output=True, text=True, timeout=500, env=self.environment, stdin=subprocess.DEVNULL)
            if done.returncode:
                raise ProbeError(f"mpirun ended with {done.returncode}: {last_words(done.stderr)}")
            return done.stdout.splitlines()
        raise ProbeError("mpirun has not ended within 500 s")

    def run(self, calls, rules=None):
        """Makes the calls, each a (Call, settings), and returns their outcomes. `settings` names control variables of
        the library and their values; `rules` is a classic rules file. One mpirun, however many calls."""
        if not calls:
            return []
        order = sorted(range(len(calls)), key=lambda i: (calls[i][0].ranks, sorted(calls[i][1].items())))
        with tempfile.NamedTemporaryFile("w", suffix=".plan", dir=os.path.dirname(self.probe)) as plan:
            for i in order:
                call, settings = calls[i]
                plan.write(" ".join([*map(str, call), *(f"{k}={v}" for k, v in sorted(settings.items()))]) + "\n")
            plan.flush()
            command = self.command(max(call.ranks for call, _ in calls), rules)
            lines = self.lines_of(command + [self.probe, plan.name] + ["--twice"] * self.is_twice)
        words = [[] for _ in calls]
        ranks = len(self.hosts) if self.start else max(call.ranks for call, _ in calls)
        if len(lines) != len(calls) * ranks:
            raise ProbeError(f"expected {len(calls)} calls of {ranks} ranks, found {len(lines)} lines from the probe")
        for number, *rest in map(str.split, lines):
            words[order[int(number)]] += rest
        return [parse_outcome(each) for each in words]


def last_words(text):
    """One line of what a failed program said."""
    lines = [line.strip() for line in text.splitlines() if line.strip(" -")]
    return " ".join(lines[:8])[:400] or "without a word"


def installed():
    """The Open MPI to test: that in TUTTI_OPEN_MPI (a folder with bin/mpirun), else that of the mpirun on PATH, else, where
    that is another library's, the system's. ProbeError: none."""
    prefix = os.environ.get("TUTTI_OPEN_MPI")
    launchers = [os.path.join(prefix, "bin", "mpirun")] if prefix else ["mpirun", "mpirun.openmpi"]
    for mpirun in filter(None, map(shutil.which, launchers)):
        for mpicc in ("mpicc", "mpicc.openmpi"):  # beside it: a compiler's wrapper of another library would link that
            mpicc = os.path.join(os.path.dirname(mpirun), mpicc)
            if is_of_open_mpi(mpirun, "--version") and is_of_open_mpi(mpicc, "--showme:version"):
                return OpenMpi(mpirun, mpicc)
    raise ProbeError(f"no Open MPI is installed: expected its mpirun, and its mpicc beside it, as {' or '.join(launchers)}")


def is_of_open_mpi(program, option):
    try:
        done = subprocess.run([program, option], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    except OSError:
        return False
    return re.search(r"Open MPI|OpenRTE", done.stdout + done.stderr) is not None
