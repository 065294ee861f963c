#!/usr/bin/env python3
"""obedience.py BUILD_FOLDER [--libraries …] [--layouts 4x2,3x3] [--page FILE]: on hosts of a lab with several ranks each, Open MPI 5.0 and
MPICH 5.0, as PyPI has them, run under the file of a table that asks for the slowest in every cell, by the lab's own model. What they send must
be what the file says, and what it says to be slow must take its time. Needs root."""
import argparse
import contextlib
import csv
import io
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..")
sys.path[:0] = [ROOT, HERE, os.path.join(ROOT, "tests", "exporters")]
import mpich_test  # noqa: E402
import open_mpi_5  # noqa: E402
from turned_table import turn  # noqa: E402
from validation.follow import mpich_file  # noqa: E402
from validation.statistics import geometric_mean  # noqa: E402

COLLECTIVES = "allgather,allreduce,alltoall,barrier,bcast,exscan,gather,reduce,reduce_scatter,reduce_scatter_block,scan,scatter"
SIZES, LARGEST = "64:1M", 1 << 20
TIMED_BYTES = (65536, 262144)  # and what is less by a part of an element a rank
RATE = "100mbit"
ROUNDS, REPETITIONS = 3, 3  # jobs in turn, and calls in each
TWICE = 2  # what is to take twice as long must take longer: models and machines are not so far off


class OpenMpi:
    title, form, baseline, folder = f"Open MPI {open_mpi_5.VERSION}", "open-mpi", "open-mpi-5.0", "open-mpi-5"
    installed = staticmethod(open_mpi_5.installed)

    @staticmethod
    def launch(tool, ranks, ppn):
        return [tool("mpirun"), "-np", str(ranks), "--map-by", f"ppr:{ppn}:node:oversubscribe"]

    @staticmethod
    def environment(rules):
        """Of the lines that are for its file of parameters."""
        with open(rules + ".conf", encoding="utf-8") as file:
            lines = [line.split(" = ") for line in file.read().splitlines() if not line.startswith("#")]
        return {f"OMPI_MCA_{name}": value for name, value in lines}


class Mpich:
    title, form, baseline, folder = f"MPICH {mpich_test.VERSION}", "mpich-ch4-json", "mpich-5.0", "mpich"
    installed = staticmethod(mpich_test.installed)

    @staticmethod
    def launch(tool, ranks, _ppn):
        return [tool("mpiexec"), "-n", str(ranks)]

    @staticmethod
    def environment(rules):
        """Ranks that wait for shared memory keep their core, of which these have too few: all is as in its first calls."""
        return mpich_file.environment_of(Mpich.form, rules) | {"MPIR_CVAR_POSIX_NUM_COLLS_THRESHOLD": "1000000"}


HEAD = """# Libraries that do what is slowest

Written by `checks/obedience.py build --page docs/obedience.md` (root; some minutes). A table is tuned on the model of an emulated cluster, turned
round, so that it asks for the slowest candidate of every cell, and exported. The library is then run on that cluster's hosts, with several ranks on
each. By messages: what it sent in the calls of all cells and on both sides of each of the file's sizes, beside what the file says. By times: under the file of
the table as it was (fast) and the one turned round (slow), in jobs in turn, medians of nine calls. Where both are the same, the
library has one algorithm that can be named. MPICH goes on nodes as in its first calls (MPIR_CVAR_POSIX_NUM_COLLS_THRESHOLD): its ranks keep the processor where they wait for
shared memory, and here they share two; with it a reduce of 64 KiB on 3 x 3 takes 17 ms, without it took 240."""

LIBRARIES = {"open-mpi": OpenMpi, "mpich": Mpich}


def output_of(command, statuses=(0,)):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode not in statuses:
        sys.exit(f"{shlex.join(command)[:300]} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout


class Session:
    """One library on one layout."""

    def __init__(self, tutti, library, tool, layout, place):
        self.tutti, self.library, self.tool, self.place = tutti, library, tool, place
        self.nodes, self.ppn = layout
        self.ranks, self.lab = self.nodes * self.ppn, f"obey{os.getpid()}"
        self.machine = self.path("machine.json")

    def path(self, name):
        return os.path.join(self.place, name)

    def files(self):
        """Writes a table and the file of its best choices, and, turned, of its slowest."""
        table = self.path("fast.json")
        output_of([self.tutti, "tune", "--machine", self.machine, "--nodes", str(self.nodes), "--ppn", str(self.ppn), "--bytes", SIZES,
                   "--mode", "barrier", "--for", self.library.baseline, "--baselines", self.library.baseline, "--collectives", COLLECTIVES,
                   "--exhaustive", "-o", table])
        with open(table, encoding="utf-8") as file, open(self.path("slow.json"), "w", encoding="utf-8") as copy:
            copy.write(file.read())
        turn(self.path("slow.json"), LARGEST)
        for name in ("fast", "slow"):
            output_of([self.tutti, "export", self.path(f"{name}.json"), "--to", self.library.form, "-o", self.path(f"{name}.rules")])

    def in_lab(self, environment=()):
        """The beginning of a command that starts the ranks."""
        return [self.tutti, "lab", "run", "--name", self.lab, "--", "env", *environment, *self.library.launch(self.tool, self.ranks, self.ppn)]

    def verdicts(self):
        """What tutti follow says of each call, on both sides of each of the file's sizes, and of each of the table's cells."""
        command = [self.tutti, "follow", self.path("slow.rules"), "--mpi", shlex.join(self.in_lab()), "--mpicc", self.tool("mpicc"), "--table",
                   self.path("slow.json"), "--largest", str(LARGEST), "--json"]
        return json.loads(output_of(command, (0, 1)))["calls"]

    def timed_cells(self):
        with open(self.path("fast.json"), encoding="utf-8") as file:
            return [(cell["collective"], cell["bytes"]) for cell in json.load(file)["cells"]
                    if any(0 <= size - cell["bytes"] < 4 * self.ranks for size in TIMED_BYTES)]

    def bench(self):
        program = self.path("tutti-mpi-bench")
        sources = [os.path.join(ROOT, "mpi", name) for name in os.listdir(os.path.join(ROOT, "mpi")) if name.endswith(".cpp")]
        output_of([self.tool("mpicxx"), "-std=c++20", "-O1", "-rdynamic", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", "-I", ROOT, *sources,
                   "-o", program])
        return program

    def measured(self):
        """{(collective, bytes): {"fast": …, "slow": …}}: medians in microseconds, of jobs in turn."""
        bench, times = self.bench(), {}
        plan = self.path("cells.plan")
        for _ in range(ROUNDS):
            for name in ("fast", "slow"):
                with open(plan, "w", encoding="utf-8") as file:
                    file.writelines(f"{collective} {self.ranks} {size} {name}\n" for collective, size in self.timed_cells())
                settings = [f"{key}={value}" for key, value in self.library.environment(self.path(f"{name}.rules")).items()]
                out = output_of([*self.in_lab(settings), bench, "plan", plan, "--repetitions", str(REPETITIONS), "--nap", "200"])
                for row in csv.reader(io.StringIO(out)):
                    if row[0] == "time":
                        times.setdefault((row[1], int(row[3])), {}).setdefault(row[4], []).append(float(row[6]))
        return {cell: {name: statistics.median(each) for name, each in by_name.items()} for cell, by_name in times.items()}

    def predicted(self, collective, size):
        """What the files say for the cell, and what it takes on the model: ((choice, microseconds) of fast, of slow)."""
        element = 4 if collective in mpich_file.REDUCTIONS else 1
        each = element * (self.ranks if collective in mpich_file.BLOCKS else 1)
        call = f"{collective} {self.ranks} {size // each} {'int' if element == 4 else 'byte'} sum 0"
        asked = subprocess.run([self.tutti, "messages", "-", "--ppn", str(self.ppn)], capture_output=True, text=True, check=True,
                               input="".join(f"{call} file:{self.library.form}:{self.path(name)}.rules\n" for name in ("fast", "slow")))
        choices = [line.split()[0] for line in asked.stdout.splitlines()]
        out = output_of([self.tutti, "simulate", collective, "--machine", self.machine, "--nodes", str(self.nodes), "--ppn", str(self.ppn),
                         "--bytes", str(size), "--mode", "barrier", "--algorithm", ",".join(dict.fromkeys(choices)), "--csv", "-"])
        by_choice = {row["algorithm"]: float(row["time_us"]) for row in csv.DictReader(io.StringIO(out))}
        return [(choice, by_choice[choice]) for choice in choices]

    def run(self):
        output_of([self.tutti, "lab", "up", "--name", self.lab, "--switch", str(self.nodes), "--rate", RATE, "--ranks-per-host", str(self.ppn),
                   "-o", self.machine])
        try:
            self.files()
            return self.verdicts(), self.measured()
        finally:
            output_of([self.tutti, "lab", "down", "--name", self.lab])


def report(session, verdicts, measured, out):
    """Writes what was found; returns how often the file was not followed."""
    print(f"\n## {session.library.title}, {session.nodes} hosts x {session.ppn} ranks\n", file=out)
    missed = [each for each in verdicts if each["followed"] is False]
    untold = [each for each in verdicts if each["followed"] is None]
    print(f"By messages: {len(verdicts) - len(missed) - len(untold)} of {len(verdicts)} calls as the file says, {len(missed)} not, "
          f"{len(untold)} cannot be told.", file=out)
    if missed or untold:
        print(file=out)
    for each in missed + untold:
        print(f"* {each['collective']}, {each['bytes']} B: {each['what']}", file=out)
    print("\nBy times:\n\n| cell | fast | slow | predicted slow / fast | measured slow / fast | fast, ms | slow, ms |\n|---|---|---|---|---|---|---|",
          file=out)
    slower, expected, ratios = 0, 0, []
    for (collective, size), times in sorted(measured.items()):
        (fast, fast_us), (slow, slow_us) = session.predicted(collective, size)
        ratio = times["slow"] / times["fast"]
        if slow_us >= TWICE * fast_us:
            expected, slower = expected + 1, slower + (ratio > 1)
            ratios.append((slow_us / fast_us, ratio))
        print(f"| {collective}, {size / 1024:.4g} KiB | {fast} | {slow} | {slow_us / fast_us:.2f} | {ratio:.2f} | {times['fast'] / 1e3:.3g} | "
              f"{times['slow'] / 1e3:.3g} |", file=out)
    of_model, of_library = (geometric_mean(each) for each in zip(*ratios, strict=True))
    print(f"\n{slower} of the {expected} cells in which the slowest is to take at least twice as long take longer: {of_library:.2f} times as "
          f"long in the geometric mean, where {of_model:.2f} are predicted.", file=out, flush=True)
    return len(missed) + (expected - slower)


def layouts(text):
    return [tuple(map(int, each.split("x"))) for each in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--libraries", type=lambda text: text.split(","), default=list(LIBRARIES))
    parser.add_argument("--layouts", type=layouts, default=layouts("4x2,3x3"))
    parser.add_argument("--page", help="write the figures there, rather than to stdout")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        open_mpi_5.skip("a lab needs root")
    tutti, exceptions = os.path.join(os.path.abspath(arguments.build), "tutti"), 0
    with contextlib.ExitStack() as stack:
        out = stack.enter_context(open(arguments.page, "w", encoding="utf-8")) if arguments.page else sys.stdout
        print(HEAD, file=out)
        for name in arguments.libraries:
            library = LIBRARIES[name]
            tool = library.installed(os.path.join(os.path.abspath(arguments.build), library.folder))
            for layout in arguments.layouts:
                with tempfile.TemporaryDirectory(prefix="tutti-obey-") as place:
                    session = Session(tutti, library, tool, layout, place)
                    exceptions += report(session, *session.run(), out)
    print(f"{exceptions} exceptions", file=sys.stderr)
    return 1 if exceptions else 0


if __name__ == "__main__":
    sys.exit(main())
