"""tutti validate TABLE.json --mpi: the command line."""
import argparse
import json
import os
import shlex
import subprocess
import sys

from validation import ValidationError, report, table
from validation.command import Parser, numbers, status_of
from validation.mpi import arms, results, script
from validation.mpi.arms import RULES
from validation.mpi.open_mpi import OpenMpi
from validation.mpi.rules import read_rules
from validation.plan.rounds import forced_plan, read_cells


def parser() -> argparse.ArgumentParser:
    top = Parser(
        prog="tutti validate", description="Run a table's choices, the MPI library's default and the choices' rivals in turn "
        "under your own Open MPI: speed-up, regret and model error of every cell, each with its confidence interval.",
        epilog="Example: tutti validate table.json --mpi -o results (FOLDER/run.sh can also go to sbatch: --batch; then the "
        "same command with --read)")
    top.add_argument("table", help="a table that tutti tune wrote")
    top.add_argument("--mpi", action="store_true", required=True, help="under an MPI library")
    top.add_argument("-o", "--output", required=True, metavar="FOLDER", help="where plans, script, results and report go; "
                     "what is finished there is not run again")
    top.add_argument("--collectives", type=lambda text: set(text.split(",")), help="only these (default: all of the table)")
    top.add_argument("--ranks", type=numbers, help="only these numbers of ranks: 3,5,8 or 2-16")
    top.add_argument("--bytes", type=numbers, help="only these sizes: 16K,1M")
    top.add_argument("--plan", metavar="FILE", help="only the cells and algorithms of a plan that tutti plan wrote")
    top.add_argument("--series", choices=["4.1", "5.0"], default="4.1", help="of the Open MPI (default 4.1)")
    top.add_argument("--mpirun", default="mpirun", help='the launcher, as in "mpirun --hostfile hosts"')
    top.add_argument("--bench", help="tutti-mpi-bench where the jobs run (default: the one beside tutti)")
    top.add_argument("--first", type=int, default=3, help="repetitions of everything (default 3)")
    top.add_argument("--blocks", type=int, default=4, help="rounds of jobs after that (default 4)")
    top.add_argument("--repetitions", type=int, default=3, help="repetitions in each of them (default 3)")
    top.add_argument("--within", type=float, default=1.3, help="rivals of which no time was within so many times the best "
                     "are not repeated (default 1.3)")
    top.add_argument("--predicted-within", type=float, default=3.0, help="only rivals that are predicted to be within so many "
                     "times the best (default 3)")
    top.add_argument("--nap", type=int, default=0, metavar="MICROSECONDS", help="waiting ranks sleep so long at a time: for "
                     "more ranks than cores (default 0: they do not)")
    top.add_argument("--account", help="--batch: the account that the job is for, where the centre asks for one")
    top.add_argument("--partition", help="--batch: where the job runs")
    top.add_argument("--time", help="--batch: the most that the job may take, as sbatch has it (default: estimated)")
    end = top.add_mutually_exclusive_group()
    end.add_argument("--batch", action="store_true", help="only write FOLDER/run.sh, with directives for sbatch")
    end.add_argument("--read", action="store_true", help="only read the results of a script that has run")
    top.add_argument("--no-plots", action="store_true", help="no pictures")
    top.add_argument("--json", action="store_true", help="for machines: what FOLDER/validation.json has, on stdout; with --batch: which script")
    return top


def has_han_rules(series: str, cells: list[table.Cell]) -> bool:
    return series == "5.0" and any(cell.ppn > 1 and cell.nodes > 1 for cell in cells)


def export(table_file: str, folder: str, series: str, with_han: bool) -> None:
    target = "open-mpi" if with_han else {"4.1": "open-mpi-classic", "5.0": "open-mpi-classic-5.0"}[series]
    done = subprocess.run([os.environ["TUTTI_PROGRAM"], "export", table_file, "--to", target, "-o",
                           os.path.join(folder, RULES)], capture_output=True, text=True)
    if done.returncode:
        raise ValidationError(done.stderr.strip().removeprefix("tutti: "))


def make_plans(arguments: argparse.Namespace) -> tuple[table.Table, list[arms.Plan], int]:
    """The plans, and how many cells the rules leave to the library."""
    tuned = table.read_table(arguments.table)
    cells = table.chosen(tuned, {"collective": arguments.collectives, "ranks": arguments.ranks, "bytes": arguments.bytes})
    export(arguments.table, arguments.output, arguments.series, has_han_rules(arguments.series, cells))
    library, rules = OpenMpi(arguments.series), read_rules(os.path.join(arguments.output, RULES))
    if arguments.plan:
        return tuned, planned(arguments.plan, library, tuned, rules, cells), 0
    plans = [arms.plan_cell(library, tuned, rules, cell, arguments.predicted_within) for cell in cells]
    found = [plan for plan in plans if plan]
    if not found:
        raise ValidationError(f"{arguments.table}: expected a cell that the rules decide")
    for plan in found:
        plan.han = arms.han_arms(arguments.series, plan.cell)
    return tuned, found, len(plans) - len(found)


def planned(path: str, library: OpenMpi, tuned: table.Table, rules: dict, cells: list[table.Cell]) -> list[arms.Plan]:
    names_of, _ = read_cells(path)
    found = []
    for cell in cells:
        if cell not in names_of:
            continue
        rule = arms.rule_of(rules, cell)
        if not rule:
            raise ValidationError(f"{path}: {cell.collective} of {cell.bytes} bytes on {cell.ranks} ranks: expected a cell that the table's rules "
                                  "decide")
        choice = library.choice(cell.collective, rule.algorithm, rule.fanout, rule.segment)
        found.append(forced_plan(library, cell, choice, names_of[cell]))
        if unknown := [name for name in found[-1].forced if name not in tuned.predicted_us[cell]]:
            raise ValidationError(f"{path}: {unknown[0]}: expected a candidate of the table's cell")
    if not found:
        raise ValidationError(f"{path}: expected a cell of the table that is asked for")
    return found


def write_script(arguments: argparse.Namespace, tuned: table.Table, plans: list[arms.Plan]) -> str:
    beside = os.path.join(os.path.dirname(os.environ["TUTTI_PROGRAM"]), "tutti-mpi-bench")
    program, *rest = shlex.split(arguments.mpirun)
    mpirun = " ".join([os.path.abspath(program) if "/" in program else program, *rest])  # the script changes its folder
    bench = arguments.bench or beside
    batch = script.Batch(arguments.account, arguments.partition, arguments.time) if arguments.batch else None
    run = script.Run(os.path.abspath(bench) if "/" in bench else bench, mpirun, arguments.first, arguments.blocks,
                     arguments.repetitions, arguments.within, arguments.nap, batch,
                     has_han_rules(arguments.series, [plan.cell for plan in plans]),
                     {ppn: sorted({arm for plan in plans if plan.cell.ppn == ppn for arm in plan.han}) for ppn in {plan.cell.ppn for plan in plans}})
    folder = os.path.abspath(arguments.output)
    path = os.path.join(folder, "run.sh")
    with open(path, "w", encoding="utf-8") as file:
        file.write(script.script_text(run, folder, script.write_plans(folder, plans),
                                      script.estimated_seconds(run, plans, tuned.predicted_us)))
    os.chmod(path, 0o755)
    return path


def write_report(arguments: argparse.Namespace, tuned: table.Table, plans: list[arms.Plan], left_out: int) -> int:
    measured = {ppn: results.read_results(arguments.output, ppn) for ppn in {plan.cell.ppn for plan in plans}}
    verdicts = [results.judge(plan, tuned, measured[plan.cell.ppn]) for plan in plans]
    return report.write_report(arguments.output, tuned.machine, verdicts, left_out, not arguments.no_plots, arguments.json)


def run(arguments: argparse.Namespace) -> int:
    for name in ("account", "partition", "time"):
        if (text := getattr(arguments, name)) is None:
            continue
        if not arguments.batch:
            raise ValidationError(f"--{name} {text}: expected together with --batch")
        if not script.is_word(text):
            raise ValidationError(f"--{name} {text!r}: expected what sbatch takes, without blanks")
    for name in ("first", "nap", "blocks", "repetitions"):
        if getattr(arguments, name) < (1 if name in ("first", "repetitions") else 0):
            raise ValidationError(f"--{name} {getattr(arguments, name)}: expected more")
    os.makedirs(arguments.output, exist_ok=True)
    tuned, plans, left_out = make_plans(arguments)
    if not arguments.read:
        path = write_script(arguments, tuned, plans)
        if arguments.batch and arguments.json:
            print(json.dumps({"script": path}))
            return 0
        if arguments.batch:
            print(f"sbatch {shlex.quote(path)}\n# or, within an allocation: {shlex.quote(path)}\n"
                  "# then call this again with --read in place of --batch")
            return 0
        if subprocess.run([path], stdin=subprocess.DEVNULL).returncode:
            raise ValidationError(f"{path}: a job failed, see above")
    return write_report(arguments, tuned, plans, left_out)


def main() -> int:
    arguments = parser().parse_args()
    return status_of("tutti validate", lambda: run(arguments))


if __name__ == "__main__":
    sys.exit(main())
