"""tutti validate TABLE.json: the command line, under the project's own runtime."""
import argparse
import difflib
import json
import math
import os
import re
import shlex
import statistics
import subprocess
import sys

from validation import ValidationError, report, table, verdict
from validation.command import Parser, numbers, status_of, write_beside
from validation.job import run_job
from validation.runtime import measured, plans, results
from validation.verdict import DEFAULT as OF_LIBRARY, TABLE as OF_TABLE


def parser() -> argparse.ArgumentParser:
    top = Parser(
        prog="tutti validate", description="Run a table's choices, the choices' rivals and what MPI libraries would pick by their "
        "fixed rules, in turn: speed-up, regret and model error of every cell, each with its confidence interval. "
        "With --mpi: under your own MPI library instead (tutti validate --mpi --help).",
        epilog="Example: tutti validate table.json -o results; in a batch job: tutti validate table.json -o results --launch "
        "'srun -N {nodes} -n {ranks} --ntasks-per-node {ppn}'")
    top.add_argument("table", help="a table that tutti tune wrote")
    top.add_argument("-o", "--output", required=True, metavar="FOLDER", help="where plans, results, report and the table with "
                     "the measured times go; what is finished there is not run again")
    top.add_argument("--launch", help="starts the ranks: a command with {ranks}, and {nodes} and {ppn} where it needs them "
                     "(default: tutti launch, for cells of one node)")
    top.add_argument("--collectives", type=lambda text: set(text.split(",")), help="only these (default: all of the table)")
    top.add_argument("--ranks", type=numbers, help="only these numbers of ranks: 3,5,8 or 2-16")
    top.add_argument("--bytes", type=numbers, help="only these sizes: 16K,1M")
    top.add_argument("--libraries", default="open-mpi-4.1,mpich", help="whose picks are the defaults, the first of them before "
                     "the others (default open-mpi-4.1,mpich)")
    top.add_argument("--blocks", type=int, default=4, help="jobs of each number of ranks, in turn (default 4)")
    top.add_argument("--repetitions", type=int, default=10, help="of a cell in a job (default 10)")
    top.add_argument("--first", type=int, default=3, help="of them, of all rivals (default 3)")
    top.add_argument("--within", type=float, default=1.3, help="rivals of which none of these was within so many times the "
                     "best are not repeated (default 1.3)")
    top.add_argument("--predicted-within", type=float, default=3.0, help="only rivals that are predicted to be within so many "
                     "times the best (default 3)")
    top.add_argument("--decide", action="store_true", help="the rules of the table that is written follow the measured times")
    top.add_argument("--read", action="store_true", help="only read what has been measured")
    top.add_argument("--no-plots", action="store_true", help="no pictures")
    top.add_argument("--json", action="store_true", help="for machines: what FOLDER/validation.json has, on stdout")
    return top


def filled_in(word: str, numbers: dict[str, int]) -> str:
    """Other braces are the command's own, such as a shell's."""
    for name in re.findall(r"(?<!\$)\{(\w+)\}", word):
        if name not in numbers and (meant := difflib.get_close_matches(name, numbers, 1)):
            raise ValidationError(f"--launch: {{{name}}}: expected {{ranks}}, {{nodes}} and {{ppn}} (did you mean {{{meant[0]}}}?)")
    return re.sub(r"(?<!\$)\{(\w+)\}", lambda at: str(numbers[at[1]]) if at[1] in numbers else at[0], word)


def expect_library(name: str) -> None:
    """Before a job runs that would end over it; the program knows which there are."""
    done = subprocess.run([os.environ["TUTTI_PROGRAM"], "simulate", "bcast", "--algorithm", plans.DEFAULT + name, "--machine", "example-cluster",
                           "--nodes", "1", "--ppn", "2", "--bytes", "8"], capture_output=True, text=True)
    if done.returncode:
        raise ValidationError(f"--libraries {name}: {done.stderr.strip().removeprefix('tutti: ')}")


def plan_file(arguments: argparse.Namespace, nodes: int, ppn: int) -> str:
    return os.path.join(arguments.output, f"runtime-{nodes}x{ppn}.plan")


def measure(arguments: argparse.Namespace, place: tuple[int, int], block: int) -> None:
    nodes, ppn = place
    path = os.path.join(arguments.output, results.job_name(nodes, ppn, block))
    if os.path.exists(path):
        return
    tutti = os.environ["TUTTI_PROGRAM"]
    try:
        words = shlex.split(arguments.launch) if arguments.launch else [tutti, "launch", "-n", "{ranks}", "--"]
    except ValueError as error:
        raise ValidationError(f"--launch {arguments.launch}: {error}") from error
    launch = [filled_in(word, {"ranks": nodes * ppn, "nodes": nodes, "ppn": ppn}) for word in words]
    bench = [tutti, "bench", "plan", "--plan", plan_file(arguments, nodes, ppn), "--table", arguments.table, "--repetitions", str(arguments.repetitions), "--first", str(arguments.first),
             "--within", str(arguments.within)]
    print(f"{nodes} nodes with {ppn} ranks, block {block + 1} of {arguments.blocks}", file=sys.stderr, flush=True)
    if not arguments.launch:  # else nobody knows here where the ranks are
        report.note_cores(arguments.output, ppn, len(os.sched_getaffinity(0)))
    done = run_job([*launch, *bench], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise ValidationError(f"{shlex.join(launch)}: the job failed with status {done.returncode}, see above")
    results.expect_results(done.stdout, shlex.join(launch))
    write_beside(path, done.stdout)


def make_plans(arguments: argparse.Namespace) -> tuple[table.Table, list[plans.Plan], int]:
    """The plans, and how many cells have none."""
    tuned, rules = table.read_table(arguments.table), plans.read_rules(arguments.table)
    cells = table.chosen(tuned, {"collective": arguments.collectives, "ranks": arguments.ranks, "bytes": arguments.bytes})
    hosted = [cell for cell in cells if cell.nodes == 1 or arguments.launch]
    found = [plan for plan in (plans.plan_cell(rules, tuned, cell, arguments.predicted_within) for cell in hosted) if plan]
    if not found:
        raise ValidationError(f"{arguments.table}: expected a cell of one node, or --launch for cells of several")
    return tuned, found, len(cells) - len(found)


def judge(plan: plans.Plan, tuned: table.Table, measured_results: results.Results, libraries: list[str]) -> verdict.Verdict:
    key = plan.cell.collective, plan.cell.ranks, plan.cell.bytes
    times, ran = measured_results.times_us[key], measured_results.ran[key]
    library = {name: ran.get(plans.DEFAULT + name, "") for name in libraries}
    chosen = ran.get(plan.choice, "")
    if ran.get(plan.choice) == "":
        raise ValidationError(f"{plan.cell.collective} of {plan.cell.bytes} bytes on {plan.cell.nodes} x {plan.cell.ppn}: {plan.choice}, which the "
                              "table chooses, cannot run here: expected a table of choices that can")
    for name, algorithm in {**library, "the table": chosen}.items():
        if algorithm not in times:
            raise ValidationError(f"{plan.cell.collective} of {plan.cell.bytes} bytes on {plan.cell.nodes} x {plan.cell.ppn}: the results have no "
                                  f"times of what {name} picks{algorithm and ' (' + algorithm + ')'}: expected results of this table and these "
                                  "--libraries, or another folder")
    first, *others = libraries
    found = verdict.judge_times(plan, list(times), {**times, OF_LIBRARY: times[library[first]], OF_TABLE: times[chosen]},
                                tuned.predicted_us[plan.cell], ran[plans.TABLE] == chosen, [library[first]])
    rivals = {name: library[name] for name in others} | {"the runner-up": ran.get(plan.runner_up, "")}
    found.rivals = {name: verdict.ratio(times[algorithm], times[chosen]) for name, algorithm in rivals.items()
                    if times.get(algorithm)}
    return found


def complete_medians(times_us: dict[str, list[float]]) -> dict[str, float]:
    """Of what was not dropped early."""
    most = max(len(times) for times in times_us.values())
    return {algorithm: round(statistics.median(times), 6) for algorithm, times in times_us.items() if len(times) == most}


def run(arguments: argparse.Namespace) -> int:
    for name in ("blocks", "first"):
        if getattr(arguments, name) < 1:
            raise ValidationError(f"--{name} {getattr(arguments, name)}: expected at least 1")
    if arguments.repetitions < arguments.first:
        raise ValidationError(f"--repetitions {arguments.repetitions}: expected at least --first, which is {arguments.first}")
    for name in ("within", "predicted_within"):
        if not 1 <= getattr(arguments, name) < math.inf:
            raise ValidationError(f"--{name.replace('_', '-')} {getattr(arguments, name)}: expected 1 or more")
    libraries = arguments.libraries.split(",")
    for library in libraries:
        expect_library(library)
    written = os.path.join(arguments.output, "table.json")
    if os.path.exists(written) and os.path.exists(arguments.table) and os.path.samefile(written, arguments.table):
        raise ValidationError(f"{written}: the table with measured times would replace {arguments.table}: expected another folder")
    tuned, planned, left_out = make_plans(arguments)
    places = sorted({(plan.cell.nodes, plan.cell.ppn) for plan in planned})
    texts = {place: plans.plan_text([plan for plan in planned if (plan.cell.nodes, plan.cell.ppn) == place], libraries) for place in places}
    for place, text in texts.items():
        if results.finished_jobs(arguments.output, *place):
            plans.expect_same_calls(plan_file(arguments, *place), text, arguments.read)
    if not arguments.read:
        os.makedirs(arguments.output, exist_ok=True)
        for place, text in texts.items():
            write_beside(plan_file(arguments, *place), text)
        for block in range(arguments.blocks):
            for place in places:
                measure(arguments, place, block)
    found = {place: results.read_results(arguments.output, *place) for place in places}
    verdicts = [judge(plan, tuned, found[plan.cell.nodes, plan.cell.ppn], libraries) for plan in planned]
    medians = {plan.cell: complete_medians(found[plan.cell.nodes, plan.cell.ppn].times_us[
        plan.cell.collective, plan.cell.ranks, plan.cell.bytes]) for plan in planned}
    with open(arguments.table, encoding="utf-8") as file:
        text = measured.with_measurements(json.load(file), verdicts, medians, arguments.decide)
    write_beside(os.path.join(arguments.output, "table.json"), text)
    status = report.write_report(arguments.output, tuned.machine, verdicts, left_out, not arguments.no_plots, arguments.json)
    print(f"table with measured times: {os.path.join(arguments.output, 'table.json')}", file=sys.stderr if arguments.json else sys.stdout)
    return status


def main() -> int:
    arguments = parser().parse_args()
    return status_of("tutti validate", lambda: run(arguments))


if __name__ == "__main__":
    sys.exit(main())
