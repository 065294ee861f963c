"""The project's own runtime with a table, in turn with an MPI library's best algorithms, on the same lab: what algorithms that
the library lacks are worth."""
import argparse
import dataclasses
import json
import os
import shlex
import statistics
import subprocess
import sys

from validation import ValidationError, report
from validation.command import Parser, numbers, status_of, write_beside
from validation.job import run_job
from validation.mpi.open_mpi import OpenMpi
from validation.mpi.results import Results as MpiResults, read_results as read_mpi_results
from validation.runtime import plans, results
from validation.statistics import LEVEL, Estimate, estimate, geometric_mean
from validation.table import Cell, read_table
from validation.verdict import DEFAULT, TABLE


@dataclasses.dataclass
class Duel:
    """A cell, and the library's forced algorithms that are near its best."""
    cell: Cell
    forced: dict[str, dict[str, int]]


def parser() -> argparse.ArgumentParser:
    top = Parser(prog="python3 -m validation.versus", description=__doc__)
    top.add_argument("table", help="chooses the runtime's algorithms")
    top.add_argument("validation", help="the validation.json of tutti validate --mpi: it knows the library's best algorithms")
    top.add_argument("-o", "--output", required=True, metavar="FOLDER", help="what is finished there is not run again")
    top.add_argument("--lab", required=True, help="the lab's name")
    top.add_argument("--bench", required=True, help="tutti-mpi-bench")
    top.add_argument("--ranks", type=numbers)
    top.add_argument("--bytes", type=numbers)
    top.add_argument("--near", type=float, default=1.1, help="forced algorithms within so many times the best (default 1.1)")
    top.add_argument("--blocks", type=int, default=3)
    top.add_argument("--repetitions", type=int, default=2)
    return top


def read_duels(arguments: argparse.Namespace) -> list[Duel]:
    library, known = OpenMpi("4.1"), read_table(arguments.table).predicted_us
    with open(arguments.validation, encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    duels = []
    for one in cells:
        cell = Cell(one["collective"], one["nodes"], one["ppn"], one["bytes"])
        # A cell's size is what its blocks add up to.
        near_size = not arguments.bytes or any(cell.bytes <= size < cell.bytes + 4 * cell.ranks for size in arguments.bytes)
        if cell not in known or not near_size or (arguments.ranks and cell.ranks not in arguments.ranks):
            continue
        times = {arm: time for arm, time in one["median_us"].items() if arm not in (DEFAULT, TABLE)}
        near = sorted(arm for arm, time in times.items() if time <= arguments.near * min(times.values()))
        duels.append(Duel(cell, {arm: library.settings(cell.collective, arm) for arm in near}))
    if not duels:
        raise ValidationError(f"{arguments.validation}: expected cells of the ranks and sizes that are asked for")
    return duels


def plan_texts(duels: list[Duel]) -> tuple[str, str]:
    """For tutti bench plan, and for tutti-mpi-bench plan."""
    ours, theirs = [], []
    for duel in duels:
        head = f"{duel.cell.collective} {duel.cell.ranks} {duel.cell.bytes}"
        ours.append(f"{head} {plans.TABLE}\n")
        theirs += [" ".join([head, arm, *(f"{key}={value}" for key, value in settings.items())]) + "\n"
                   for arm, settings in duel.forced.items()]
    return "".join(ours), "".join(theirs)


def measure(arguments: argparse.Namespace, ranks: int, block: int) -> None:
    """The runtime's job and the library's, one right after the other; which of them first, takes turns."""
    tutti, at = os.environ["TUTTI_PROGRAM"], lambda name: os.path.join(os.path.abspath(arguments.output), name)
    lab = [tutti, "lab", "run", "--name", arguments.lab]
    often = str(arguments.repetitions)
    ours = (results.job_name(ranks, 1, block),
            [*lab, "--ranks", str(ranks), "--", tutti, "bench", "plan", "--plan", at(f"ours-{ranks}.plan"),
             "--table", os.path.abspath(arguments.table), "--first", often, "--repetitions", often])
    theirs = (f"forced-{ranks}-{block}.csv",
              [*lab, "--", "mpirun", "-np", str(ranks), "--map-by", "ppr:1:node", "--mca", "coll_tuned_use_dynamic_rules", "1",
               "--mca", "coll_han_priority", "0", arguments.bench, "plan", at(f"theirs-{ranks}.plan"), "--repetitions", often,
               "--nap", "200"])
    for name, command in (ours, theirs) if block % 2 == 0 else (theirs, ours):
        if os.path.exists(at(name)):
            continue
        print(name, file=sys.stderr, flush=True)
        done = run_job(command, stdout=subprocess.PIPE, text=True)
        if done.returncode:
            raise ValidationError(f"{shlex.join(command)}: failed with status {done.returncode}, see above")
        write_beside(at(name), done.stdout)


@dataclasses.dataclass
class Outcome:
    cell: Cell
    ours: str
    ours_us: float
    theirs: str
    theirs_us: float
    speedup: Estimate  # the library's best time / ours


def judge(duel: Duel, mine: results.Results, library: MpiResults) -> Outcome:
    key = duel.cell.collective, duel.cell.ranks, duel.cell.bytes
    algorithm = mine.ran[key][plans.TABLE]
    ours, forced = mine.times_us[key][algorithm], library.times_us[key]
    median = {arm: statistics.median(times) for arm, times in forced.items()}
    best = min(median, key=lambda arm: median[arm])
    speedup = estimate([ours, *forced.values()], lambda medians: min(medians[1:]) / medians[0])
    return Outcome(duel.cell, algorithm, statistics.median(ours), best, median[best], speedup)


def write_report(folder: str, outcomes: list[Outcome]) -> None:
    def line(name: str, some: list[Outcome]) -> str:
        return (f"- {name}: {geometric_mean([one.speedup.value for one in some]):.2f} in the geometric mean of {len(some)} cells; "
                f"faster in {sum(one.speedup.low > 1 for one in some)}, slower in {sum(one.speedup.high < 1 for one in some)} "
                "beyond noise")

    groups = [("all", outcomes)]
    for collective in sorted({one.cell.collective for one in outcomes}):
        groups.append((collective, [one for one in outcomes if one.cell.collective == collective]))
    summary = [line(name, some) for name, some in groups]
    text = ["# The runtime with its table beside Open MPI's best forced algorithm", "",
            f"Speed-up: the library's best median over ours; intervals are {LEVEL * 100:.0f} % (bootstrap).", "", *summary, "",
            "| collective | ranks | size | ours | ms | Open MPI's best | ms | speed-up |", "|---" * 8 + "|"]
    text += [f"| {one.cell.collective} | {one.cell.ranks} | {report.size_text(one.cell.bytes)} | {one.ours} | "
             f"{one.ours_us / 1e3:.1f} | {one.theirs} | {one.theirs_us / 1e3:.1f} | {report.ratio(one.speedup)} |"
             for one in outcomes]
    write_beside(os.path.join(folder, "report.md"), "\n".join(text) + "\n")
    write_beside(os.path.join(folder, "versus.json"), json.dumps([dataclasses.asdict(one) for one in outcomes], indent=1) + "\n")
    print("\n".join(summary))


def run(arguments: argparse.Namespace) -> int:
    os.makedirs(arguments.output, exist_ok=True)
    duels = read_duels(arguments)
    counts = sorted({duel.cell.ranks for duel in duels})
    for ranks in counts:
        ours, theirs = plan_texts([duel for duel in duels if duel.cell.ranks == ranks])
        write_beside(os.path.join(arguments.output, f"ours-{ranks}.plan"), ours)
        write_beside(os.path.join(arguments.output, f"theirs-{ranks}.plan"), theirs)
    for block in range(arguments.blocks):
        for ranks in counts:
            measure(arguments, ranks, block)
    # Jobs of the library are named by their number of ranks here, in place of the ranks of a node.
    measured = {ranks: (results.read_results(arguments.output, ranks, 1), read_mpi_results(arguments.output, ranks))
                for ranks in counts}
    write_report(arguments.output, [judge(duel, *measured[duel.cell.ranks]) for duel in duels])
    return 0


def main() -> int:
    arguments = parser().parse_args()
    return status_of("versus", lambda: run(arguments))


if __name__ == "__main__":
    sys.exit(main())
