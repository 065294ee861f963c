"""tutti validate TABLE.json --mpi: the command line."""
import argparse
import glob
import json
import math
import os
import subprocess
import sys
import tempfile

from validation import ValidationError, progress, report, table
from validation.batch import add_batch_options, batch_of, from_anywhere, mpi_bench, part_folder, read_text, run_script, submit_text, what_to_do, write_script
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
    add_batch_options(top)
    top.add_argument("--tasks", type=int, help="--batch: as an array of so many tasks, each some of the cells in an allocation of its own, and "
                     "a job that reads the results")
    end = top.add_mutually_exclusive_group()
    end.add_argument("--batch", action="store_true", help="only write FOLDER/run.sh, with directives for sbatch")
    end.add_argument("--read", action="store_true", help="only read the results of a script that has run")
    top.add_argument("--no-plots", action="store_true", help="no pictures")
    top.add_argument("--json", action="store_true", help="for machines: what FOLDER/validation.json has, on stdout; with --batch: which script")
    return top


def has_han_rules(arguments: argparse.Namespace, cells: list[table.Cell]) -> bool:
    """tutti plan's choices are among the algorithms of coll/tuned alone."""
    return arguments.series == "5.0" and not arguments.plan and any(cell.ppn > 1 and cell.nodes > 1 for cell in cells)


def export(table_file: str, folder: str, series: str, with_han: bool) -> None:
    target = "open-mpi" if with_han else {"4.1": "open-mpi-classic", "5.0": "open-mpi-classic-5.0"}[series]
    done = subprocess.run([os.environ["TUTTI_PROGRAM"], "export", table_file, "--to", target, "-o",
                           os.path.join(folder, RULES)], capture_output=True, text=True)
    if done.returncode:
        raise ValidationError(done.stderr.strip().removeprefix("tutti: "))


def exported_rules(arguments: argparse.Namespace, with_han: bool, cells: list[table.Cell]) -> tuple[dict, dict[table.Cell, tuple[str, dict]]]:
    """The table's, and what of the cells coll/han runs in its simple variant. Rules in the folder may be others only where nothing has been measured by them."""
    own = os.path.join(arguments.output, RULES)
    with tempfile.TemporaryDirectory() as folder:
        export(arguments.table, folder, arguments.series, with_han)
        rules = read_rules(os.path.join(folder, RULES))
        simple = arms.simple_choices(os.path.join(folder, RULES), cells) if with_han else {}
        has_results = any(glob.glob(os.path.join(glob.escape(arguments.output), pattern)) for pattern in ("*-*-*.csv", "part-*/*-*-*.csv"))
        if has_results and os.path.exists(own) and read_rules(own) != rules:
            raise ValidationError(f"{arguments.output}: has results of another table's rules: expected a new folder")
    return rules, simple


def make_plans(arguments: argparse.Namespace) -> tuple[table.Table, list[arms.Plan], int]:
    """The plans, and how many cells the rules leave to the library."""
    tuned = table.read_table(arguments.table)
    table.warn_of_other_library(tuned, arguments.table, arguments.series)
    cells = table.chosen(tuned, {"collective": arguments.collectives, "ranks": arguments.ranks, "bytes": arguments.bytes})
    with_han = has_han_rules(arguments, cells)
    rules, simple = exported_rules(arguments, with_han, cells)
    library = OpenMpi(arguments.series)
    if arguments.plan:
        found, left = planned(arguments.plan, library, tuned, rules, cells), 0
    else:
        plans = [arms.plan_cell(library, tuned, rules, cell, arguments.predicted_within, simple) for cell in cells]
        found = [plan for plan in plans if plan]
        left = len(plans) - len(found)
        if not found:
            raise ValidationError(f"{arguments.table}: the rules leave all cells that are asked for ({left}) to the library's own choice, so that "
                                  "there is nothing to compare: expected a cell that the rules decide")
        for plan in found:
            plan.han = arms.han_arms(arguments.series, plan.cell)
    if not arguments.read:
        export(arguments.table, arguments.output, arguments.series, with_han)
    return tuned, found, left


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


def write_scripts(arguments: argparse.Namespace, tuned: table.Table, plans: list[arms.Plan]) -> str:
    run = script.Run(mpi_bench(arguments.bench), from_anywhere(arguments.mpirun), arguments.first, arguments.blocks, arguments.repetitions,
                     arguments.within, arguments.nap, batch_of(arguments), has_han_rules(arguments, [plan.cell for plan in plans]),
                     script.han_of(plans))
    folder = os.path.abspath(arguments.output)
    if not arguments.tasks:
        return script.write_run(run, folder, plans, tuned.predicted_us)
    path = script.write_array(run, folder, script.shared_out(run, plans, tuned.predicted_us, arguments.tasks), tuned.predicted_us)
    write_script(os.path.join(folder, "read.sh"), read_text([os.environ["TUTTI_PROGRAM"], "validate", *words_to_read(sys.argv[1:])]))
    submit = os.path.join(folder, "submit.sh")
    write_script(submit, submit_text(folder, arguments.partition, arguments.account))
    return submit


def words_to_read(words: list[str]) -> list[str]:
    """The same call, reading what the script has made."""
    found, left = [], iter(words)
    for word in left:
        if word in ("--account", "--partition", "--time", "--tasks"):
            next(left)
        elif word == "--batch":
            found.append("--read")
        elif word != "--json" and not word.startswith(("--account=", "--partition=", "--time=", "--tasks=")):
            found.append(word)
    return found


def measured_in(folder: str, ppns: set[int]) -> tuple[dict[int, results.Results], list[str]]:
    """By ranks per node, all that is finished; and the parts that are not."""
    if not os.path.exists(part_folder(folder, 1)):
        whole = progress.read_parts(folder)
        return {ppn: results.read_results(folder, ppn) for ppn in ppns}, ["run.sh" for part in whole if part.state != "done"]
    found = {ppn: results.Results({}, {}) for ppn in ppns}
    parts = progress.read_parts(folder)
    for part in parts:
        own = os.path.join(folder, part.name)
        for ppn in ppns if part.state == "done" else ():
            if os.path.exists(os.path.join(own, f"default-{ppn}.plan")):
                more = results.read_results(own, ppn)
                found[ppn].times_us.update(more.times_us)
                found[ppn].sent.update(more.sent)
    unfinished = [part.name for part in parts if part.state != "done"]
    if len(unfinished) == len(parts):
        raise ValidationError(f"{folder}: expected a part that has run to its end; see tutti status {folder}")
    return found, unfinished


def write_report(arguments: argparse.Namespace, tuned: table.Table, plans: list[arms.Plan], left_out: int) -> int:
    measured, unfinished = measured_in(arguments.output, {plan.cell.ppn for plan in plans})
    missing = {id(plan): results.missing_arm(plan, measured[plan.cell.ppn]) for plan in plans}
    there = [plan for plan in plans if missing[id(plan)] is None]
    if unfinished and there:
        print(f"tutti validate: {len(plans) - len(there)} of {len(plans)} cells are not measured yet, and others perhaps less often than they will "
              f"be: {', '.join(unfinished)} in {arguments.output} {'has' if len(unfinished) == 1 else 'have'} not finished; see tutti status", file=sys.stderr)
    elif len(there) < len(plans):
        plan = next(plan for plan in plans if missing[id(plan)] is not None)
        raise ValidationError(f"{arguments.output}: has no times of {missing[id(plan)]} for {plan.cell.collective} of {plan.cell.bytes} bytes on "
                              f"{plan.cell.ranks} ranks" + (", and run.sh has not finished; see tutti status" if unfinished else
                                                            ": expected results of the same cells, or fewer cells"))
    verdicts = [results.judge(plan, tuned, measured[plan.cell.ppn]) for plan in there]
    return report.write_report(arguments.output, tuned.machine, verdicts, left_out + len(plans) - len(there), not arguments.no_plots, arguments.json)


def run(arguments: argparse.Namespace) -> int:
    batch_of(arguments)
    if arguments.tasks is not None and not (arguments.batch and 1 <= arguments.tasks <= 10000):
        raise ValidationError(f"--tasks {arguments.tasks}: expected 1 to 10000 together with --batch")
    for name in ("first", "nap", "blocks", "repetitions"):
        if getattr(arguments, name) < (1 if name in ("first", "repetitions") else 0):
            raise ValidationError(f"--{name} {getattr(arguments, name)}: expected more")
    for name in ("within", "predicted_within"):
        if not 1 <= getattr(arguments, name) < math.inf:
            raise ValidationError(f"--{name.replace('_', '-')} {getattr(arguments, name)}: expected 1 or more")
    from_anywhere(arguments.mpirun)
    os.makedirs(arguments.output, exist_ok=True)
    tuned, plans, left_out = make_plans(arguments)
    if not arguments.read:
        path = write_scripts(arguments, tuned, plans)
        if arguments.batch and arguments.json:
            print(json.dumps({"script": path}))
            return 0
        if arguments.batch:
            print(what_to_do("sh" if arguments.tasks else "sbatch", path, os.path.abspath(arguments.output)))
            return 0
        run_script(path)
    return write_report(arguments, tuned, plans, left_out)


def main() -> int:
    arguments = parser().parse_args()
    return status_of("tutti validate", lambda: run(arguments))


if __name__ == "__main__":
    sys.exit(main())
